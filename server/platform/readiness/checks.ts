import { constants } from "node:fs";
import { access } from "node:fs/promises";
import type { Database } from "../database/database.ts";
import type { ClusterNodes } from "../database/nodes.ts";
import { sql } from "../database/sql.ts";
import type { Check } from "./readiness.ts";

/**
 * The database responds, and this program can work with its schema: as new as the program knows, or newer and still
 * compatible, as during an upgrade.
 *
 * @param database a separate pool, because a pool that is all in use says nothing about the server
 * @param known number of the program's newest migration
 */
export const checkDatabase =
  (database: Database, known: number): Check =>
  async () => {
    const query = sql<{
      number: number | null;
      needs: number | null;
    }>`SELECT max(number) AS number, max(oldest_program) AS needs FROM schema_migrations`;
    const { number, needs } = (await database.reader().first(query)) ?? { number: null, needs: null };
    const at = `at migration ${number ?? "none"}, this program knows ${known}`;
    if ((number ?? 0) < known) return { status: "failed", detail: `${at}; run quizstore migrate` };
    if ((needs ?? 0) > known) return { status: "failed", detail: `${at} and is too old for it` };
    return { status: "ok", detail: at };
  };

/**
 * Every node of a cluster responds. If one does not, its stores are unavailable from every process alike, so that
 * sending requests elsewhere would not help.
 */
export const checkNodes =
  (nodes: Pick<ClusterNodes, "states">): Check =>
  async () => {
    // the check of the database reports a coordinator that is away
    const states = await nodes.states().catch(() => []);
    if (states.length === 0) return null;
    const away = states.filter(({ answers }) => !answers).length;
    if (away === 0) return { status: "ok", detail: `${states.length} of ${states.length} answer` };
    const detail = `${states.length - away} of ${states.length} answer; the stores of the others are away`;
    return { status: "degraded", detail };
  };

/** The folder with this process's columnar copies can be read and written. */
export const checkCopies =
  (folder: string): Check =>
  async () => {
    try {
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
      return { status: "ok", detail: "the folder of copies can be written" };
    } catch {
      return { status: "failed", detail: "the folder of copies cannot be written" };
    }
  };

/**
 * Without Redis, or with one that refuses what limits need, reads continue without limits and writes are refused
 * [api.limiter-away]: every process is in the same state, so that sending requests elsewhere would not help.
 */
export const checkCache =
  (state: () => Promise<CacheState>): Check =>
  async () => {
    const found = await state();
    if (found === "in memory") return { status: "ok", detail: "in memory" };
    if (found === "works") return { status: "ok", detail: "Redis is connected" };
    const what = found === "away" ? "Redis cannot be reached" : `Redis answers, but cannot limit (${found.code})`;
    return {
      status: "degraded",
      detail: `${what}; writes are refused until ${found === "away" ? "it is back" : "it can"}`,
    };
  };

/** `code`: the beginning of Redis' reason for refusing, such as OOM. */
export type CacheState = "in memory" | "works" | "away" | { code: string };
