import type { Condition } from "./document.ts";

/** Every `component_key` that a condition asks about, repeats included. */
export function askedKeys(condition: Condition): string[] {
  if ("all" in condition) return condition.all.flatMap(askedKeys);
  if ("any" in condition) return condition.any.flatMap(askedKeys);
  if ("not" in condition) return askedKeys(condition.not);
  return [condition.component_key];
}
