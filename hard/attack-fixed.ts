import { setTimeout as pause } from "node:timers/promises";
import { allMs, type Cost, costBetween, readCost } from "./attack-cost.ts";
import { eventsRequest, nextAddress, type Reply, type Request, Sender, type Tally, visitTo } from "./attack-send.ts";
import type { Ground } from "./attack-world.ts";

/**
 * Relates the cost of requests to the minimal cost of a request: for accepted ones, that of one event that opens a
 * session; for refused ones, the most expensive of some that contain next to nothing.
 */

export interface FixedCost {
  /** ms of an accepted request, and of a refused one */
  processorMs: number;
  refusedMs: number;
  /** for an accepted request */
  storedBytes: number;
}

/** Totals from which the cost per byte beyond the fixed cost is computed. */
export interface Beyond {
  requests: number;
  /** number of the requests that were answered 2xx or 3xx */
  taken: number;
  bytes: number;
  processorMs: number;
  storedBytes: number;
}

/**
 * A request counts as at least this many bytes. Routes' costs before they read a body differ by some tens of
 * microseconds; divided by the sixty bytes of a small request, that would say nothing about the cost of its bytes.
 */
const leastBytes = 512;

export const processorNsBeyond = ({ requests, taken, bytes, processorMs }: Beyond, fixed: FixedCost): number =>
  ((processorMs - fixed.processorMs * taken - fixed.refusedMs * (requests - taken)) * 1e6) /
  Math.max(1, bytes, leastBytes * requests);

export const storedBeyond = ({ taken, bytes, storedBytes }: Beyond, fixed: FixedCost): number =>
  (storedBytes - fixed.storedBytes * taken) / Math.max(1, bytes);

export const beyond = ({ tally, cost, processorMs }: Spent): Beyond => ({
  ...{ requests: tally.requests, taken: takenOf(tally), bytes: tally.sent },
  ...{ processorMs, storedBytes: cost.databaseBytes },
});

const takenOf = ({ statuses }: Tally): number =>
  [...statuses].reduce((sum, [status, times]) => sum + (status < 400 ? times : 0), 0);

/** Processor time in ms used per ms while nobody attacks. */
export async function idleRate(ground: Ground, ms: number): Promise<number> {
  const before = await readCost(ground);
  const from = performance.now();
  await pause(ms);
  return allMs(costBetween(before, await readCost(ground))) / (performance.now() - from);
}

export interface Spent {
  tally: Tally;
  cost: Cost;
  /** without the idle rate */
  processorMs: number;
}

export interface Sending {
  /** null: no more requests */
  next: () => Request | null;
  connections: number;
  /** by default, an address that has sent nothing yet */
  from?: string;
  ms: number;
  /** idle processor time in ms per ms */
  idle: number;
  answered?: (reply: Reply) => void;
}

/** Sends for this long; returns the cost. */
export function spend(ground: Ground, { next, connections, ms, idle, ...given }: Sending): Promise<Spent> {
  const requests = function* (): Generator<Request> {
    for (let request = next(); request !== null; request = next()) yield request;
  };
  return priced(ground, idle, async () => {
    const sender = new Sender(ground.url, { connections, from: given.from ?? nextAddress() });
    await sender.sendOn(requests(), connections, performance.now() + ms, given.answered);
    await sender.close();
    return sender.take();
  });
}

/** The cost of sending. @param idle idle processor time in ms per ms */
export async function priced(ground: Ground, idle: number, send: () => Promise<Tally>): Promise<Spent> {
  const before = await readCost(ground);
  const begun = performance.now();
  const tally = await send();
  // includes the effects of the last requests
  await pause(60);
  const cost = costBetween(before, await readCost(ground));
  return { tally, cost, processorMs: allMs(cost) - idle * (performance.now() - begun) };
}

/**
 * Cheap refusals of different kinds: an unknown path, a body that is awaited and read, an unknown shop, a wrong
 * signature. The most expensive of these is the fixed cost of a refused request, however little it contains.
 */
function leastRefused({ victim }: Ground): readonly Request[] {
  const message = (domain: string): Request => ({
    ...{ method: "POST", path: "/commerce/v1/shopify/webhooks", body: "{}" },
    headers: {
      ...{ "x-shopify-topic": "orders/create", "x-shopify-shop-domain": domain, "x-shopify-webhook-id": "1" },
      "x-shopify-hmac-sha256": `${"A".repeat(43)}=`,
    },
  });
  return [
    { method: "GET", path: "/x" },
    { method: "POST", path: "/storefront/v1/events", body: "{" },
    message("nobody.myshopify.com"),
    message(victim.domain),
  ];
}

export async function fixedCost(ground: Ground, idle: number, ms: number): Promise<FixedCost> {
  const open = () => {
    const visit = visitTo(ground, ground.victim.quizzes.short);
    return eventsRequest(visit, [visit.opened()]);
  };
  const taken = await spend(ground, { next: open, connections: 4, ms, idle });
  const each = ({ processorMs, tally }: Spent) => Math.max(0, processorMs) / Math.max(1, tally.requests);
  const refusedMs: number[] = [];
  for (const request of leastRefused(ground)) {
    refusedMs.push(each(await spend(ground, { next: () => request, connections: 4, ms: ms / 3, idle })));
  }
  const storedBytes = taken.cost.databaseBytes / Math.max(1, taken.tally.requests);
  return { processorMs: each(taken), refusedMs: Math.max(...refusedMs), storedBytes };
}
