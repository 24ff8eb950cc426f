import type { SenderLimits } from "../platform/limiter/senders.ts";

/**
 * Limits for one address without a session [dashboard-api.limits]: signing in, links, and requests refused for lack of
 * a session. An office of a hundred people behind one address signs in at eight.
 */
export const dashboardLimits: SenderLimits = {
  address: { capacity: 600, leakPerSecond: 10 },
  network: { capacity: 1_800, leakPerSecond: 30 },
  store: { capacity: 6_000, leakPerSecond: 100 },
};
