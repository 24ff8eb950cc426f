import { fork } from "node:child_process";
import { once } from "node:events";
import { composeApi, nothingServed } from "../server/main/compose.ts";
import type { Database } from "../server/platform/database/database.ts";
import { sql } from "../server/platform/database/sql.ts";
import type { QueueLimits } from "../server/storefront/group-queue.ts";
import { workersOf } from "../testkit/nodes.ts";
import { type OwnApi, openOwnApi } from "../testkit/own-api.ts";
import { seedStores } from "../testkit/seeded/stores.ts";
import { processorTimeOf, serversOf } from "./database-time.ts";
import { type LoadPlan, type LoadResult, type Target, targetOf } from "./events-load.ts";

/**
 * Measures how many shopper events per second are committed, over HTTP, in requests of five: for one store and over
 * 200, grouped and, as the baseline in the same run, with one transaction per request. Also compares the cost of an
 * event in a session of 100 and in one of 10.
 *
 *   node bench/events.ts [seconds a phase, 5]
 *
 * On an embedded PostgreSQL, commits are durable; on the server at TEST_DATABASE_URL that depends on the server. With
 * TEST_CITUS_WORKERS it is a cluster's coordinator, over whose workers the tables are distributed.
 */

const seconds = Math.min(10, Number(process.argv[2] ?? 5));
const manyStores = 200;

async function durability(database: Database): Promise<string> {
  const row = await database
    .reader()
    .first<{ fsync: string; version: string }>(
      sql`SELECT current_setting('fsync') AS fsync, current_setting('server_version') AS version`,
    );
  const workers = workersOf().length;
  const cluster = workers === 0 ? "" : `, a coordinator and ${workers} workers`;
  return `PostgreSQL ${row?.version}${cluster}, fsync ${row?.fsync}`;
}

let phases = 0;

interface Measured extends LoadResult {
  /** processor time of this process, in us: unlike the rate, it does not depend on other load */
  processor: number;
}

async function measure(
  label: string,
  { opened, database }: OwnApi,
  { targets, connections, requestsASession }: Pick<LoadPlan, "targets" | "connections" | "requestsASession">,
  limits: Partial<QueueLimits> = {},
): Promise<Measured> {
  // all requests come from one address, which stands for as many as there are shops
  const unbounded = { capacity: 1e9, leakPerSecond: 1e9 };
  const storefrontLimits = { address: unbounded, network: unbounded, store: unbounded };
  const intakeLimits = { ...limits, senderBytes: 1e9, groupSenderEvents: 1e9, groupSenderBytes: 1e9 };
  const { app } = composeApi({ ...opened, ...nothingServed, intakeLimits, storefrontLimits });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const address = app.server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const length = requestsASession === undefined ? {} : { requestsASession };
  const plan: LoadPlan = { port, targets, connections, milliseconds: seconds * 1000, phase: ++phases, ...length };
  const servers = await serversOf(database.connection, workersOf());
  const usedBefore = servers.map(processorTimeOf);
  const before = process.cpuUsage();
  const result = await loadFrom(plan);
  const { user, system } = process.cpuUsage(before);
  const used = servers.map((pid, index) => processorTimeOf(pid) - (usedBefore[index] ?? 0));
  await app.close();
  const rate = Math.round(rateOf(result)).toLocaleString("en");
  const rss = Math.round(process.memoryUsage.rss() / 1024 / 1024);
  console.log(
    `${label.padEnd(44)} ${rate.padStart(7)} events/s   p50 ${result.p50.toFixed(0)} ms   p99 ${result.p99.toFixed(0)} ms   ` +
      `longest ${result.longest.toFixed(0)} ms   failed ${result.failures}   RSS ${rss} MB   ` +
      `CPU ${((user + system) / result.events).toFixed(0)} us an event, ` +
      `databases' ${used.map((us) => (us / result.events).toFixed(0)).join(" + ")} us`,
  );
  return { ...result, processor: user + system };
}

/** The load comes from a separate process, so that its work does not count as the server's. */
async function loadFrom(plan: LoadPlan): Promise<LoadResult> {
  const child = fork(new URL("./events-load.ts", import.meta.url));
  child.send(plan);
  const [result] = (await once(child, "message")) as [LoadResult];
  return result;
}

const rateOf = ({ events, milliseconds }: LoadResult): number => (events / milliseconds) * 1000;

async function measureAll(api: OwnApi): Promise<void> {
  console.log(`${await durability(api.opened.database)}; ${seconds} s a phase, requests of 5 events`);
  const plan = { sessions: 0, quizzes: 1, plan: "plus" as const, limits: {} };
  const stores = await seedStores(
    api,
    Array.from({ length: manyStores }, () => plan),
  );
  const [one, ...more] = stores.map(targetOf);
  if (one === undefined) throw new Error("no store was made");
  const alone: Partial<QueueLimits> = { groupRequests: 1, inFlightOfStore: 4 };
  const ofOne = { targets: [one], connections: 128 };
  const ofMany = { targets: [one, ...more], connections: 512 };
  await measure("warm-up, one store", api, { targets: [one], connections: 64 });
  const grouped = await measure("one store, grouped, 128 connections", api, ofOne);
  const single = await measure("one store, a transaction a request", api, ofOne, alone);
  // the first requests of a store read its key, its limits and its quiz
  await measure(`warm-up, ${manyStores} stores`, api, ofMany);
  const groupedMany = await measure(`${manyStores} stores, grouped, 512 connections`, api, ofMany);
  const singleMany = await measure(`${manyStores} stores, a transaction a request`, api, ofMany, alone);
  console.log(`one store: ${(rateOf(grouped) / rateOf(single)).toFixed(1)} times a transaction a request`);
  console.log(
    `${manyStores} stores: ${(rateOf(groupedMany) / rateOf(singleMany)).toFixed(1)} times a transaction a request`,
  );
  await compareLengths(api, ofOne);
}

/** Alternates between both, so that other load affects them equally. */
async function compareLengths(api: OwnApi, load: { targets: Target[]; connections: number }): Promise<void> {
  const [short, long]: [Measured[], Measured[]] = [[], []];
  for (let turn = 0; turn < 2; turn += 1) {
    short.push(await measure("sessions of 10 events", api, { ...load, requestsASession: 2 }));
    long.push(await measure("sessions of 100 events", api, { ...load, requestsASession: 20 }));
  }
  const costOf = (results: Measured[]) => {
    const sum = (of: (result: Measured) => number) => results.reduce((total, result) => total + of(result), 0);
    return sum(({ processor }) => processor) / sum(({ events }) => events);
  };
  const ratio = (costOf(long) / costOf(short)).toFixed(2);
  console.log(
    `an event of a session of 100: ${ratio} times the CPU of one of a session of 10 (the aim is 1.3 at most)`,
  );
}

const api = await openOwnApi();
try {
  await measureAll(api);
} finally {
  await api.close();
}
