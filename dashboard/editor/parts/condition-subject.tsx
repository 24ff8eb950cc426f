import { useMemo } from "react";
import { firstWords } from "../../../engine/condition-words.ts";
import type { Condition, OutcomeLeaf } from "../../../engine/document.ts";
import { useDocument } from "../context.tsx";
import { type Leaf, leafOf, questionsOf } from "../document/condition.ts";
import { NativeField } from "./fields.tsx";

/** What a part of a condition is about: a question, the result, points or a formula [editor.conditions]. */

interface Subject {
  value: string;
  label: string;
  /** a new part about it */
  leaf: () => Leaf | OutcomeLeaf;
}

const about = (leaf: Leaf | OutcomeLeaf): string => {
  if (!("kind" in leaf)) return `answer ${leaf.component_key}`;
  if (leaf.kind === "winner") return "winner";
  return leaf.kind === "points" ? `points ${leaf.dimension_id ?? ""}` : `formula ${leaf.component_key}`;
};

/** Everything that conditions may be about, in document order. */
function useSubjects(): readonly Subject[] {
  const document = useDocument((whole) => whole);
  return useMemo(() => {
    const { pages, dimensions } = document;
    const questions = questionsOf(document).map(({ component }): Subject => {
      const leaf = leafOf(component);
      return { value: about(leaf), label: firstWords(component.question, component.component_key), leaf: () => leaf };
    });
    const compared = { op: "gt", value: 0 } as const;
    const formulas = pages
      .flatMap(({ components }) => components.filter((each) => each.kind === "formula"))
      .map(({ component_key, label }): Subject => {
        const leaf: OutcomeLeaf = { kind: "formula", component_key, ...compared };
        return { value: about(leaf), label: `Formula: ${firstWords(label, component_key)}`, leaf: () => leaf };
      });
    const [first] = dimensions;
    if (first === undefined) return [...questions, ...formulas];
    const winner: OutcomeLeaf = { kind: "winner", op: "in", dimension_ids: [first.dimension_id] };
    const points = [{ dimension_id: null, name: "" }, ...dimensions].map(({ dimension_id, name }): Subject => {
      const leaf: OutcomeLeaf = { kind: "points", dimension_id, ...compared };
      const label = dimension_id === null ? "All points together" : `Points for ${firstWords(name, dimension_id)}`;
      return { value: about(leaf), label, leaf: () => leaf };
    });
    return [...questions, { value: "winner", label: "The result", leaf: () => winner }, ...points, ...formulas];
  }, [document]);
}

interface SubjectFieldProps {
  leaf: Leaf | OutcomeLeaf;
  replace: (next: Condition) => void;
  field: string;
}

export function SubjectField({ leaf, replace, field }: SubjectFieldProps) {
  const subjects = useSubjects();
  return (
    <NativeField
      label="Question or result"
      isLabelUnseen
      data-field={field}
      value={about(leaf)}
      data={subjects.map(({ value, label }) => ({ value, label }))}
      onChange={(value) => {
        const next = subjects.find((subject) => subject.value === value);
        if (next) replace(next.leaf());
      }}
    />
  );
}
