import { firstWords } from "../../../engine/condition-words.ts";
import type { Page } from "../../../engine/document.ts";
import { useDocument, useEdit, useFinding, useReadOnly, useValue } from "../context.tsx";
import { saidOf } from "../document/finding-words.ts";
import { setOutcome } from "../document/results.ts";
import { fieldName, NativeField } from "./fields.tsx";

/** Which result a result page is about [editor.result-pages]. */
export function OutcomeField({ page }: { page: number }) {
  const path = ["pages", page, "outcome", "dimension_id"];
  const outcome = useValue<Page["outcome"]>(["pages", page, "outcome"]) ?? null;
  const dimensions = useDocument((document) => document.dimensions);
  const finding = useFinding(path);
  const edit = useEdit();
  const readOnly = useReadOnly();
  if (dimensions.length === 0 && outcome === null) return null;
  return (
    <NativeField
      label="Page of the result"
      description="Shown when this result wins, unless its condition says otherwise"
      data-field={fieldName(path)}
      error={finding ? saidOf(finding) : undefined}
      disabled={readOnly}
      value={outcome?.dimension_id ?? ""}
      data={[
        { value: "", label: "No particular result" },
        ...dimensions.map(({ dimension_id, name }) => ({ value: dimension_id, label: firstWords(name, dimension_id) })),
      ]}
      onChange={(id) => edit((document) => setOutcome(document, page, id === "" ? null : id))}
    />
  );
}
