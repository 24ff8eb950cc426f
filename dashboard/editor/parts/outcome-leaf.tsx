import type { Compared, Condition, OutcomeLeaf } from "../../../engine/document.ts";
import { NumberBox } from "../../ui/number-box.tsx";
import { useDocument } from "../context.tsx";
import { operatorWords } from "../document/condition.ts";
import { NativeField } from "./fields.tsx";
import { IdBoxes } from "./id-boxes.tsx";

/** The operator and operands of a part about the result, points or a formula [editor.conditions]. */

interface OutcomeProps<Kind extends OutcomeLeaf["kind"]> {
  leaf: Extract<OutcomeLeaf, { kind: Kind }>;
  replace: (next: Condition) => void;
  field: string;
}

export function OutcomeOperands({ leaf, replace, field }: OutcomeProps<OutcomeLeaf["kind"]>) {
  if (leaf.kind === "winner") return <WinnerOperands leaf={leaf} replace={replace} field={field} />;
  const ops = leaf.kind === "formula" ? [...comparisons, ...presence] : comparisons;
  return (
    <>
      <NativeField
        label="What is asked of it"
        isLabelUnseen
        data-field={`${field}.op`}
        value={leaf.op}
        data={ops.map((op) => ({ value: op, label: words[op] }))}
        onChange={(value) => {
          const op = ops.find((known) => known === value);
          if (op) replace(withOperator(leaf, op));
        }}
      />
      <Numbers leaf={leaf} replace={replace} field={field} />
    </>
  );
}

const comparisons = ["eq", "lt", "gt", "between"] as const;
const presence = ["answered", "not_answered"] as const;
const words = { ...operatorWords, answered: "has a value", not_answered: "has no value" };

type Counted = Extract<OutcomeLeaf, { kind: "points" | "formula" }>;
type CountedOperator = Counted["op"];

function withOperator(leaf: Counted, op: CountedOperator): OutcomeLeaf {
  if (op === "answered" || op === "not_answered") {
    return leaf.kind === "formula" ? { kind: "formula", component_key: leaf.component_key, op } : leaf;
  }
  const known = "value" in leaf ? leaf.value : "min" in leaf ? leaf.min : 0;
  const test: Compared = op === "between" ? { op, min: known, max: known } : { op, value: known };
  return leaf.kind === "points"
    ? { kind: "points", dimension_id: leaf.dimension_id, ...test }
    : { kind: "formula", component_key: leaf.component_key, ...test };
}

function Numbers({ leaf, replace, field }: OutcomeProps<"points" | "formula">) {
  const box = (label: string, name: string, value: number, set: (value: number) => Condition) => (
    <NumberBox
      size="xs"
      w="6rem"
      aria-label={label}
      data-field={`${field}.${name}`}
      value={value}
      onNumber={(next) => replace(set(next ?? 0))}
    />
  );
  if ("value" in leaf) return box("Value", "value", leaf.value, (value) => ({ ...leaf, value }));
  if (!("min" in leaf)) return null;
  return (
    <>
      {box("From", "min", leaf.min, (min) => ({ ...leaf, min }))}
      {box("To", "max", leaf.max, (max) => ({ ...leaf, max }))}
    </>
  );
}

const places = ["first", "second", "third", "fourth", "fifth"];

function WinnerOperands({ leaf, replace, field }: OutcomeProps<"winner">) {
  const dimensions = useDocument((document) => document.dimensions);
  const { rank, ...rest } = leaf;
  return (
    <>
      <NativeField
        label="Which place"
        isLabelUnseen
        data-field={`${field}.rank`}
        value={String(rank ?? 1)}
        data={places.map((place, index) => ({ value: String(index + 1), label: `in ${place} place` }))}
        onChange={(value) => replace(value === "1" ? rest : { ...rest, rank: Number(value) })}
      />
      <NativeField
        label="What is asked of it"
        isLabelUnseen
        data-field={`${field}.op`}
        value={leaf.op}
        data={(["in", "not_in"] as const).map((op) => ({ value: op, label: operatorWords[op] }))}
        onChange={(op) => replace({ ...leaf, op: op === "not_in" ? "not_in" : "in" })}
      />
      <IdBoxes
        known={dimensions.map(({ dimension_id, name }) => ({ id: dimension_id, name }))}
        chosen={leaf.dimension_ids}
        choose={(dimension_ids) => replace({ ...leaf, dimension_ids })}
        field={`${field}.dimension_ids`}
      />
    </>
  );
}
