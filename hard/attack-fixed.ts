import { setTimeout as pause } from "node:timers/promises";
import { allMs, type Cost, costBetween, readCost } from "./attack-cost.ts";
import { eventsRequest, nextAddress, type Reply, type Request, Sender, type Tally, visitTo } from "./attack-send.ts";
import type { Ground } from "./attack-world.ts";

/** What requests cost, held against the least honest request that makes the program work: one event that opens a session. */

export interface FixedCost {
  /** of a request */
  processorMs: number;
  storedBytes: number;
}

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
export async function spend(ground: Ground, { next, connections, ms, idle, ...given }: Sending): Promise<Spent> {
  const sender = new Sender(ground.url, { connections, from: given.from ?? nextAddress() });
  const requests = function* (): Generator<Request> {
    for (let request = next(); request !== null; request = next()) yield request;
  };
  const before = await readCost(ground);
  const begun = performance.now();
  await sender.sendOn(requests(), connections, begun + ms, given.answered);
  // what the last ones caused
  await pause(60);
  const cost = costBetween(before, await readCost(ground));
  const processorMs = allMs(cost) - idle * (performance.now() - begun);
  await sender.close();
  return { tally: sender.take(), cost, processorMs };
}

export async function fixedCost(ground: Ground, idle: number, ms: number): Promise<FixedCost> {
  const next = () => {
    const visit = visitTo(ground, ground.victim.quizzes.short);
    return eventsRequest(visit, [visit.opened()]);
  };
  const { tally, cost, processorMs } = await spend(ground, { next, connections: 4, ms, idle });
  const requests = Math.max(1, tally.requests);
  return { processorMs: Math.max(0, processorMs) / requests, storedBytes: cost.databaseBytes / requests };
}
