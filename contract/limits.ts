/** The limits of each plan class [api.rate-limits, api.plans]. */

export const planClasses = ["plus", "enterprise"] as const;
export type PlanClass = (typeof planClasses)[number];
/** `other` is a paused plan: no API access, but shopper events are still accepted. */
export const plans = [...planClasses, "other"] as const;
export type Plan = (typeof plans)[number];

export const costs = { read: 1, write: 2, analytics: 3, search: 6 } as const;
export type CostClass = keyof typeof costs;

export interface StoreLimits {
  /** burst of a key, in units */
  capacity: number;
  /** units that drain from a key's bucket per second */
  leak_per_second: number;
  /** the store's bucket is this many times the key's, in both numbers */
  bot_multiplier: number;
  analytics_soft_ttl_seconds: number;
  export_page_pause_ms: number;
  webhook_endpoints: number;
  webhook_sends_per_second: number;
}

export interface StoreAllowances extends StoreLimits {
  credits_limit: number;
  overages_enabled: boolean;
  /** days after a session's start in which an order counts as revenue of its quiz [figures.order-window] */
  order_window_days: number;
}

const plus: StoreAllowances = {
  capacity: 72,
  leak_per_second: 12,
  bot_multiplier: 3,
  analytics_soft_ttl_seconds: 60,
  export_page_pause_ms: 50,
  webhook_endpoints: 5,
  webhook_sends_per_second: 50,
  credits_limit: 10_000,
  overages_enabled: false,
  order_window_days: 30,
};

const enterprise: StoreAllowances = {
  capacity: 360,
  leak_per_second: 60,
  bot_multiplier: 6,
  analytics_soft_ttl_seconds: 15,
  export_page_pause_ms: 10,
  webhook_endpoints: 25,
  webhook_sends_per_second: 200,
  credits_limit: 100_000,
  overages_enabled: false,
  order_window_days: 30,
};

/** A paused store keeps Plus's numbers for what continues without the API (order window, credits). */
export const planAllowances: Record<Plan, StoreAllowances> = { plus, enterprise, other: plus };

/** The share of the limit at which `credits.threshold` is sent. */
export const creditsThresholdShare = 0.8;

/** A shop may have millions of orders: beyond this many, the exact number says nothing more about its connection. */
export const connectionCountsAtMost = 100_000;
