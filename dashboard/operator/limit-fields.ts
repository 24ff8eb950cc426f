import type { OperatedStore } from "../api/generated.ts";

/** The limits that a store can have of its own instead of its plan's. Pure. */

export const limitFields: readonly { name: string; label: string }[] = [
  { name: "credits_limit", label: "Credits in a month" },
  { name: "capacity", label: "API at once, in units" },
  { name: "leak_per_second", label: "API sustained, in units a second" },
  { name: "webhook_endpoints", label: "Webhook endpoints" },
  { name: "webhook_sends_per_second", label: "Webhook sends a second" },
  { name: "order_window_days", label: "Days in which an order counts for a quiz" },
];

/** null: the plan's limit. */
export type TypedLimits = Readonly<Record<string, number | null>>;

export const typedLimits = (limits: OperatedStore["limits"]): TypedLimits =>
  Object.fromEntries(
    limitFields.map(({ name }) => {
      const value = limits[name];
      return [name, typeof value === "number" ? value : null];
    }),
  );

/** Merges the typed limits with those that have no field here and stay as they are. */
export function limitsOf(typed: TypedLimits, before: OperatedStore["limits"]): OperatedStore["limits"] {
  const names = new Set(limitFields.map(({ name }) => name));
  const otherLimits = Object.entries(before).filter(([name]) => !names.has(name));
  const own = Object.entries(typed).filter((entry): entry is [string, number] => entry[1] !== null);
  return Object.fromEntries([...otherLimits, ...own]);
}
