import { type Plan, planAllowances, type StoreAllowances } from "../../contract/limits.ts";
import type { Store } from "../platform/caller.ts";
import { raw, type Statement } from "../platform/database/sql.ts";
import { UsageError } from "../platform/operator-error.ts";

/** A store's row in the form that the program uses: the store's own numbers override the plan's [api.overrides]. */

export interface StoreRow {
  id: string;
  name: string;
  shop_domain: string;
  plan: string;
  currency: string;
  timezone: string;
  limits: unknown;
  test_of: string | null;
  clock_ahead_ms: number | null;
}

const columns = [
  ...["id", "name", "shop_domain", "plan", "currency", "timezone", "limits"],
  ...["test_of", "clock_ahead_ms"],
];

/** @param table its name or alias in the statement */
export const storeColumnsOf = (table: string): Statement<never> =>
  raw(columns.map((column) => `${table}.${column}`).join(", "));

export function storeOf(row: StoreRow): Store {
  const plan = row.plan as Plan;
  return {
    id: row.id,
    name: row.name,
    shopDomain: row.shop_domain,
    plan,
    currency: row.currency,
    timezone: row.timezone,
    allowances: { ...planAllowances[plan], ...(row.limits as Partial<StoreAllowances>) },
    ...(row.test_of === null ? {} : { testOf: row.test_of, clockAheadMs: row.clock_ahead_ms ?? 0 }),
  };
}

/** The purpose for which a store's commerce secret is encrypted. */
export const commerceSecretPurpose = (storeId: string) => `commerce:${storeId}`;

const bounds: Record<keyof StoreAllowances, { low: number; high: number } | "boolean"> = {
  // a bucket smaller than the most expensive call would refuse it forever
  capacity: { low: 6, high: 1_000_000 },
  leak_per_second: { low: 1, high: 1_000_000 },
  bot_multiplier: { low: 1, high: 1_000 },
  analytics_soft_ttl_seconds: { low: 0, high: 86_400 },
  export_page_pause_ms: { low: 0, high: 60_000 },
  webhook_endpoints: { low: 0, high: 1_000 },
  webhook_sends_per_second: { low: 1, high: 10_000 },
  credits_limit: { low: 0, high: 1_000_000_000 },
  overages_enabled: "boolean",
  order_window_days: { low: 1, high: 90 },
};

/** A store's overrides as an operator gives them; throws a UsageError that says what is wrong. */
export function checkLimits(value: unknown): Partial<StoreAllowances> {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new UsageError("limits must be a JSON object");
  for (const [name, limit] of Object.entries(value)) {
    const bound = Object.hasOwn(bounds, name) ? bounds[name as keyof StoreAllowances] : undefined;
    if (!bound) throw new UsageError(`${name} is not a limit; known are ${Object.keys(bounds).join(", ")}`);
    if (bound === "boolean") {
      if (typeof limit !== "boolean") throw new UsageError(`${name} must be true or false`);
    } else if (!Number.isInteger(limit) || Number(limit) < bound.low || Number(limit) > bound.high) {
      throw new UsageError(`${name} must be a whole number from ${bound.low} to ${bound.high}`);
    }
  }
  return value as Partial<StoreAllowances>;
}
