import { Button } from "@mantine/core";
import { useDocument, useEdit, useEditor, useReadOnly } from "../context.tsx";
import { addResult, addResultPages, resultsWithoutPage } from "../document/results.ts";

/** Adds results together with their pages [editor.result-pages]. */
export function ResultPages() {
  const lackPage = useDocument((document) => resultsWithoutPage(document).length > 0);
  const { session } = useEditor();
  const edit = useEdit();
  const disabled = useReadOnly();
  const add = (how: typeof addResult): void => {
    const keys = session.keys();
    edit((document) => how(document, keys));
  };
  return (
    <>
      {lackPage && (
        <Button size="compact-sm" variant="subtle" disabled={disabled} onClick={() => add(addResultPages)}>
          Add a page for each result
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" disabled={disabled} onClick={() => add(addResult)}>
        New result with a page
      </Button>
    </>
  );
}
