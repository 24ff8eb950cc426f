import { readdir } from "node:fs/promises";
import { type OwnApi, openOwnApi } from "../testkit/own-api.ts";
import type { SeededStore } from "../testkit/seeded/history.ts";
import { seedStores } from "../testkit/seeded/stores.ts";
import { LoadSessions } from "./load-sessions.ts";
import { ask, dayBefore, median, percentile, printRow, roomy } from "./support.ts";

/**
 * Measures many small stores that request their overview in turn, through the whole API, never from a cached answer:
 * the first request, for which the copy is created; later ones, whose file was closed in between because only 64 are
 * open; and those whose file is open. In addition, this process's processor time per request, which does not depend on
 * other load. Targets: medians below 30 ms, and a number of open files that does not grow with the stores.
 *
 *   node bench/analytics-many.ts [stores, 1000] [sessions of each, 200]
 */

const storeCount = Number(process.argv[2] ?? 1_000);
const sessionsEach = Number(process.argv[3] ?? 200);
/** fewer than the 64 files that may be open at once */
const fewStores = 50;

let mostFiles = 0;

async function countFiles(): Promise<void> {
  mostFiles = Math.max(mostFiles, (await readdir("/proc/self/fd")).length);
}

const sessions = new LoadSessions();

/** Adds a session to the store, which raises its revision. */
async function change({ api: { app } }: OwnApi, store: SeededStore): Promise<void> {
  const payload = sessions.body(sessions.open(store, false, Date.now()), 0);
  const headers = { "content-type": "application/json" };
  const answer = await app.inject({ method: "POST", url: "/storefront/v1/events", headers, payload });
  if (answer.statusCode !== 202) throw new Error(answer.body);
}

/** A range of this many days up to today: each round has its own, so that no cached answer fits. */
const askSince = (api: OwnApi, store: SeededStore, days: number, etag?: string) =>
  ask(api, store, `/v1/analytics/overview?from=${dayBefore(days)}`, etag);

const shown = (milliseconds: number): string => `${milliseconds.toFixed(1)} ms`;

async function round(
  name: string,
  stores: readonly SeededStore[],
  put: (store: SeededStore) => Promise<{ milliseconds: number }>,
): Promise<void> {
  const taken: number[] = [];
  const before = process.cpuUsage();
  for (const store of stores) {
    taken.push((await put(store)).milliseconds);
    await countFiles();
  }
  const { user, system } = process.cpuUsage(before);
  printRow(
    name,
    stores.length,
    shown(median(taken)),
    shown(percentile(taken, 0.99)),
    shown(percentile(taken, 1)),
    shown((user + system) / 1_000 / stores.length),
  );
}

async function measure(api: OwnApi, stores: readonly SeededStore[]): Promise<void> {
  const changed = (days: number) => async (store: SeededStore) => {
    await change(api, store);
    return askSince(api, store, days);
  };
  await countFiles();
  console.log(`${mostFiles} files open before the first question`);
  printRow("", "questions", "median", "p99", "longest", "processor");
  await round("first, copy made", stores, (store) => askSince(api, store, 20));
  await round("file opened again", stores, (store) => askSince(api, store, 21));
  await round("file opened again, after a change", stores, changed(22));
  const few = stores.slice(0, fewStores);
  for (const store of few) await askSince(api, store, 23);
  await round("file open", few, (store) => askSince(api, store, 24));
  await round("file open, after a change", few, changed(25));
  await round("kept answer", few, (store) => askSince(api, store, 25));
  const tags = new Map<SeededStore, string>();
  for (const store of few) tags.set(store, (await askSince(api, store, 25)).etag);
  await round("304", few, (store) => askSince(api, store, 25, tags.get(store)));
  console.log(`at most ${mostFiles} files open; RSS ${Math.round(process.memoryUsage.rss() / 1_048_576)} MB`);
}

const api = await openOwnApi();
try {
  const plans = Array.from({ length: storeCount }, () => {
    return { sessions: sessionsEach, quizzes: 1, plan: "plus" as const, limits: roomy };
  });
  await measure(api, await seedStores(api, plans));
} finally {
  await api.close();
}
