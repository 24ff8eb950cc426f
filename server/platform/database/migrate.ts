import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { failedBecause, OperatorError } from "../operator-error.ts";
import { distributeNewTables, hasCitus } from "./citus.ts";
import { isUnfinishedCopy } from "./copy-state.ts";
import { prepareSession } from "./session.ts";
import { splitStatements } from "./split-statements.ts";

/**
 * Numbered SQL files, applied in order by one process at a time [operations.migrations]. Each runs in a transaction of
 * its own, unless its first lines say otherwise:
 *
 * `-- programs from NNNN on`: a program that does not know migration NNNN cannot work with the schema after this one.
 * Without it, every program that worked with the schema before this migration works after it, so that old and new
 * programs can run side by side.
 *
 * `-- outside a transaction`: its statements run one by one, for indexes that are built without blocking traffic
 * [database.index-migrations]. If the process dies between two of them, all run again.
 */
export interface Migration {
  number: number;
  name: string;
  sql: string;
  checksum: string;
  /** the migration that a program must know to work with the schema after this one; 0: unchanged [database.contract] */
  oldestProgram: number;
  transactional: boolean;
}

/** Receives messages about slow or unusual steps. */
export type Say = (message: string) => void;

const fileName = /^(\d{4})_([a-z0-9_]+)\.sql$/;
/** any constant, the same in every release, so that processes that start together take turns */
const lockKey = 7_241_001;
const looksEveryMs = 200;
/** Ms after which a table's lock is requested again, because other statements queue behind the request for as long. */
const lockTimeoutMs = 2_000;
const lockTries = 150;

const citusSettings = [
  // One shard after the other, on one connection per node. If a statement changed a table's shards in parallel, no
  // later statement of the transaction could touch a table that it refers to.
  "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
  // A new table that refers to one on every node must not be tied to the coordinator: it is distributed before the
  // commit.
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
 * Applies all missing migrations; returns the names of those applied [operations.newer-database]. A newer database is
 * accepted as it is while nothing in it needs a newer program, so that a process of the previous release can restart
 * during an upgrade, and an upgrade can be rolled back.
 */
export async function migrate(
  connection: pg.ClientConfig,
  migrations: readonly Migration[],
  say: Say = () => undefined,
): Promise<string[]> {
  const client = new pg.Client({ ...connection, application_name: "quizstore migrate" });
  // a connection that dies reports it to the running statement as well
  client.on("error", () => undefined);
  await client.connect();
  try {
    // an index may take an hour, whatever the role's own time-out is
    await prepareSession(client, { statementTimeoutMs: 0, withinMs: 10_000 });
    await refuseUnfinishedCopy(client);
    // read without the lock, so that this process can serve while another one builds an index for an hour
    const known = await readHistory(client);
    if (known && missing(known, migrations, say).length === 0) return [];
    const refusal = await refusedToCreate(client);
    if (refusal) throw new OperatorError(`${refusal.what}: ${refusal.remedy}`);
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

/** Why this user can create no tables, and what to do; null: they can. PostgreSQL 15 and newer allow it to owners alone. */
export async function refusedToCreate(client: pg.Client): Promise<{ what: string; remedy: string } | null> {
  const { rows } = await client.query<{ schema: string | null; may: boolean | null; role: string; path: string }>(
    `SELECT current_schema() AS schema, has_schema_privilege(current_schema(), 'CREATE') AS may,
       quote_ident(current_user) AS role, current_setting('search_path') AS path`,
  );
  const { schema = null, may = null, role = "", path = "" } = rows[0] ?? {};
  if (may) return null;
  if (schema === null) {
    return {
      what: `no schema of the search_path ${path} exists or may be used by ${role}`,
      remedy: `CREATE SCHEMA quizstore AUTHORIZATION ${role}, and ALTER ROLE ${role} SET search_path = quizstore`,
    };
  }
  return {
    what: `${role} may not create tables in the schema ${schema}`,
    remedy: `as its owner: GRANT CREATE ON SCHEMA ${schema} TO ${role}, or let ${role} own the database`,
  };
}

/** Nothing may be opened on a database that lacks rows of the one that it is a copy of. */
async function refuseUnfinishedCopy(client: pg.Client): Promise<void> {
  if (!(await isUnfinishedCopy(client))) return;
  throw new OperatorError(
    "this database is an unfinished copy of another: run the same quizstore database copy again, or make it an empty database",
  );
}

interface Applied {
  number: number;
  name: string;
  checksum: string;
  oldest_program: number;
}

/** null: there is no history yet, or an old one without all columns. */
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

/** The migrations to apply; throws if this program cannot work with the database. */
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
      `the schema is newer than this program: migration ${applied.length}, it knows ${known.length}; they are compatible`,
    );
  }
  return known.slice(applied.length);
}

/**
 * Polls for the lock rather than waiting in the database: building an index concurrently waits for every running
 * statement, including one that waits for the lock, so the two would wait for each other.
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
 * Sends each statement as a message of its own: several in one message would be one transaction, and a Citus cluster
 * passes the whole text of a message to its nodes, which accept only one statement.
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
