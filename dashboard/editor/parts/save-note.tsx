import { Button, Text } from "@mantine/core";
import { useEditor, useSession } from "../context.tsx";
import type { SaveState } from "../session/types.ts";

/** Briefly says whether changes are saved; a live region, because it changes by itself. */
export function SaveNote() {
  const { session } = useEditor();
  const save = useSession((state) => state.save);
  const canRetry = save.kind === "away" || save.kind === "signed-out" || save.kind === "refused";
  const isCalm = save.kind === "saved" || save.kind === "waiting" || save.kind === "saving";
  return (
    <span className="qs-ed-save">
      <Text size="sm" c={isCalm ? "dimmed" : "var(--qs-orange-text)"} role="status" data-save={save.kind}>
        {inWords(save)}
      </Text>
      {canRetry && (
        <Button size="compact-xs" variant="subtle" onClick={() => session.retry()}>
          Try again
        </Button>
      )}
    </span>
  );
}

function inWords(save: SaveState): string {
  switch (save.kind) {
    case "saved":
      return "Saved";
    case "waiting":
    case "saving":
      return "Saving…";
    case "away":
      return save.isStoredHere ? "Not sent yet: kept in this browser" : "Not saved: the server cannot be reached";
    case "changed":
      return "Not saved: somebody else changed it";
    case "assistant":
      return `Read-only: ${save.holder} edits it`;
    case "signed-out":
      return "Not saved: sign in again";
    case "refused":
      return `Not saved: ${save.sentence}`;
  }
}
