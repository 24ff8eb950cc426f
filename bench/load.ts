import { parseArgs } from "node:util";
import pg from "pg";
import { Closers } from "../server/main/closers.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { ownMemory } from "../testkit/real-processes.ts";
import { seedDatabase, zipfSizes } from "../testkit/seeded/stores.ts";
import type { RunReport } from "./load-generator.ts";
import { describeLag } from "./load-lag.ts";
import { type LoadTarget, mix } from "./load-mix.ts";
import { Clients, newSecretKey, startProgram, startReceiver, subscribe } from "./load-programs.ts";
import { compareCounts, drain, isRight } from "./load-truth.ts";
import { MemoryWatch, postgresMemory } from "./load-watch.ts";
import { printRow, roomy } from "./support.ts";

/**
 * Measures the whole program (`quizstore serve`, `quizstore work`, PostgreSQL) under a mix of all requests at a fixed
 * rate: 200 stores with a million sessions, the largest with a sixth of them. Requests are sent when they are due, not
 * after other answers, and timed from then. Targets: no errors except the 429s of stores that are overloaded on
 * purpose, p99 of reads below 150 ms, memory growing by less than 10 % between the sixth minute and the end, and
 * everything acknowledged is in the database.
 *
 *   node bench/load.ts [minutes, 10] [requests a second, 200] [--stores 200] [--sessions 1000000] [--find-rate]
 *
 * `--find-rate` begins with the given rate and raises it step by step until a target is missed. The database is the
 * embedded one, or a new one on the server at TEST_DATABASE_URL. Exit status 1 after errors, or if counts differ.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    stores: { type: "string", default: "200" },
    sessions: { type: "string", default: "1000000" },
    "find-rate": { type: "boolean", default: false },
  },
});
const minutes = Number(positionals[0] ?? 10);
const rate = Number(positionals[1] ?? 200);

const readsTargetMs = 150;
const growthTargetPercent = 10;
const warmUpMs = 5_000;
const stepMs = 15_000;
const stepFactor = 1.3;

const ms = (milliseconds: number): string => `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
const seconds = (begun: number): string => `${((performance.now() - begun) / 1_000).toFixed(1)} s`;

const closers = new Closers();

// an interrupted run must leave neither processes nor a gigabyte of files behind
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void closers.close().finally(() => process.exit(130)));
}

/** Every fourth has an endpoint; the three smallest have their plan's limits, and get requests beyond them. */
async function makeTargets(connection: pg.ClientConfig, secretKey: string): Promise<LoadTarget[]> {
  const begun = performance.now();
  const sizes = zipfSizes(Number(values.stores), Number(values.sessions));
  const hammered = (index: number) => index >= sizes.length - 3;
  const limits = { ...roomy, webhook_sends_per_second: 1_000 };
  const plans = sizes.map((sessions, index) => ({
    sessions,
    quizzes: 2,
    plan: index % 2 === 0 && !hammered(index) ? ("enterprise" as const) : ("plus" as const),
    limits: hammered(index) ? {} : limits,
  }));
  const stores = await seedDatabase(connection, secretKey, plans);
  const total = stores.reduce((sum, store) => sum + store.sessions, 0);
  console.log(
    `${stores.length} stores, ${total.toLocaleString("en")} sessions (largest ${stores[0]?.sessions.toLocaleString("en")}, smallest ${stores.at(-1)?.sessions.toLocaleString("en")}) written in ${seconds(begun)}`,
  );
  return stores.map((store, index) => {
    const open = !hammered(index);
    return { ...store, subscribed: index % 4 === 0 && open, hammered: !open, exported: open };
  });
}

function printMix(): void {
  const sum = mix.reduce((total, { weight }) => total + weight, 0);
  const shares = mix.map(({ name, weight }) => `${name} ${((weight / sum) * 100).toFixed(weight < 1 ? 2 : 1)}`);
  console.log(`mix in %: ${shares.join(", ")}`);
}

function printRun(run: RunReport): void {
  printRow("", "requests", "errors", "p50", "p95", "p99", "max");
  const kinds = run.kinds.toSorted((a, b) => a.group.localeCompare(b.group) || a.kind.localeCompare(b.kind));
  const byStatus = new Map<string, number>();
  for (const { kind, requests, errors, refused, p50, p95, p99, longest } of kinds) {
    let wrong = 0;
    for (const [what, count] of Object.entries(errors)) {
      wrong += count;
      byStatus.set(what, (byStatus.get(what) ?? 0) + count);
    }
    const shown = refused > 0 ? `${wrong} (429 ${refused})` : wrong;
    printRow(kind, requests, shown, ms(p50), ms(p95), ms(p99), ms(longest));
  }
  const all = Array.from(byStatus, ([what, count]) => `${what} ${count}`);
  if (all.length > 0) console.log(`errors by status: ${all.join(", ")}`);
  const { reads, sentLate, factsAge } = run;
  printRow("all reads", reads.requests, "", ms(reads.p50), ms(reads.p95), ms(reads.p99), ms(reads.longest));
  console.log(
    `analytics answers are as of p50 ${ms(factsAge.p50)}, p95 ${ms(factsAge.p95)} before; requests left late by p99 ${ms(sentLate.p99)}, max ${ms(sentLate.longest)}`,
  );
}

const missed = ({ errors, reads }: RunReport): string | null =>
  errors > 0 ? `${errors} errors` : reads.p99 > readsTargetMs ? `p99 of reads ${ms(reads.p99)}` : null;

/** A step that misses a target is repeated once, since a machine's speed varies. */
async function findRate(clients: Clients): Promise<void> {
  let held = 0;
  let tries = 0;
  for (let next = rate; tries < 2; ) {
    const run = await clients.run({ requestsPerSecond: next, milliseconds: stepMs, warmUpMs: stepMs / 5 });
    const why = missed(run);
    const { reads, answeredPerSecond, sentLate } = run;
    console.log(
      `${next}/s: ${why ?? "holds"}; reads p50 ${ms(reads.p50)}, p99 ${ms(reads.p99)}; ${Math.round(answeredPerSecond)}/s answered; sent late by p99 ${ms(sentLate.p99)}`,
    );
    if (why === null) {
      held = next;
      next = Math.round(next * stepFactor);
      tries = 0;
    } else tries += 1;
  }
  console.log(held === 0 ? `less than ${rate} requests/s hold` : `${held} requests/s hold`);
}

/** Whether anything was wrong. */
async function checkTruth(
  client: pg.Client,
  targets: readonly LoadTarget[],
  clients: Clients,
  receiver: Awaited<ReturnType<typeof startReceiver>>,
): Promise<boolean> {
  const left = await drain(client);
  const received = await receiver.report();
  const { started, finished, repeated } = received;
  const subscribed = targets.filter((target) => target.subscribed).map(({ id }) => id);
  const counts = await compareCounts(client, subscribed, await clients.totals(), received);
  for (const count of counts) {
    const { what, expected, most, found } = count;
    const unanswered = most > expected ? `(${most.toLocaleString("en")} sent)` : "";
    printRow(
      what,
      expected,
      found,
      isRight(count) ? (unanswered === "" ? "equal" : "possible") : "DIFFERENT",
      unanswered,
    );
  }
  console.log(
    `webhooks: first answer due to receipt p50 ${ms(started.p50)}, p95 ${ms(started.p95)}, max ${ms(started.longest)}; finished sessions after their minute p95 ${ms(finished.p95)}; ${repeated} sent again`,
  );
  const waiting = left.events + left.deliveries + left.exports;
  if (waiting > 0) console.log(`still waiting: ${JSON.stringify(left)}`);
  return waiting > 0 || !counts.every(isRight);
}

async function runSteadily(clients: Clients, watch: MemoryWatch): Promise<boolean> {
  const run = await clients.run({ requestsPerSecond: rate, milliseconds: minutes * 60_000, warmUpMs });
  const grown = watch.stop();
  printRun(run);
  for (const { name, early, late, percent } of grown) {
    const over = (name === "serve" || name === "work") && percent >= growthTargetPercent;
    const sizes = `${Math.round(early)} MB, then ${Math.round(late)} MB: ${percent.toFixed(1)} %`;
    console.log(`memory of ${name}: ${sizes}${over ? ` (target: below ${growthTargetPercent} %)` : ""}`);
  }
  const { p99 } = run.reads;
  console.log(
    `p99 of reads ${ms(p99)} (target: below ${readsTargetMs} ms), ${run.errors} errors at ${rate} requests/s`,
  );
  return run.errors > 0;
}

async function main(): Promise<boolean> {
  const secretKey = newSecretKey();
  const database = await openOwnDatabase();
  closers.add(() => database.close());
  const targets = await makeTargets(database.connection, secretKey);
  const client = new pg.Client(database.connection);
  client.on("error", () => undefined);
  await client.connect();
  closers.add(() => client.end());
  const receiver = await startReceiver();
  closers.add(() => receiver.stop());
  const program = await startProgram(database.connection, secretKey, receiver.host);
  closers.add(() => program.stop());
  await subscribe(program.origin, receiver.host, targets);
  let watch: MemoryWatch | undefined;
  const clients = new Clients(({ minute, reads, errors }) => {
    console.log(`minute ${minute}: reads p99 ${ms(reads.p99)}, ${errors} errors; ${watch?.line() ?? ""}`);
  });
  closers.add(() => clients.stop());
  const loadedMs = await clients.prepare({ origin: program.origin, targets });
  console.log(
    `serve and work ready after ${ms(program.readyMs)}; every store's copy made, and asked once, in ${(loadedMs / 1_000).toFixed(1)} s`,
  );
  printMix();
  watch = new MemoryWatch([
    { name: "serve", memory: () => program.serve.memory() },
    { name: "work", memory: () => program.work.memory() },
    { name: "PostgreSQL", memory: await postgresMemory(client) },
    { name: "clients", memory: () => ownMemory(clients.pid) },
  ]);
  closers.add(() => void watch?.stop());
  const failed = values["find-rate"] ? await findRate(clients).then(() => false) : await runSteadily(clients, watch);
  for (const line of await describeLag(program.metricsUrl)) console.log(line);
  const wrong = await checkTruth(client, targets, clients, receiver);
  const lines = program.errorLines();
  if (lines.length > 0) console.log(`${lines.length} errors logged, the first: ${lines[0]}`);
  return failed || wrong;
}

try {
  if (await main()) process.exitCode = 1;
} finally {
  await closers.close();
}
