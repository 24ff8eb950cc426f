import { Button, CloseButton, Group, Text, TextInput } from "@mantine/core";
import { useMemo } from "react";
import { compileQuiz } from "../../../engine/compile-quiz.ts";
import { conditionInWords, firstWords, namesOf } from "../../../engine/condition-words.ts";
import { holds } from "../../../engine/conditions.ts";
import type { Condition, OutcomeLeaf, QuestionComponent } from "../../../engine/document.ts";
import { isChoice, valueOfKind } from "../../../engine/kinds/value.ts";
import { countedAnswers } from "../../../engine/visibility.ts";
import { NumberBox } from "../../ui/number-box.tsx";
import { useDocument, useReadOnly, useSession, useSet, useUi, useValue } from "../context.tsx";
import type { Path } from "../document/change.ts";
import {
  joinedBy,
  type Leaf,
  leafOf,
  negated,
  type Operator,
  operatorsOf,
  operatorWords,
  type PartPath,
  partsOf,
  questionsOf,
  withMore,
  withPart,
} from "../document/condition.ts";
import { saidOf } from "../document/finding-words.ts";
import { SubjectField } from "./condition-subject.tsx";
import { fieldName, NativeField } from "./fields.tsx";
import { IdBoxes } from "./id-boxes.tsx";
import { OutcomeOperands } from "./outcome-leaf.tsx";

/** Edits a condition: each part has a question, an operator and its operands [editor.conditions]. */

interface ConditionFormProps {
  path: Path;
  label: string;
  /** what an absent condition means */
  none: string;
  /** a jump must have a condition: "always" is an empty group */
  isNeeded?: boolean;
}

export function ConditionForm({ path, label, none, isNeeded = false }: ConditionFormProps) {
  const value = useValue<Condition | null>(path) ?? null;
  const set = useSet(path, "change a condition");
  const questions = useQuestions();
  const readOnly = useReadOnly();
  const finding = useFindingWithin(path);
  const condition = isEmptyGroup(value) ? null : value;
  const change = (next: Condition | null): void => set(next ?? (isNeeded ? { all: [] } : null));
  const [first] = questions;
  return (
    <fieldset className="qs-ed-condition" data-field={fieldName(path)} tabIndex={-1} disabled={readOnly}>
      <legend>{label}</legend>
      {condition === null ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <>
          <Part
            condition={condition}
            at={[]}
            whole={condition}
            change={change}
            questions={questions}
            field={fieldName(path)}
          />
          <Outcome condition={condition} />
        </>
      )}
      {finding !== null && <span className="qs-ed-error">{finding}</span>}
      {first ? (
        <Button size="compact-sm" variant="subtle" onClick={() => change(withMore(condition, [], leafOf(first)))}>
          {condition === null ? "Add a condition" : "Add another part"}
        </Button>
      ) : (
        <Text size="sm" c="dimmed">
          Ask a question first: conditions are about answers.
        </Text>
      )}
    </fieldset>
  );
}

const isEmptyGroup = (value: Condition | null): boolean => value !== null && "all" in value && value.all.length === 0;

function useQuestions(): readonly QuestionComponent[] {
  const pages = useDocument((document) => document.pages);
  return useMemo(
    () =>
      questionsOf({ pages, jump_rules: [], dimensions: [], property_mappings: [] }).map(({ component }) => component),
    [pages],
  );
}

/** The first finding anywhere in the condition. */
function useFindingWithin(path: Path): string | null {
  const name = fieldName(path);
  return useSession(({ findings }) => {
    const found = findings.find((finding) => finding.path === name || finding.path.startsWith(`${name}.`));
    return found ? saidOf(found) : null;
  });
}

/** The condition's result for the preview's current answers. */
function Outcome({ condition }: { condition: Condition }) {
  const document = useDocument((whole) => whole);
  const answers = useUi((state) => state.answers);
  const said = useMemo(() => {
    const quiz = compileQuiz(document);
    const isMet = holds(condition, countedAnswers(quiz, answers), quiz);
    return { words: conditionInWords(condition, namesOf(document)), isMet };
  }, [document, answers, condition]);
  return (
    <Text size="xs" c="dimmed" className="qs-ed-said">
      {said.words}. With the preview's answers: <strong>{said.isMet ? "yes" : "no"}</strong>
    </Text>
  );
}

interface PartProps {
  condition: Condition;
  at: PartPath;
  whole: Condition;
  change: (next: Condition | null) => void;
  questions: readonly QuestionComponent[];
  field: string;
}

function Part({ condition, at, whole, change, questions, field }: PartProps) {
  if ("kind" in condition || "component_key" in condition)
    return <LeafForm {...{ leaf: condition, at, whole, change, questions, field }} />;
  if ("not" in condition) {
    return (
      <div className="qs-ed-group" data-field={field}>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            Not:
          </Text>
          <Button size="compact-xs" variant="subtle" onClick={() => change(negated(whole, at))}>
            Turn around
          </Button>
        </Group>
        <Part condition={condition.not} at={[...at, 0]} {...{ whole, change, questions }} field={`${field}.not`} />
      </div>
    );
  }
  return <GroupForm {...{ condition, at, whole, change, questions, field }} />;
}

function GroupForm({ condition, at, whole, change, questions, field }: PartProps) {
  const word = "any" in condition ? "any" : "all";
  const parts = partsOf(condition) ?? [];
  const [first] = questions;
  return (
    <div className="qs-ed-group" data-field={`${field}.${word}`}>
      <Group gap="xs">
        <NativeField
          label="How the parts are joined"
          isLabelUnseen
          value={word}
          data={[
            { value: "all", label: "all of these" },
            { value: "any", label: "any of these" },
          ]}
          onChange={(next) => change(joinedBy(whole, at, next === "any" ? "any" : "all"))}
        />
        {at.length > 0 && first && (
          <Button size="compact-xs" variant="subtle" onClick={() => change(withMore(whole, at, leafOf(first)))}>
            Add here
          </Button>
        )}
        <CloseButton
          aria-label={at.length === 0 ? "Remove the whole condition" : "Remove this group"}
          size="sm"
          onClick={() => change(withPart(whole, at, null))}
        />
      </Group>
      {parts.map((part, index) => (
        <Part
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no keys of their own
          key={index}
          condition={part}
          at={[...at, index]}
          {...{ whole, change, questions }}
          field={`${field}.${word}.${index}`}
        />
      ))}
    </div>
  );
}

type LeafProps = Omit<PartProps, "condition"> & { leaf: Leaf | OutcomeLeaf };

function LeafForm({ leaf, at, whole, change, questions, field }: LeafProps) {
  const replace = (next: Condition): void => change(withPart(whole, at, next));
  return (
    <div className="qs-ed-leaf" data-field={field}>
      <SubjectField leaf={leaf} replace={replace} field={`${field}.component_key`} />
      {"kind" in leaf ? (
        <OutcomeOperands leaf={leaf} replace={replace} field={field} />
      ) : (
        <AnswerOperands {...{ leaf, questions, replace, field }} />
      )}
      <Button size="compact-xs" variant="subtle" onClick={() => change(negated(whole, at))}>
        Not
      </Button>
      <CloseButton aria-label="Remove this part" size="sm" onClick={() => change(withPart(whole, at, null))} />
    </div>
  );
}

interface AnswerProps {
  leaf: Leaf;
  questions: readonly QuestionComponent[];
  replace: (next: Condition) => void;
  field: string;
}

function AnswerOperands({ leaf, questions, replace, field }: AnswerProps) {
  const question = questions.find(({ component_key }) => component_key === leaf.component_key);
  return (
    <>
      <NativeField
        label="What is asked of it"
        isLabelUnseen
        data-field={`${field}.op`}
        value={leaf.op}
        data={operatorsOf(question).map((op) => ({ value: op, label: operatorWords[op] }))}
        onChange={(op) => question && replace(keepingOptions(leaf, leafOf(question, op as Operator)))}
      />
      {question && <Operands leaf={leaf} question={question} replace={replace} field={field} />}
    </>
  );
}

/** Keeps the options when switching between "is one of" and "is none of". */
const keepingOptions = (before: Leaf, after: Leaf): Leaf =>
  "option_ids" in before && "option_ids" in after ? { ...after, option_ids: before.option_ids } : after;

interface OperandProps {
  leaf: Leaf;
  question: QuestionComponent;
  replace: (next: Condition) => void;
  field: string;
}

function Operands({ leaf, question, replace, field }: OperandProps) {
  const own = (name: string) => ({ question, field: `${field}.${name}` });
  if ("option_ids" in leaf && isChoice(question))
    return (
      <IdBoxes
        known={question.options.map(({ option_id, label }) => ({ id: option_id, name: label }))}
        chosen={leaf.option_ids}
        choose={(option_ids) => replace({ ...leaf, option_ids })}
        field={`${field}.option_ids`}
      />
    );
  if ("value" in leaf && isChoice(question)) {
    return (
      <NativeField
        label="Option"
        isLabelUnseen
        data-field={`${field}.value`}
        value={String(leaf.value)}
        data={question.options.map(({ option_id, label }) => ({
          value: option_id,
          label: firstWords(label, option_id),
        }))}
        onChange={(value) => replace({ ...leaf, value })}
      />
    );
  }
  if ("value" in leaf)
    return <Operand label="Value" {...own("value")} value={leaf.value} set={(value) => replace({ ...leaf, value })} />;
  if (!("min" in leaf)) return null;
  return (
    <>
      <Operand label="From" {...own("min")} value={leaf.min} set={(min) => replace({ ...leaf, min })} />
      <Operand label="To" {...own("max")} value={leaf.max} set={(max) => replace({ ...leaf, max })} />
    </>
  );
}

interface OneOperandProps {
  label: string;
  question: QuestionComponent;
  field: string;
  value: string | number;
  set: (value: never) => void;
}

function Operand({ label, question, field, value, set }: OneOperandProps) {
  const put = set as (value: string | number) => void;
  const asked = valueOfKind[question.kind];
  if (asked === "number")
    return (
      <NumberBox
        size="xs"
        w="6rem"
        aria-label={label}
        data-field={field}
        value={typeof value === "number" ? value : null}
        onNumber={put}
      />
    );
  const type = asked === "date" ? "date" : "text";
  return (
    <TextInput
      size="xs"
      w="10rem"
      type={type}
      aria-label={label}
      data-field={field}
      value={String(value)}
      onChange={(event) => put(event.currentTarget.value)}
    />
  );
}
