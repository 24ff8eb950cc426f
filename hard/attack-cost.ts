import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Ground } from "./attack-world.ts";

/**
 * Measures the cost of an attack: processor time of the program and of PostgreSQL, bytes in the database, and
 * memory.
 */

export interface Cost {
  serveMs: number;
  workMs: number;
  postgresMs: number;
  databaseBytes: number;
}

const tickMs = 10;

/** Fields of /proc/PID/stat from the third on; empty if the process is gone. */
async function statOf(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

const processorMs = (stat: readonly string[]): number => (Number(stat[11] ?? 0) + Number(stat[12] ?? 0)) * tickMs;
const reapedMs = (stat: readonly string[]): number => (Number(stat[13] ?? 0) + Number(stat[14] ?? 0)) * tickMs;

/** Processor time of the server's processes, including those that have ended. */
async function postgresMs(postmaster: number): Promise<number> {
  const own = await statOf(postmaster);
  let sum = processorMs(own) + reapedMs(own);
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await statOf(Number(name));
    if (Number(stat[1]) === postmaster) sum += processorMs(stat);
  }
  return sum;
}

/** Bytes in use: a replaced version of a row no longer counts once its space can be reused. */
const keptSql = `
  SELECT pg_database_size(current_database()) - coalesce((
    SELECT sum(free.avail) FROM pg_class c, pg_freespace(c.oid::regclass) AS free WHERE c.relkind IN ('r', 't')), 0) AS kept`;

/** PostgreSQL's processor time for these measurements, which must not count as a cost. */
const lookingMs = new WeakMap<Ground, number>();

async function keptBytes(ground: Ground): Promise<number> {
  const before = await postgresMs(ground.postmaster);
  await ground.client.query("CREATE EXTENSION IF NOT EXISTS pg_freespacemap");
  await ground.client.query("VACUUM");
  const { rows } = await ground.client.query<{ kept: string }>(keptSql);
  const spent = (await postgresMs(ground.postmaster)) - before;
  lookingMs.set(ground, (lookingMs.get(ground) ?? 0) + spent);
  return Number(rows[0]?.kept ?? 0);
}

export async function readCost(ground: Ground): Promise<Cost> {
  const databaseBytes = await keptBytes(ground);
  return {
    serveMs: processorMs(await statOf(ground.serve.pid)),
    workMs: processorMs(await statOf(ground.work.pid)),
    postgresMs: (await postgresMs(ground.postmaster)) - (lookingMs.get(ground) ?? 0),
    databaseBytes,
  };
}

export const costBetween = (before: Cost, after: Cost): Cost => ({
  serveMs: after.serveMs - before.serveMs,
  workMs: after.workMs - before.workMs,
  postgresMs: after.postgresMs - before.postgresMs,
  databaseBytes: after.databaseBytes - before.databaseBytes,
});

export const allMs = ({ serveMs, workMs, postgresMs: postgres }: Cost): number => serveMs + workMs + postgres;

export const costLine = (cost: Cost): string =>
  `processor ${(allMs(cost) / 1_000).toFixed(1)} s (serve ${(cost.serveMs / 1_000).toFixed(1)}, ` +
  `work ${(cost.workMs / 1_000).toFixed(1)}, PostgreSQL ${(cost.postgresMs / 1_000).toFixed(1)}), ` +
  `${(cost.databaseBytes / 1e6).toFixed(1)} MB stored`;

/** Due work that has not been done. Each number becomes 0 some time after an attack has stopped. */
export interface Leftovers {
  sessions: number;
  events: number;
  deliveries: number;
  exports: number;
}

const leftoversSql = `
  SELECT (SELECT count(*) FROM sessions WHERE store_id = $1 AND due_at IS NOT NULL)::integer AS sessions,
    (SELECT count(*) FROM outbox WHERE due_at IS NOT NULL)::integer AS events,
    (SELECT count(*) FROM webhook_deliveries WHERE status IN ('pending', 'delivering'))::integer AS deliveries,
    (SELECT count(*) FROM exports WHERE status IN ('pending', 'running'))::integer AS exports`;

export async function leftovers({ client, victim }: Ground): Promise<Leftovers> {
  const { rows } = await client.query<Leftovers>(leftoversSql, [victim.uuid]);
  return rows[0] ?? { sessions: 0, events: 0, deliveries: 0, exports: 0 };
}

/** Waits until no due work is left; returns what is left after the time limit. */
export async function drained(ground: Ground, seconds: number): Promise<Leftovers & { seconds: number }> {
  const from = performance.now();
  for (;;) {
    const left = await leftovers(ground);
    const sum = left.sessions + left.events + left.deliveries + left.exports;
    const waited = (performance.now() - from) / 1_000;
    if (sum === 0 || waited > seconds) return { ...left, seconds: waited };
    await pause(500);
  }
}
