import { CloseButton, NativeSelect, Select, Stack, Text } from "@mantine/core";
import type { Quiz } from "../../client/src/index.ts";
import type { FieldError } from "../../contract/errors.ts";
import type { TermKind, TermOperator } from "../../contract/search-terms.ts";
import { QuizPicker } from "./quiz-picker.tsx";
import { operatorChoices, operatorLabel, type SubjectChoice, subjectsOf, subjectValue } from "./quiz-subjects.ts";
import { withOperator, withQuiz, withSubject } from "./search-edit.ts";
import { problemAt, problemsElsewhere } from "./search-problems.ts";
import type { TermState } from "./search-state.ts";
import { TermOperands } from "./term-operands.tsx";
import { useQuiz } from "./use-quizzes.ts";
import "./people.css";

interface Props {
  term: TermState;
  /** the term's path in the body, which the API's errors use */
  path: string;
  problems: readonly FieldError[];
  onChange: (edit: (term: TermState) => TermState) => void;
  onRemove: () => void;
}

/** One condition: the quiz, the subject, the operator and the operands. */
export function TermRow({ term, path, problems, onChange, onRemove }: Props) {
  const { data: quiz, isLoading, isError } = useQuiz(term.quizId);
  const at = (...fields: string[]) => problemAt(problems, ...fields.map((field) => `${path}.${field}`));
  const shown = [...fieldsOf(term)].map((field) => `${path}.${field}`);
  const rest = problemsElsewhere(
    problems.filter(({ field }) => field.startsWith(`${path}.`) && !/\.any(\.\d+)?$/.test(field)),
    [...shown, `${path}.any`],
  );
  return (
    <Stack gap={4} role="group" aria-label="Condition">
      <div className="qs-term">
        <QuizPicker
          label="Quiz"
          placeholder="Choose a quiz"
          allowDeselect={false}
          value={term.quizId}
          onChange={(quizId) => onChange((before) => withQuiz(before, quizId))}
          error={at("quiz_id")}
        />
        <SubjectSelect
          term={term}
          quiz={quiz}
          isLoading={isLoading}
          onChange={onChange}
          error={at("kind", "component_key", "dimension_id", ...(term.kind === "session" ? [] : ["page_key"]))}
        />
        <OperatorSelect term={term} onChange={onChange} error={at("op")} />
        <TermOperands term={term} quiz={quiz} onChange={onChange} problemAt={at} />
        <CloseButton className="qs-term-remove" aria-label="Remove the condition" onClick={onRemove} />
      </div>
      {isError && (
        <Text size="sm" c="dimmed">
          This quiz cannot be read, maybe it was deleted: its questions are shown by their keys.
        </Text>
      )}
      {rest.map(({ field, message }) => (
        <Text key={field} size="sm" c="var(--mantine-color-error)" role="alert">
          {`${field.slice(path.length + 1)}: ${message}`}
        </Text>
      ))}
    </Stack>
  );
}

/** The term's fields that have an input in the row. */
function fieldsOf({ kind, op }: TermState): Set<string> {
  const fields = new Set(["quiz_id", "kind", "op", "page_key", "component_key", "dimension_id"]);
  if (kind === "choice") fields.add("option_ids").add("option_labels");
  else if (kind === "winner") fields.add("option_ids");
  else if (op === "between") fields.add("min").add("max");
  else if (kind !== null && op !== "answered" && op !== "not_answered") fields.add("value");
  return fields;
}

interface SubjectProps {
  term: TermState;
  quiz: Quiz | undefined;
  isLoading: boolean;
  onChange: Props["onChange"];
  error: string | null;
}

function SubjectSelect({ term, quiz, isLoading, onChange, error }: SubjectProps) {
  const sections = quiz === undefined ? [] : subjectsOf(quiz);
  const choices = new Map<string, SubjectChoice>(
    sections.flatMap((section) => section.choices.map((choice) => [choice.value, choice] as const)),
  );
  const value = term.kind === null ? null : subjectValue(term);
  const data = sections.map(({ title, choices: items }) => ({
    group: title,
    items: items.map(({ value: key, label }) => ({ value: key, label })),
  }));
  const unknown = value !== null && !choices.has(value) ? [{ value, label: isLoading ? "…" : keysOf(term) }] : [];
  return (
    <Select
      label="What"
      placeholder={isLoading ? "Loading the questions…" : "A question, points, the result"}
      disabled={term.quizId === null}
      data={[...unknown, ...data]}
      value={value}
      searchable
      allowDeselect={false}
      maxDropdownHeight={320}
      nothingFoundMessage="Nothing of this name"
      comboboxProps={{ shadow: "md" }}
      error={error}
      onChange={(next) => {
        const chosen = next === null ? undefined : choices.get(next);
        if (chosen !== undefined) onChange((before) => withSubject(before, chosen.subject));
      }}
    />
  );
}

/** A subject that the quiz's definition does not know is shown by its keys. */
const keysOf = ({ kind, pageKey, componentKey, dimensionId }: TermState): string =>
  kind === "session"
    ? "How it ended"
    : kind === "winner"
      ? "The result that won"
      : (dimensionId ?? [pageKey, componentKey].filter((key) => key !== null).join(" / "));

function OperatorSelect({ term, onChange, error }: Pick<SubjectProps, "term" | "onChange" | "error">) {
  const { kind, op } = term;
  const choices = kind === null ? [] : operatorChoices(kind);
  const odd = op !== null && !choices.some(({ value }) => value === op);
  return (
    <NativeSelect
      label="How"
      disabled={kind === null}
      value={op ?? ""}
      error={error}
      data={[
        ...(op === null ? [{ value: "", label: "" }] : []),
        ...(odd ? [{ value: op, label: operatorLabel(kind as TermKind, op) }] : []),
        ...choices,
      ]}
      onChange={(event) => {
        const next = event.currentTarget.value as TermOperator;
        onChange((before) => withOperator(before, next));
      }}
    />
  );
}
