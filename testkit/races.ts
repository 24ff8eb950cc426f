import { setTimeout } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import pg from "pg";
import { inject } from "vitest";
import type { Database } from "../server/platform/database/database.ts";
import { requester, type TestApp } from "./app.ts";
import { readEachNode } from "./nodes.ts";

/**
 * An app in which something happens between a request's admission and its first transaction; and the whole database,
 * compared and restored.
 */

/** Ends a transaction of which nothing may stay. */
class Undone extends Error {}

export interface RacingApp {
  app: FastifyInstance;
  request: TestApp["request"];
  /** Runs once: after the next request is admitted, and before its transaction begins. */
  meanwhile(work: () => Promise<unknown>): void;
  /** Whether what was given to `meanwhile` has run. */
  hasRun(): boolean;
  /** Sends a request whose transactions are rolled back behind its work, and returns its answer. */
  tried(send: () => ReturnType<TestApp["request"]>): ReturnType<TestApp["request"]>;
}

export function racingApp(t: TestApp): RacingApp {
  let next: (() => Promise<unknown>) | null = null;
  let undoing = false;
  const transaction: Database["transaction"] = async (work, deadline) => {
    const now = next;
    next = null;
    await now?.();
    if (!undoing) return t.database.transaction(work, deadline);
    const made: Awaited<ReturnType<typeof work>>[] = [];
    try {
      await t.database.transaction(async (tx) => {
        made.push(await work(tx));
        throw new Undone();
      }, deadline);
    } catch (error) {
      if (!(error instanceof Undone)) throw error;
    }
    const [result] = made;
    return result as Awaited<ReturnType<typeof work>>;
  };
  const database = new Proxy(t.database, {
    get(target, name) {
      if (name === "transaction") return transaction;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const app = t.compose({ database });
  return {
    app,
    request: requester(app),
    meanwhile: (work) => {
      next = work;
    },
    hasRun: () => next === null,
    async tried(send) {
      undoing = true;
      try {
        return await send();
      } finally {
        undoing = false;
      }
    },
  };
}

/** A digest of each table's rows, by the table's name. */
export type Rows = ReadonlyMap<string, string>;

/** Over a connection of its own: statements about every store are against the program's rules. */
export class WholeDatabase {
  readonly #client: pg.Client;
  #tables: readonly string[] = [];
  readonly #kept = new Map<string, string>();
  #before: Rows = new Map();

  constructor(connection: pg.ClientConfig) {
    this.#client = new pg.Client(connection);
  }

  /** Remembers all rows, for `restore`. */
  async keep(): Promise<void> {
    await this.#client.connect();
    const { rows } = await this.#client.query<{ name: string }>(`
      SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY c.relname`);
    this.#tables = rows.map(({ name }) => name);
    for (const name of this.#tables) {
      const text = `SELECT coalesce(jsonb_agg(to_jsonb(t)), '[]')::text AS rows FROM ${name} t`;
      const kept = await this.#client.query<{ rows: string }>(text);
      this.#kept.set(name, kept.rows[0]?.rows ?? "[]");
    }
    this.#before = await this.rows();
  }

  async rows(): Promise<Rows> {
    const digests = this.#tables.map(
      (name) => `
        SELECT '${name}' AS name, coalesce(md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))), '') AS digest
        FROM ${name} t`,
    );
    const { rows } = await this.#client.query<{ name: string; digest: string }>(digests.join(" UNION ALL "));
    return new Map(rows.map(({ name, digest }) => [name, digest]));
  }

  async restore(): Promise<void> {
    const changed = changedTables(this.#before, await this.rows());
    if (changed.length === 0) return;
    // rows are put back in any order, without foreign keys and triggers; a cluster works on a shard after the other
    await this.#client.query("BEGIN");
    await this.#client.query("SET LOCAL session_replication_role = replica");
    await this.#client.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    for (const name of changed) {
      await this.#client.query(`DELETE FROM ${name}`);
      const put = `INSERT INTO ${name} SELECT * FROM jsonb_populate_recordset(NULL::${name}, $1::jsonb)`;
      await this.#client.query(put, [this.#kept.get(name)]);
    }
    await this.#client.query("COMMIT");
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

export const changedTables = (before: Rows, after: Rows): string[] =>
  [...after].filter(([name, digest]) => before.get(name) !== digest).map(([name]) => name);

/** Resolves once a statement of the app waits for a lock that the test holds, on whichever node of a cluster. */
export async function waitsForLock({ connection }: Pick<TestApp, "connection">): Promise<void> {
  const waiting = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1`;
  while ((await readEachNode(connection, inject("workers"), waiting)).length === 0) await setTimeout(5);
}
