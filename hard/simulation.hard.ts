import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { migrate, readMigrations } from "../server/platform/database/migrate.ts";
import { openEmbedded } from "../server/platform/embedded-postgres/open-embedded.ts";
import { serverOf } from "../testkit/server-url.ts";
import type { Order, Told } from "./simulation/process.ts";
import type { SeedResult } from "./simulation/seed.ts";
import { type HardRun, type HardSuite, sized } from "./suite.ts";

/**
 * The whole program in one process, with simulated clocks and a simulated network, on a real PostgreSQL: shoppers,
 * integrators, receivers and faults, all drawn from a seed, and compared with naive models.
 */

const seedsInFull = 2_000;
const stepsOfEach = 300;
const failuresShown = 5;
const toldEvery = 250;

export const suite: HardSuite = {
  name: "simulation",
  what: "Shoppers, integrators, receivers and faults from a seed, held against models of sessions, people and analytics.",
  short: 0.025,
  run: simulate,
};

async function simulate(run: HardRun): Promise<readonly string[]> {
  const count = sized(run, seedsInFull);
  const seeds = Array.from({ length: count }, (_, index) => run.seed + index);
  const workers = Math.min(count, Math.max(1, availableParallelism()));
  const started = performance.now();
  const ground = await openGround(workers);
  const results: SeedResult[] = [];
  const totals = { requests: 0, posts: 0 };
  try {
    const shares = ground.connections.map((connection, index) => ({
      connection,
      // includes one seed of the next process, which must have the same result there
      seeds: [...seeds.filter((_, place) => place % workers === index), seeds[(index + 1) % workers] ?? run.seed],
      steps: stepsOfEach,
    }));
    await Promise.all(shares.map((order) => inProcess(order, results, totals, run.say)));
  } finally {
    await ground.close();
  }
  const seconds = (performance.now() - started) / 1_000;
  const steps = results.reduce((sum, result) => sum + result.steps, 0);
  const perSecond = Math.round(steps / seconds);
  run.say(
    `${results.length.toLocaleString("en")} seeds, ${steps.toLocaleString("en")} steps (${perSecond} a second in ${workers} processes), ${totals.requests.toLocaleString("en")} requests, ${totals.posts.toLocaleString("en")} webhooks sent`,
  );
  if (results.length === 1) run.say(`trace ${results[0]?.trace}`);
  return [...failuresOf(results), ...differencesOf(results)];
}

/** Seeds that were run twice with different results: their failures could not be reproduced. */
function differencesOf(results: readonly SeedResult[]): string[] {
  const bySeed = Map.groupBy(results, (result) => result.seed);
  return [...bySeed].flatMap(([seed, twice]) => {
    const traces = new Set(twice.map((result) => result.trace));
    return traces.size === 1 ? [] : [`seed ${seed} was run twice and came to ${[...traces].join(" and ")}`];
  });
}

const failedOf = (results: readonly SeedResult[]) => results.filter((result) => result.failures.length > 0);

function failuresOf(results: readonly SeedResult[]): string[] {
  const failed = failedOf(results).toSorted((a, b) => a.seed - b.seed);
  const shown = failed.slice(0, failuresShown).map(({ seed, failures }) => {
    const more = failures.length > 1 ? ` (and ${failures.length - 1} more)` : "";
    return `${failures[0]}${more}\n    node hard/run.ts simulation --seed ${seed} --scale ${1 / seedsInFull}`;
  });
  const rest = failed.slice(failuresShown).map(({ seed }) => seed);
  return rest.length === 0 ? shown : [...shown, `${rest.length} more seeds failed: ${rest.slice(0, 50).join(", ")}`];
}

function inProcess(
  order: Order,
  results: SeedResult[],
  totals: { requests: number; posts: number },
  say: HardRun["say"],
): Promise<void> {
  const child = fork(join(import.meta.dirname, "simulation/process.ts"), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let over = false;
  return new Promise((resolve, reject) => {
    child.on("message", (told: Told) => {
      if (told.kind === "done") {
        results.push(told.result);
        const [failure] = told.result.failures;
        // printed at once, because a run of hours may be interrupted
        if (failure !== undefined) say(`FAILED ${failure}`);
        if (results.length % toldEvery === 0) say(`${results.length} seeds, ${failedOf(results).length} failed`);
      } else {
        totals.requests += told.requests;
        totals.posts += told.posts;
        over = true;
      }
    });
    child.on("error", reject);
    child.on("exit", (code) =>
      over ? resolve() : reject(new Error(`a process of the simulation ended with ${code}`)),
    );
    child.send(order);
  });
}

interface Ground {
  /** one database for each process */
  connections: pg.ClientConfig[];
  close(): Promise<void>;
}

/** Databases on the server at TEST_DATABASE_URL, or on an embedded one without durability. */
async function openGround(count: number): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), "quizstore-hard-"));
  const url = process.env["TEST_DATABASE_URL"];
  const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
  const embedded = url
    ? null
    : await openEmbedded({ dataDir: folder, role: "command", log: () => undefined, settings });
  const server: pg.ClientConfig = url ? serverOf(url) : { ...embedded?.connection };
  const admin = new pg.Client(server);
  await admin.connect();
  const names = Array.from({ length: count }, (_, index) => `quizstore_simulation_${process.pid}_${index}`);
  const migrations = await readMigrations(join(import.meta.dirname, "../migrations"));
  for (const name of names) {
    await admin.query(`CREATE DATABASE ${name}`);
    await migrate({ ...server, database: name }, migrations);
  }
  return {
    connections: names.map((name) => ({ ...server, database: name })),
    close: async () => {
      for (const name of names) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
      await embedded?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
