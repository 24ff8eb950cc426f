import { setTimeout as pause } from "node:timers/promises";
import { allMs, type Cost, costBetween, readCost } from "./attack-cost.ts";
import { eventsRequest, nextAddress, type Reply, type Request, Sender, type Tally, visitTo } from "./attack-send.ts";
import type { Ground } from "./attack-world.ts";

/**
 * What requests cost, held against the least that a request can cost: of those that are taken, one event that opens a
 * session; of those that are refused, the dearest of some that hold next to nothing.
 */

export interface FixedCost {
  /** ms of a request that is taken, and of one that is not */
  processorMs: number;
  refusedMs: number;
  /** of a request that is taken */
  storedBytes: number;
}

export const noCost: FixedCost = { processorMs: 0, refusedMs: 0, storedBytes: 0 };

/** The larger of two measurements: what other programs did meanwhile is in neither bound. */
export const largerOf = (one: FixedCost, other: FixedCost): FixedCost => ({
  processorMs: Math.max(one.processorMs, other.processorMs),
  refusedMs: Math.max(one.refusedMs, other.refusedMs),
  storedBytes: Math.max(one.storedBytes, other.storedBytes),
});

/** What a number of requests costs beyond that, for each of their bytes. */
export interface Beyond {
  requests: number;
  /** of the requests, those that were answered 2xx or 3xx */
  taken: number;
  bytes: number;
  processorMs: number;
  storedBytes: number;
}

/**
 * A request counts as this many bytes at least. What routes cost before they look at a body differs by some tens of
 * microseconds, which by the byte of a request of sixty bytes would say nothing of what is done with its bytes.
 */
export const leastBytes = 512;

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

/** Processor ms a ms that go on while nobody attacks. */
export async function idleRate(ground: Ground, ms: number): Promise<number> {
  const before = await readCost(ground);
  const from = performance.now();
  await pause(ms);
  return allMs(costBetween(before, await readCost(ground))) / (performance.now() - from);
}

export interface Spent {
  tally: Tally;
  cost: Cost;
  /** without what goes on anyway */
  processorMs: number;
}

export interface Sending {
  /** null: that was all */
  next: () => Request | null;
  connections: number;
  /** of an address that has sent nothing yet unless one is named */
  from?: string;
  ms: number;
  /** processor ms a ms that go on anyway */
  idle: number;
  answered?: (reply: Reply) => void;
}

/** Sends for so long, and gives what it cost. */
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

/** What sending costs. @param idle processor ms a ms that go on anyway */
export async function priced(ground: Ground, idle: number, send: () => Promise<Tally>): Promise<Spent> {
  const before = await readCost(ground);
  const begun = performance.now();
  const tally = await send();
  // what the last ones caused
  await pause(60);
  const cost = costBetween(before, await readCost(ground));
  return { tally, cost, processorMs: allMs(cost) - idle * (performance.now() - begun) };
}

/**
 * What is refused costs least in different ways: nothing is there, a body is awaited and read, a shop is looked for that is
 * none, a signature is wrong. The dearest of these is what a refused request costs, however little is in it.
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
