import type { Answers, Dimension } from "./document.ts";
import { evaluateExpression } from "./evaluate.ts";
import { isNumber } from "./kinds/value.ts";
import type { Quiz } from "./quiz.ts";
import { countedAnswers } from "./visibility.ts";

/** One dimension's total, the shape that the API reports. */
export interface PointsEntry {
  dimension_id: string;
  name: string;
  total: number;
}

/**
 * A computed formula; `value` is null if a needed value is missing, for a division by zero, or if the result is not
 * finite [engine.formulas].
 */
export interface FormulaResult {
  page_key: string;
  component_key: string;
  label: string;
  value: number | null;
}

export interface Score {
  /** every dimension, in document order */
  points: PointsEntry[];
  /** the sum over all dimensions; null without dimensions */
  points_total: number | null;
  /**
   * the highest total, the earlier in the document on a tie; null if all totals are 0 or there are no dimensions
   * [engine.winner]
   */
  winner: PointsEntry | null;
  /** every formula, in document order, including those on hidden pages: a formula is computed, not asked */
  formulas: FormulaResult[];
}

/** Points, winner and formulas for these answers; questions on hidden pages do not count [engine.hidden-answers]. */
export function score(quiz: Quiz, answers: Answers): Score {
  return scoreCounted(quiz, countedAnswers(quiz, answers));
}

/** `score` for answers without those on hidden pages (`visibility`). */
export function scoreCounted(quiz: Quiz, counted: Answers): Score {
  const points = pointsOf(quiz, counted);
  return {
    points,
    points_total: points.length === 0 ? null : tidy(points.reduce((sum, entry) => sum + entry.total, 0)),
    winner: winnerOf(points),
    formulas: formulaResults(quiz, counted, points),
  };
}

export function pointsOf(quiz: Quiz, counted: Answers): PointsEntry[] {
  const sums = new Map<string, number>();
  for (const [component_key, answer] of counted) {
    const question = quiz.questions.get(component_key);
    if (question === undefined || !("option_ids" in answer)) continue;
    for (const option_id of new Set(answer.option_ids)) {
      const points = question.options.get(option_id)?.points ?? {};
      for (const [id, added] of Object.entries(points)) sums.set(id, (sums.get(id) ?? 0) + added);
    }
  }
  const entry = ({ dimension_id, name }: Dimension): PointsEntry => {
    return { dimension_id, name, total: tidy(sums.get(dimension_id) ?? 0) };
  };
  return quiz.document.dimensions.map(entry);
}

export function winnerOf(points: readonly PointsEntry[]): PointsEntry | null {
  if (points.every((entry) => entry.total === 0)) return null;
  return points.reduce((best, entry) => (entry.total > best.total ? entry : best));
}

/**
 * Rounds to nine decimals, without a negative zero: 0.1 + 0.2 should be 0.3, and a sum of 0 must be 0 for the winner
 * [engine.points].
 */
function tidy(sum: number): number {
  return Number.isInteger(sum) ? sum + 0 : Number(sum.toFixed(9)) + 0;
}

function formulaResults(quiz: Quiz, counted: Answers, points: readonly PointsEntry[]): FormulaResult[] {
  const formulaOf = formulaValues(quiz, counted, points);
  return [...quiz.formulas].map(([component_key, { component, placed }]) => ({
    page_key: placed.page.page_key,
    component_key,
    label: component.label,
    value: formulaOf(component_key),
  }));
}

/** The value of each formula by its key; null for no value. */
export function formulaValues(
  quiz: Quiz,
  counted: Answers,
  points: readonly PointsEntry[],
): (component_key: string) => number | null {
  const values = new Map<string, number | null>();
  const formulaOf = (key: string): number | null => {
    if (!values.has(key)) {
      // Set before it is computed: a cycle of formulas, which checkDocument refuses, then has no value instead of
      // recursing forever.
      values.set(key, null);
      const tree = quiz.formulas.get(key)?.tree ?? null;
      if (tree !== null) values.set(key, evaluateExpression(tree, lookUp));
    }
    return values.get(key) ?? null;
  };
  const lookUp = (name: string): number | null => {
    const asked = quiz.questions.get(name)?.component;
    if (asked && isNumber(asked)) return numberAnswer(counted, name);
    if (quiz.formulas.has(name)) return formulaOf(name);
    return points.find(({ dimension_id }) => dimension_id === name)?.total ?? null;
  };
  return formulaOf;
}

function numberAnswer(counted: Answers, component_key: string): number | null {
  const answer = counted.get(component_key);
  return answer && "value" in answer && typeof answer.value === "number" ? answer.value : null;
}
