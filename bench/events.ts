import { fork } from "node:child_process";
import { once } from "node:events";
import { composeApi, nothingServed } from "../server/main/compose.ts";
import type { Database } from "../server/platform/database/database.ts";
import { sql } from "../server/platform/database/sql.ts";
import type { QueueLimits } from "../server/storefront/group-queue.ts";
import { type OwnApi, openOwnApi } from "../testkit/own-api.ts";
import { seedStores } from "../testkit/seeded/stores.ts";
import { type LoadPlan, type LoadResult, type Target, targetOf } from "./events-load.ts";

/**
 * How many shopper events a second are committed, over HTTP, in requests of five: for one store and over 200, grouped
 * and, as the baseline in the same run, with a transaction a request.
 *
 *   node bench/events.ts [seconds a phase, 5]
 *
 * On an embedded PostgreSQL its commits are durable; on the server of TEST_DATABASE_URL that depends on the server.
 */

const seconds = Math.min(10, Number(process.argv[2] ?? 5));
const manyStores = 200;

async function durability(database: Database): Promise<string> {
  const row = await database
    .reader()
    .first<{ fsync: string; version: string }>(
      sql`SELECT current_setting('fsync') AS fsync, current_setting('server_version') AS version`,
    );
  return `PostgreSQL ${row?.version}, fsync ${row?.fsync}`;
}

let phases = 0;

async function measure(
  label: string,
  { opened }: OwnApi,
  targets: Target[],
  connections: number,
  limits: Partial<QueueLimits> = {},
): Promise<LoadResult> {
  // all of it comes from one address, which stands for as many as there are shops
  const unbounded = { capacity: 1e9, leakPerSecond: 1e9 };
  const storefrontLimits = { address: unbounded, network: unbounded, store: unbounded };
  const intakeLimits = { ...limits, senderBytes: 1e9, groupSenderEvents: 1e9, groupSenderBytes: 1e9 };
  const { app } = composeApi({ ...opened, ...nothingServed, intakeLimits, storefrontLimits });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const address = app.server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const plan: LoadPlan = { port, targets, connections, milliseconds: seconds * 1000, phase: ++phases };
  const before = process.cpuUsage();
  const result = await loadFrom(plan);
  const { user, system } = process.cpuUsage(before);
  await app.close();
  const rate = Math.round(rateOf(result)).toLocaleString("en");
  const rss = Math.round(process.memoryUsage.rss() / 1024 / 1024);
  console.log(
    `${label.padEnd(44)} ${rate.padStart(7)} events/s   p50 ${result.p50.toFixed(0)} ms   p99 ${result.p99.toFixed(0)} ms   ` +
      `longest ${result.longest.toFixed(0)} ms   failed ${result.failures}   RSS ${rss} MB   ` +
      // of this process alone: other work on the machine slows the rate down, not this
      `CPU ${((user + system) / result.events).toFixed(0)} us an event`,
  );
  return result;
}

/** The load comes from a process of its own, so that its work is not counted as the server's. */
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
  const many = [one, ...more];
  const alone: Partial<QueueLimits> = { groupRequests: 1, inFlightOfStore: 4 };
  await measure("warm-up", api, [one], 64);
  const grouped = await measure("one store, grouped, 128 connections", api, [one], 128);
  const single = await measure("one store, a transaction a request", api, [one], 128, alone);
  const groupedMany = await measure(`${manyStores} stores, grouped, 512 connections`, api, many, 512);
  const singleMany = await measure(`${manyStores} stores, a transaction a request`, api, many, 512, alone);
  console.log(`one store: ${(rateOf(grouped) / rateOf(single)).toFixed(1)} times a transaction a request`);
  console.log(
    `${manyStores} stores: ${(rateOf(groupedMany) / rateOf(singleMany)).toFixed(1)} times a transaction a request`,
  );
}

const api = await openOwnApi();
try {
  await measureAll(api);
} finally {
  await api.close();
}
