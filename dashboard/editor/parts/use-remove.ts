import { useCallback } from "react";
import type { QuizDocument } from "../../../engine/document.ts";
import { useEditor } from "../context.tsx";
import { removeComponent, removeOption, removePage } from "../document/edits.ts";
import type { Removed } from "../document/gone.ts";
import type { Edit } from "../document/history.ts";
import { removeDimension } from "../document/logic-edits.ts";
import { removeWithUses, usesOf } from "../document/removal.ts";

/**
 * Removes at once what nothing else uses, and asks about the rest [editor.removal].
 *
 * @returns takes the name for the question, and what to do once it is removed
 */
export function useRemove(): (removed: Removed, name: string, done?: () => void) => void {
  const { session, ui } = useEditor();
  return useCallback(
    (removed, name, done = () => {}) => {
      if (session.isReadOnly) return;
      if (usesOf(session.document, removed).length > 0) {
        ui.set({ removal: { removed, name, done, alone: (document) => alone(document, removed) } });
        return;
      }
      session.edit(removeWithUses(session.document, removed));
      done();
    },
    [session, ui],
  );
}

/** Only the thing itself, with what cannot be without it. */
function alone(document: QuizDocument, removed: Removed): Edit {
  switch (removed.kind) {
    case "page":
      return removePage(document, removed.page);
    case "component":
      return removeComponent(document, removed.place);
    case "option":
      return removeOption(document, removed.place, removed.option);
    case "result":
      return removeDimension(document, removed.dimension);
  }
}
