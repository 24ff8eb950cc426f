import { isObject } from "../../engine/read.ts";

/** Differences between an answer and the expected one, one line for each field, so that a failure is readable. */

const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

/** Fields that only the answer has are ignored: the app itself checks shapes. */
export function differences(actual: unknown, expected: unknown, path = ""): string[] {
  if (typeof actual === "number" && typeof expected === "number" && isClose(actual, expected)) return [];
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(actual.length, expected.length);
    return Array.from({ length }, (_, index) =>
      differences(actual[index], expected[index], `${path}[${index}]`),
    ).flat();
  }
  if (isObject(expected) && isObject(actual)) {
    return Object.entries(expected).flatMap(([name, value]) => differences(actual[name], value, `${path}.${name}`));
  }
  return Object.is(actual, expected) ? [] : [`${path}: ${show(actual)} is not ${show(expected)}`];
}

const show = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 200);

type Row = Record<string, unknown>;

/** Compares rows without a promised order, matched by their keys. */
export function unordered(actual: readonly Row[], expected: readonly Row[], keys: readonly string[], path: string) {
  const keyOf = (row: Row) => JSON.stringify(keys.map((key) => row[key] ?? null));
  const sorted = (rows: readonly Row[]) => rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const [ours, theirs] = [sorted(expected), sorted(actual)];
  if (ours.map(keyOf).join() !== theirs.map(keyOf).join()) {
    const missing = ours.map(keyOf).filter((key) => !theirs.some((row) => keyOf(row) === key));
    const extra = theirs.map(keyOf).filter((key) => !ours.some((row) => keyOf(row) === key));
    return [`${path}: lacks ${missing.join(" ")}; has ${extra.join(" ")} (${theirs.length} rows)`];
  }
  return differences(theirs, ours, path);
}

/** Compares present rows in order, then removed ones in any order. */
export function presentFirst(actual: readonly Row[], expected: readonly Row[], keys: readonly string[], path: string) {
  const present = (rows: readonly Row[]) => rows.filter((row) => row["removed"] !== true);
  const orderOf = (rows: readonly Row[]) => rows.map((row) => keys.map((key) => row[key]));
  return [
    ...differences(orderOf(actual.slice(0, present(actual).length)), orderOf(present(expected)), `${path} in order`),
    ...unordered(actual, expected, keys, path),
  ];
}

/** @param keys of the rows, in the order to check: largest first, or smallest first */
export function sortedBy(keys: readonly (number | string)[], direction: "asc" | "desc", path: string): string[] {
  const isOut = (key: number | string, index: number) => {
    const before = keys[index - 1];
    if (before === undefined || before === key) return false;
    return direction === "asc" ? before > key : before < key;
  };
  return keys.some(isOut) ? [`${path}: not sorted ${direction}: ${show(keys)}`] : [];
}
