import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { runSeed, type SeedResult } from "./seed.ts";
import { World } from "./world.ts";

/** A process that runs the seeds named by its parent, and reports each result. */

export interface Order {
  connection: pg.ClientConfig;
  seeds: number[];
  steps: number;
}

export type Told = { kind: "done"; result: SeedResult } | { kind: "over"; requests: number; posts: number };

const tell = (told: Told): Promise<void> =>
  new Promise((resolve, reject) => {
    process.send?.(told, (error: Error | null) => (error ? reject(error) : resolve()));
  });

process.once("message", (order: Order) => void run(order));
// without its parent, the results are useless
process.once("disconnect", () => process.exit(1));

async function run({ connection, seeds, steps }: Order): Promise<void> {
  const world = await World.open(connection, mkdtempSync(join(tmpdir(), "quizstore-simulation-")));
  for (const seed of seeds) await tell({ kind: "done", result: await runSeed(world, seed, steps) });
  await world.close();
  await tell({ kind: "over", requests: world.requests, posts: world.network.posts });
  process.exit(0);
}
