import { Button } from "@mantine/core";
import { useDocument, useEdit, useEditor, useReadOnly } from "../context.tsx";
import { addResultPages, resultsWithoutPage } from "../document/results.ts";

/** Gives a page to results that have none, such as those of documents from before [editor.result-pages]. */
export function ResultPages() {
  const lackPage = useDocument((document) => resultsWithoutPage(document).length > 0);
  const { session } = useEditor();
  const edit = useEdit();
  const disabled = useReadOnly();
  if (!lackPage) return null;
  const add = (): void => {
    const keys = session.keys();
    edit((document) => addResultPages(document, keys));
  };
  return (
    <Button size="compact-sm" variant="subtle" disabled={disabled} onClick={add}>
      Add a page for each result
    </Button>
  );
}
