import { useEffect } from "react";
import { useEditor } from "./context.tsx";

/**
 * Keyboard shortcuts for undo and redo, wherever the focus is: typing in a field changes the document like any other
 * edit.
 */
export function useEditorKeys(): void {
  const { session } = useEditor();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
      const key = event.key.toLowerCase();
      // fields outside the document, such as a search, keep the browser's undo
      const field = event.target instanceof HTMLElement ? event.target : null;
      const isForeign = field?.matches("input,textarea") === true && field.closest("[data-field]") === null;
      if (isForeign) return;
      if (key === "z" && !event.shiftKey) session.undo();
      else if ((key === "z" && event.shiftKey) || key === "y") session.redo();
      else if (key === "s") void session.flush();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [session]);
}
