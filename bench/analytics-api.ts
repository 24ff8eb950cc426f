import { fork } from "node:child_process";
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type OwnApi, openOwnApi, untilCopied } from "../testkit/own-api.ts";
import type { SeededStore } from "../testkit/seeded/history.ts";
import { seedStores } from "../testkit/seeded/stores.ts";
import { type LoadPlan, type LoadResult, targetOf } from "./events-load.ts";
import { ask, dayBefore, median, printRow, roomy } from "./support.ts";

/**
 * Measures every analytics route through the whole API, for one store: computed, from a cached answer (target: below 3
 * ms), and 304 (below 2 ms); then for how long this process's event loop is blocked while the heaviest questions run
 * two at a time alongside shopper events, with the events alone as the baseline. The delay of a timer includes whatever
 * else uses the two cores (PostgreSQL, the clients, DuckDB); `own work` is the longest computation of this thread
 * between two turns of its loop, including garbage collection (target: at most 20 ms).
 *
 *   node bench/analytics-api.ts [sessions, 100000] [rounds, 9] [seconds of questions beside events, 10]
 */

const sessions = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 9);
const seconds = Number(process.argv[4] ?? 10);
const eventsPerSecond = 500;

const routesOf = (quiz: string): Record<string, string> => ({
  comparison: "/v1/analytics/quizzes?sort=views&dir=desc",
  overview: "/v1/analytics/overview?",
  breakdown: "/v1/analytics/breakdown?by=device",
  products: "/v1/analytics/products?",
  "quiz overview": `/v1/quizzes/${quiz}/analytics/overview?`,
  "quiz answers": `/v1/quizzes/${quiz}/analytics/answers?component_key=skin_type`,
  "quiz funnel": `/v1/quizzes/${quiz}/analytics/funnel?`,
  "quiz breakdown": `/v1/quizzes/${quiz}/analytics/breakdown?by=country`,
  "quiz paths": `/v1/quizzes/${quiz}/analytics/paths?`,
  "quiz products": `/v1/quizzes/${quiz}/analytics/products?`,
  "quiz traffic": `/v1/quizzes/${quiz}/analytics/traffic?by=referrer_host`,
});
const heaviest = ["overview", "quiz overview", "quiz paths", "quiz traffic"];

let asked = 0;

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Africa/Cairo", "Australia/Sydney"];

/** A range not requested before, covering two to three of the history's three months. */
function freshRange(): string {
  const number = asked++;
  const from = dayBefore(60 + (number % 30));
  const to = dayBefore(1 + (Math.floor(number / 180) % 20));
  return `&from=${from}&to=${to}&tz=${encodeURIComponent(zones[Math.floor(number / 30) % zones.length] ?? "UTC")}`;
}

const shown = (milliseconds: number): string => `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`;

async function measureRoutes(api: OwnApi, store: SeededStore): Promise<void> {
  printRow("", "counted anew", "kept", "304", "bytes");
  for (const [name, path] of Object.entries(routesOf(store.quizzes[0]?.quiz ?? ""))) {
    const [anew, kept, unchanged]: number[][] = [[], [], []];
    let bytes = 0;
    for (let round = 0; round <= rounds; round += 1) {
      const url = path + freshRange();
      const first = await ask(api, store, url);
      const again = await ask(api, store, url);
      const same = await ask(api, store, url, first.etag);
      bytes = first.bytes;
      // in the first round, caches are cold
      if (round === 0) continue;
      anew?.push(first.milliseconds);
      kept?.push(again.milliseconds);
      unchanged?.push(same.milliseconds);
    }
    printRow(name, ...[anew, kept, unchanged].map((taken) => shown(median(taken ?? []))), bytes);
  }
}

/**
 * Measures the most processor time in ms of this thread between two turns of its timers; call the result at the end.
 */
function watchWork(): () => number {
  let last = process.threadCpuUsage();
  let longest = 0;
  const timer = setInterval(() => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user - last.user + now.system - last.system) / 1_000);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

async function measureLoop(name: string, plan: LoadPlan, question: (() => Promise<unknown>) | null): Promise<void> {
  const load = fork(new URL("./events-load.ts", import.meta.url));
  const ended = once(load, "message");
  const delay = monitorEventLoopDelay({ resolution: 1 });
  load.send(plan);
  delay.enable();
  const worked = watchWork();
  const until = performance.now() + plan.milliseconds;
  let answered = 0;
  const keepAsking = async (): Promise<void> => {
    while (question && performance.now() < until) {
      await question();
      answered += 1;
    }
  };
  await Promise.all([keepAsking(), keepAsking()]);
  const [result] = (await ended) as [LoadResult];
  delay.disable();
  const own = worked();
  const held = (percentile: number) => shown(delay.percentile(percentile) / 1e6);
  const longest = shown(delay.max / 1e6);
  printRow(name, answered, held(50), held(99), held(99.9), longest, shown(own), shown(result.p99), result.failures);
}

async function measure(api: OwnApi, store: SeededStore): Promise<void> {
  await measureRoutes(api, store);
  const plan = {
    port: Number(new URL(api.url).port),
    targets: [targetOf(store)],
    connections: 32,
    milliseconds: seconds * 1_000,
    eventsPerSecond,
  };
  const routes = routesOf(store.quizzes[0]?.quiz ?? "");
  const urls = heaviest.map((name) => routes[name] ?? "");
  let turn = 0;
  const next = () => ask(api, store, (urls[turn++ % urls.length] ?? "") + freshRange());
  console.log(`event loop, ${eventsPerSecond} shopper events a second beside, timer of 1 ms included:`);
  printRow("", "questions", "p50", "p99", "p99.9", "longest", "own work", "events p99", "failed");
  await measureLoop("warm-up", { ...plan, phase: 1, milliseconds: Math.min(3_000, plan.milliseconds) }, next);
  await measureLoop("events alone", { ...plan, phase: 2 }, null);
  await measureLoop("events and two questions", { ...plan, phase: 3 }, next);
}

const api = await openOwnApi();
try {
  const [store] = await seedStores(api, [{ sessions, quizzes: 1, plan: "plus", limits: roomy }]);
  if (store === undefined) throw new Error("no store was made");
  await untilCopied(api, store.id);
  await measure(api, store);
} finally {
  await api.close();
}
