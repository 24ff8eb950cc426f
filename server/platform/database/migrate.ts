import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { failedBecause, OperatorError } from "../operator-error.ts";
import { distributeNewTables, hasCitus } from "./citus.ts";
import { splitStatements } from "./split-statements.ts";

/**
 * Numbered SQL files, applied in order by one process at a time [operations.migrations]. Each runs in a transaction of
 * its own, unless its first lines say otherwise:
 *
 * `-- programs from NNNN on`: a program that does not know migration NNNN cannot work with the schema after this one.
 * Without it the schema suits every program that the schema before suited, so that old and new ones run side by side.
 *
 * `-- outside a transaction`: its statements run one by one, for indexes that are built while traffic goes on
 * [database.index-migrations]. Where the process dies between two of them, all run again.
 */
export interface Migration {
  number: number;
  name: string;
  sql: string;
  checksum: string;
  /**
   * the migration that a program must know to work with the schema after this one; 0: as before it [database.contract]
   */
  oldestProgram: number;
  transactional: boolean;
}

/** Told of what takes its time or is out of the ordinary. */
export type Say = (message: string) => void;

const fileName = /^(\d{4})_([a-z0-9_]+)\.sql$/;
/** any constant, the same in every release: processes that start together take turns */
const lockKey = 7_241_001;
const looksEveryMs = 200;
/** A table's lock that is not had in this time is asked for again: whoever queues behind the request waits as long. */
const lockTimeoutMs = 2_000;
const lockTries = 150;

const citusSettings = [
  // A shard after the other, on one connection a node. What is done to a table's shards in parallel, no later statement
  // of the transaction may follow with a table that it refers to.
  "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
  // A new table that refers to one on every node is not tied to the coordinator: it is distributed before the commit.
  "SET LOCAL citus.enable_local_reference_table_foreign_keys = off",
];

const historySql = `
  CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL);
  ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS oldest_program integer NOT NULL DEFAULT 0`;

export async function readMigrations(directory: string): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const file of (await readdir(directory)).sort()) {
    const match = fileName.exec(file);
    if (!match?.[1] || !match[2]) continue;
    const sql = await readFile(join(directory, file), "utf8");
    const checksum = createHash("sha256").update(sql).digest("hex");
    const head = /^(--.*\n)*/.exec(sql)?.[0] ?? "";
    migrations.push({
      number: Number(match[1]),
      name: match[2],
      sql,
      checksum,
      oldestProgram: Number(/^-- programs from (\d{4}) on$/m.exec(head)?.[1] ?? 0),
      transactional: !/^-- outside a transaction$/m.test(head),
    });
  }
  return migrations;
}

/**
 * Brings the database to the newest migration; returns the names of those that were applied now
 * [operations.newer-database]. A database that is ahead is accepted as it is while nothing in it needs a newer program:
 * so that a process of the release before can be started again during an upgrade, and an upgrade taken back.
 */
export async function migrate(
  connection: pg.ClientConfig,
  migrations: readonly Migration[],
  say: Say = () => undefined,
): Promise<string[]> {
  const client = new pg.Client({ ...connection, application_name: "quizstore migrate" });
  // one that dies says so to the statement under way as well
  client.on("error", () => undefined);
  await client.connect();
  try {
    // without the lock: while another process builds an index for an hour, this one can serve
    const known = await readHistory(client);
    if (known && missing(known, migrations, say).length === 0) return [];
    await lockForMigration(client, say);
    for (const statement of splitStatements(historySql)) await client.query(statement);
    const applied: string[] = [];
    for (const migration of missing((await readHistory(client)) ?? [], migrations, say)) {
      await apply(client, migration, say);
      applied.push(migration.name);
    }
    return applied;
  } finally {
    await client.end();
  }
}

interface Applied {
  number: number;
  name: string;
  checksum: string;
  oldest_program: number;
}

/** null: there is no history yet, or one from before it had all its columns. */
async function readHistory(client: pg.Client): Promise<Applied[] | null> {
  try {
    const { rows } = await client.query<Applied>(
      "SELECT number, name, checksum, oldest_program FROM schema_migrations ORDER BY number",
    );
    return rows;
  } catch (error) {
    // no such table, no such column
    if (["42P01", "42703"].includes(String((error as pg.DatabaseError).code))) return null;
    throw error;
  }
}

/** What is left to apply; throws where the database cannot be worked with. */
function missing(applied: readonly Applied[], known: readonly Migration[], say: Say): readonly Migration[] {
  const ahead = applied.slice(known.length);
  const oldest = Math.max(0, ...ahead.map((row) => row.oldest_program));
  if (oldest > known.length) {
    throw new OperatorError(
      `the database is at migration ${applied.length}, which needs a program that knows migration ${oldest}; this one knows ${known.length}: run a newer quizstore`,
    );
  }
  for (const [index, { number, name, checksum }] of applied.slice(0, known.length).entries()) {
    if (known[index]?.checksum === checksum) continue;
    throw new OperatorError(`migration ${number} (${name}) was applied in another form; was its file changed?`);
  }
  if (ahead.length > 0) {
    say(
      `the schema is newer than this program: migration ${applied.length}, it knows ${known.length}; they suit each other`,
    );
  }
  return known.slice(applied.length);
}

/**
 * Asks again and again rather than waiting in the database: an index that is built concurrently waits for every
 * statement under way, a waiting one too, and the two would wait for each other.
 */
async function lockForMigration(client: pg.Client, say: Say): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { rows } = await client.query<{ had: boolean }>("SELECT pg_try_advisory_lock($1::bigint) AS had", [lockKey]);
    if (rows[0]?.had) return;
    if (tries === 10) say("another process migrates this database; waiting for it");
    await pause(looksEveryMs);
  }
}

async function apply(client: pg.Client, migration: Migration, say: Say): Promise<void> {
  try {
    if (migration.transactional) await applyWhenUnlocked(client, migration, say);
    else await applyOneByOne(client, migration);
  } catch (error) {
    throw failedBecause(`migration ${migration.number} (${migration.name}) failed`, error);
  }
}

async function applyWhenUnlocked(client: pg.Client, migration: Migration, say: Say): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query("BEGIN");
      await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      const onCitus = await hasCitus(client);
      if (onCitus) for (const setting of citusSettings) await client.query(setting);
      await runEach(client, migration);
      if (onCitus) await distributeNewTables(client);
      await record(client, migration);
      await client.query("COMMIT");
      return;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => undefined);
      if ((error as pg.DatabaseError).code !== "55P03" || tries >= lockTries) throw error;
      if (tries === 1) say(`migration ${migration.number} waits for a table that others use; it is tried again`);
      await pause(lockTimeoutMs);
    }
  }
}

async function applyOneByOne(client: pg.Client, migration: Migration): Promise<void> {
  await runEach(client, migration);
  await record(client, migration);
}

/**
 * A statement a message: several in one would be one transaction, and a Citus cluster hands the whole text of a message
 * to its nodes, which take one statement.
 */
async function runEach(client: pg.Client, { sql }: Migration): Promise<void> {
  for (const statement of splitStatements(sql)) await client.query(statement);
}

async function record(client: pg.Client, { number, name, checksum, oldestProgram }: Migration): Promise<void> {
  await client.query("INSERT INTO schema_migrations (number, name, checksum, oldest_program) VALUES ($1, $2, $3, $4)", [
    number,
    name,
    checksum,
    oldestProgram,
  ]);
}
