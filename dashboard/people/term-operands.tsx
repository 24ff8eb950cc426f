import { Button, Group, MultiSelect, NativeSelect, Stack, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Quiz } from "../../client/src/index.ts";
import { operandsOf, searchLimits } from "../../contract/search-terms.ts";
import { optionsOf, pagesOf, resultsOf } from "./quiz-subjects.ts";
import { isNumeric, type TermState } from "./search-state.ts";

interface Props {
  term: TermState;
  quiz: Quiz | undefined;
  onChange: (edit: (term: TermState) => TermState) => void;
  problemAt: (...fields: string[]) => string | null;
}

/** The operands of a condition: options, numbers, days or a text, depending on its kind and operator. */
export function TermOperands(props: Props) {
  const { kind, op } = props.term;
  if (kind === null || op === null) return null;
  if (kind === "choice" || kind === "winner") return <Options {...props} />;
  if (kind === "session") return <Ending {...props} />;
  const operands = operandsOf(kind, op);
  if (operands.includes("min")) {
    return (
      <Group grow gap="xs" align="flex-start" wrap="nowrap">
        <Operand {...props} field="min" label="From" />
        <Operand {...props} field="max" label="To" />
      </Group>
    );
  }
  return operands.includes("value") ? <Operand {...props} field="value" label={valueLabel(kind)} /> : null;
}

const valueLabel = (kind: TermState["kind"]) => (kind === "date" ? "Day" : kind === "text" ? "Text" : "Number");

/** An empty list is left out. */
const listOf = (values: string[]): readonly string[] | null => (values.length === 0 ? null : values);

function Options({ term, quiz, onChange, problemAt }: Props) {
  const isWinner = term.kind === "winner";
  const [byName, setByName] = useState(false);
  const namesShown = byName || term.optionLabels !== null;
  return (
    <Stack gap="xs" align="stretch">
      <MultiSelect
        label={isWinner ? "Results" : "Answers"}
        placeholder={(term.optionIds ?? []).length === 0 ? "Choose" : ""}
        data={optionsOf(quiz, term)}
        value={[...new Set(term.optionIds ?? [])]}
        searchable
        maxValues={searchLimits.options}
        nothingFoundMessage="No answer of this name"
        comboboxProps={{ shadow: "md" }}
        error={problemAt("option_ids")}
        onChange={(values) => onChange((before) => ({ ...before, optionIds: listOf(values) }))}
      />
      {!isWinner && !namesShown && (
        <Button size="compact-xs" variant="subtle" w="fit-content" onClick={() => setByName(true)}>
          Or by name, in any version
        </Button>
      )}
      {!isWinner && namesShown && (
        <TagsInput
          label="Or called, in any version"
          description="Type a name and press Enter"
          value={[...(term.optionLabels ?? [])]}
          maxTags={searchLimits.options}
          error={problemAt("option_labels")}
          onChange={(values) => onChange((before) => ({ ...before, optionLabels: listOf(values) }))}
        />
      )}
    </Stack>
  );
}

/** Tells a result from the endings in the list. */
const finishedWith = "with:";
const endingOf = (outcome: string): string => `${finishedWith}${outcome}`;

function Ending({ term, quiz, onChange, problemAt }: Props) {
  const pages = quiz === undefined ? [] : pagesOf(quiz);
  const missing = term.pageKey !== null && !pages.some(({ value }) => value === term.pageKey);
  const results = quiz === undefined ? [] : resultsOf(quiz);
  const { outcome } = term;
  const gone = outcome !== null && !results.some(({ value }) => value === outcome);
  return (
    <Group grow gap="xs" align="flex-start">
      <NativeSelect
        label="Ending"
        value={outcome === null ? (term.value ?? "") : endingOf(outcome)}
        error={problemAt("value", "outcome")}
        data={[
          ...(term.value === null && outcome === null ? [{ value: "", label: "Choose" }] : []),
          { value: "completed", label: "Finished" },
          { value: "abandoned", label: "Left before the end" },
          ...[...results, ...(gone ? [{ value: outcome, label: outcome }] : [])].map(({ value, label }) => ({
            value: endingOf(value),
            label: `Finished with ${label}`,
          })),
        ]}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          const result = chosen.startsWith(finishedWith) ? chosen.slice(finishedWith.length) : null;
          onChange((before) => ({
            ...before,
            value: result !== null || chosen === "" ? null : chosen,
            outcome: result,
          }));
        }}
      />
      <NativeSelect
        label="On the page"
        value={term.pageKey ?? ""}
        error={problemAt("page_key")}
        data={[
          { value: "", label: "Any page" },
          ...(missing ? [{ value: term.pageKey ?? "", label: term.pageKey ?? "" }] : []),
          ...pages,
        ]}
        onChange={(event) => {
          const page = event.currentTarget.value;
          onChange((before) => ({ ...before, pageKey: page === "" ? null : page }));
        }}
      />
    </Group>
  );
}

interface OperandProps extends Props {
  field: "value" | "min" | "max";
  label: string;
}

function Operand({ term, field, label, onChange, problemAt }: OperandProps) {
  const numeric = isNumeric(term.kind);
  return (
    <TextInput
      type={term.kind === "date" ? "date" : "text"}
      inputMode={numeric ? "decimal" : undefined}
      dir={numeric ? "ltr" : "auto"}
      label={label}
      value={term[field] ?? ""}
      error={problemAt(field)}
      onChange={(event) => {
        const text = event.currentTarget.value;
        onChange((before) => ({ ...before, [field]: text === "" ? null : text }));
      }}
    />
  );
}
