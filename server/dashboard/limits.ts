import type { SenderLimits } from "../platform/limiter/senders.ts";

/**
 * What one address may ask of the dashboard without being signed in [dashboard-api.limits]: signing in, links, and requests
 * that are refused for want of a session. An office of a hundred people behind one address signs in at eight.
 */
export const dashboardLimits: SenderLimits = {
  address: { capacity: 600, leakPerSecond: 10 },
  network: { capacity: 1_800, leakPerSecond: 30 },
  store: { capacity: 6_000, leakPerSecond: 100 },
};
