import type { ChoiceComponent, QuizDocument } from "./document.ts";
import { isChoice } from "./kinds/value.ts";

/** Bounds of the work: wider or longer quizzes are not examined. */
const [widest, mostOptions, mostDecimals] = [4_096, 2_000, 100];

/**
 * Every total that some answers give a dimension (null: all together), ascending: each question may be left out, so that
 * there may be more than shoppers can reach, never fewer. Null where that would be too much work.
 */
export function attainableTotals({ pages, dimensions }: QuizDocument, dimension_id: string | null): number[] | null {
  const ids = dimension_id === null ? dimensions.map((dimension) => dimension.dimension_id) : [dimension_id];
  const choices = pages.flatMap((page) => page.components.filter(isChoice));
  if (choices.reduce((sum, { options }) => sum + options.length, 0) > mostOptions) return null;
  const given = choices.map((choice) => pointsOf(choice, ids));
  const all = given.flatMap(({ points }) => points);
  const scale = [1, 2, 10, mostDecimals].find((by) => all.every((points) => Number.isSafeInteger(points * by)));
  if (scale === undefined) return null;
  const [low, high] = boundsOf(given, scale);
  if (high - low > widest) return null;
  // a bit for each total from the lowest
  let reached = 1n << BigInt(-low);
  for (const { multiple, points } of given) {
    let next = reached;
    for (const added of points) next |= shifted(multiple ? next : reached, added * scale);
    reached = next;
  }
  const bits = reached.toString(2);
  return Array.from(bits, (bit, at) => (bit === "1" ? (bits.length - 1 - at + low) / scale : null))
    .filter((total) => total !== null)
    .reverse();
}

interface Given {
  multiple: boolean;
  /** of the options that give any */
  points: number[];
}

const pointsOf = ({ multiple, options }: ChoiceComponent, ids: readonly string[]): Given => ({
  multiple,
  points: options
    .map(({ points }) => ids.reduce((sum, id) => sum + (points[id] ?? 0), 0))
    .filter((points) => points !== 0),
});

function boundsOf(given: readonly Given[], scale: number): [low: number, high: number] {
  let [low, high] = [0, 0];
  for (const { multiple, points } of given) {
    const [below, above] = [points.filter((one) => one < 0), points.filter((one) => one > 0)];
    const sum = (of: number[]): number => of.reduce((all, one) => all + one, 0);
    low += multiple ? sum(below) : Math.min(0, ...below);
    high += multiple ? sum(above) : Math.max(0, ...above);
  }
  return [low * scale, high * scale];
}

const shifted = (bits: bigint, by: number): bigint => (by < 0 ? bits >> BigInt(-by) : bits << BigInt(by));
