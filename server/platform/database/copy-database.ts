import pg from "pg";
import { failedBecause, OperatorError } from "../operator-error.ts";
import { assertAlone, hasCitus, readCatalog } from "./citus.ts";
import { type Catalog, referencedFirst } from "./citus-plan.ts";
import { copyRows } from "./copy-rows.ts";
import { createStateSql, dropStateSql, isState, isUnfinishedCopy, readFinished, recordFinished } from "./copy-state.ts";
import { isSame, type Tally, tallyOf } from "./copy-tally.ts";
import { type Migration, migrate, type Say } from "./migrate.ts";
import { prepareSession } from "./session.ts";

/**
 * Copies everything of a database into an empty one, on whatever server: embedded, a server's, a Citus cluster's
 * [operations.database-copy]. The tables are those that the catalog lists, so that none can be forgotten; each is a
 * transaction of its own on the target, which counts and digests its rows on both sides, so that an interrupted copy
 * loses only the table that was under way.
 */

export interface CopyEnds {
  /** migrated by this program, and used by no server */
  source: pg.ClientConfig;
  target: pg.ClientConfig;
  migrations: readonly Migration[];
  /** receives a line for each table, and warnings */
  say: Say;
}

export interface CopiedTable extends Tally {
  table: string;
  /** an earlier, interrupted run had copied it */
  earlier: boolean;
}

/** Throws an OperatorError that says what to do; what is finished until then stays in the target. */
export async function copyDatabase({ source, target, migrations, say }: CopyEnds): Promise<CopiedTable[]> {
  const from = await open(source);
  try {
    const to = await open(target);
    try {
      return await copyBetween(from, to, () => migrate(target, migrations, say), say);
    } finally {
      await to.end();
    }
  } finally {
    await from.end();
  }
}

/** A long copy has no time-outs. */
const noTimeOuts = "SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0";

async function open(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, application_name: "quizstore database copy", keepAlive: true });
  // the statement that a lost connection interrupts reports it
  client.on("error", () => undefined);
  await client.connect();
  // both sides write values in the same form
  await prepareSession(client, { statementTimeoutMs: 0, withinMs: 10_000 });
  await client.query(noTimeOuts);
  return client;
}

async function copyBetween(
  from: pg.Client,
  to: pg.Client,
  migrateTarget: () => Promise<unknown>,
  say: Say,
): Promise<CopiedTable[]> {
  await lock(from, to);
  for (const client of [from, to]) await assertAlone(client, inUse);
  await prepare(to, migrateTarget, say);
  // one state of the source for all of its tables
  await from.query("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
  const tables = await tablesOf(from, to);
  const finished = await readFinished(to);
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    const before = finished.get(table.name);
    const tally = before ? await unchanged(from, table, before) : await copyTable(from, to, table);
    say(`${table.name}: ${tally.rows} rows, ${tally.bytes} bytes${before ? ", copied before" : ""}`);
    copied.push({ table: table.name, ...tally, earlier: before !== undefined });
  }
  await from.query("COMMIT");
  for (const client of [from, to]) await assertAlone(client, inUse);
  await finish(from, to, tables);
  return copied;
}

const inUse = (connections: number): string =>
  `stop every quizstore start, serve and work of both databases first (${connections} connections are open): what they write during the copy would be missing from it`;

/** any constant; the database's own, so that a database cannot be copied into itself, or by two at a time */
const lockKey = 7_241_003;

async function lock(from: pg.Client, to: pg.Client): Promise<void> {
  for (const client of [from, to]) {
    const { rows } = await client.query<{ had: boolean }>("SELECT pg_try_advisory_lock($1::bigint) AS had", [lockKey]);
    if (rows[0]?.had) continue;
    throw new OperatorError("--to names the database that is copied, or one of the two is being copied already");
  }
}

/** The schema of the program's tables, which need not be called the same on both sides. */
async function schemaOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string | null }>(
    `SELECT coalesce((SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass('schema_migrations')),
       current_schema()) AS name`,
  );
  return rows[0]?.name ?? "public";
}

const catalogOf = async (client: pg.Client): Promise<Catalog> => readCatalog(client, await schemaOf(client));

/** Every program that opens a database writes these: they do not make a target a used one. */
const writtenAtOpening: ReadonlySet<string> = new Set(["schema_migrations", "calendar"]);

/** Creates the tables in an empty target, or finds those of an earlier try. */
async function prepare(to: pg.Client, migrateTarget: () => Promise<unknown>, say: Say): Promise<void> {
  if (await isUnfinishedCopy(to)) return say("an earlier copy into this database was interrupted; it is continued");
  await assertEmpty(to);
  await migrateTarget();
  if ((await hasCitus(to)) && (await catalogOf(to)).tables.every(({ placed }) => placed === null)) {
    say(
      "warning: the tables of this Citus cluster are not distributed; quizstore migrate --citus does it, and sooner before a copy",
    );
  }
  await to.query(createStateSql);
}

async function assertEmpty(to: pg.Client): Promise<void> {
  const names = (await catalogOf(to)).tables.map(({ name }) => name);
  const isMigrated = names.includes("schema_migrations");
  const filled: string[] = [];
  for (const name of names) {
    if (!isMigrated || (!writtenAtOpening.has(name) && (await hasRows(to, name)))) filled.push(name);
  }
  if (filled.length === 0) return;
  throw new OperatorError(
    `the database of --to is not empty (${filled.join(", ")}): name an empty one; nothing was changed there`,
  );
}

async function hasRows(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM ${pg.escapeIdentifier(name)}) AS has`,
  );
  return rows[0]?.has === true;
}

interface CopyTable {
  name: string;
  /** those that are not computed from others, in the source's order */
  columns: readonly string[];
  /** what later rows are checked against, and earlier ones may fail */
  unvalidated: readonly { name: string; definition: string }[];
}

/** Every table of the source, referenced tables first; throws where the target's differ. */
async function tablesOf(from: pg.Client, to: pg.Client): Promise<CopyTable[]> {
  await assertSameMigrations(from, to);
  const [catalog, other] = [await catalogOf(from), await catalogOf(to)];
  const unvalidated = await readUnvalidated(from);
  const there = new Map(other.tables.map((table) => [table.name, columnsOf(table)]));
  const tables = inOrder(catalog).map((table) => ({ name: table.name, columns: columnsOf(table) }));
  const unlike = tables.filter(({ name, columns }) => !isSameSet(columns, there.get(name)));
  if (unlike.length > 0) {
    const names = unlike.map(({ name }) => name).join(", ");
    throw new OperatorError(
      `${names}: these tables are not as the migrations of this program make them; move what is not the program's to another schema first`,
    );
  }
  return tables
    .filter(({ name }) => name !== "schema_migrations")
    .map((table) => ({ ...table, unvalidated: unvalidated.filter((each) => each.table === table.name) }));
}

const columnsOf = ({ columns, generated }: Catalog["tables"][number]): string[] =>
  columns.filter((name) => !generated.includes(name));

const isSameSet = (one: readonly string[], other: readonly string[] | undefined): boolean =>
  other !== undefined && one.length === other.length && one.every((name) => other.includes(name));

function inOrder({ tables, foreignKeys }: Catalog): Catalog["tables"] {
  const problems: string[] = [];
  const ordered = referencedFirst(
    tables.filter(({ name }) => !isState(name)),
    foreignKeys,
    problems,
  );
  if (problems.length > 0) throw new OperatorError(problems.join("; "));
  return ordered;
}

async function assertSameMigrations(from: pg.Client, to: pg.Client): Promise<void> {
  const [here, there] = await Promise.all(
    [from, to].map(async (client) => {
      const { rows } = await client.query<{ number: number; checksum: string }>(
        "SELECT number, checksum FROM schema_migrations ORDER BY number",
      );
      return rows;
    }),
  );
  if (JSON.stringify(here) === JSON.stringify(there)) return;
  throw new OperatorError(
    `this database is at migration ${here?.length}, that of --to at ${there?.length}: copy with the release that has both, into an empty database`,
  );
}

const unvalidatedSql = `
  SELECT t.relname AS table, k.conname AS name, pg_get_constraintdef(k.oid) AS definition
  FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid
  WHERE NOT k.convalidated AND k.conparentid = 0 AND t.relnamespace::regnamespace::text = $1 ORDER BY 1, 2`;

async function readUnvalidated(client: pg.Client) {
  return (
    await client.query<{ table: string; name: string; definition: string }>(unvalidatedSql, [await schemaOf(client)])
  ).rows;
}

const selectOf = ({ name, columns }: CopyTable): string =>
  `SELECT ${columns.map((column) => pg.escapeIdentifier(column)).join(", ")} FROM ${pg.escapeIdentifier(name)}`;

/** A finished table, if the source still has the same rows: another state of it would not fit the other tables. */
async function unchanged(from: pg.Client, table: CopyTable, before: Tally): Promise<Tally> {
  if (isSame(await tallyOf(from, selectOf(table)), before)) return before;
  throw new OperatorError(
    `${table.name} has changed since the interrupted copy, or that copy was of another database: begin again with an empty database (DROP DATABASE, CREATE DATABASE)`,
  );
}

async function copyTable(from: pg.Client, to: pg.Client, table: CopyTable): Promise<Tally> {
  const { name, columns, unvalidated } = table;
  const quoted = pg.escapeIdentifier(name);
  try {
    await to.query("BEGIN");
    if (writtenAtOpening.has(name)) await to.query(`DELETE FROM ${quoted}`);
    // on a cluster a change of a table and its rows go over the same connections only so; elsewhere it means nothing
    if (unvalidated.length > 0) await to.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    for (const each of unvalidated) {
      await to.query(`ALTER TABLE ${quoted} DROP CONSTRAINT ${pg.escapeIdentifier(each.name)}`);
    }
    const sent = await copyRows(
      from,
      to,
      selectOf(table),
      `${quoted} (${columns.map(pg.escapeIdentifier).join(", ")})`,
    );
    const arrived = await tallyOf(to, selectOf(table));
    if (!isSame(sent, arrived)) {
      throw new Error(`${sent.rows} rows (${sent.digest}) were sent, ${arrived.rows} (${arrived.digest}) have arrived`);
    }
    for (const each of unvalidated) {
      await to.query(`ALTER TABLE ${quoted} ADD CONSTRAINT ${pg.escapeIdentifier(each.name)} ${each.definition}`);
    }
    await recordFinished(to, name, sent);
    await to.query("COMMIT");
    return sent;
  } catch (error) {
    await to.query("ROLLBACK").catch(() => undefined);
    throw failedBecause(`${name} could not be copied; run the same command again once the cause is gone`, error);
  }
}

const sequencesSql = `
  SELECT c.relname AS name FROM pg_class c
  WHERE c.relkind = 'S' AND c.relnamespace::regnamespace::text = $1
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname`;

/** Sequences, statistics for the planner, and the end of the record: from now on the target is a database like any. */
async function finish(from: pg.Client, to: pg.Client, tables: readonly CopyTable[]): Promise<void> {
  for (const { name } of tables) await to.query(`ANALYZE ${pg.escapeIdentifier(name)}`);
  await to.query("BEGIN");
  for (const { name } of (await from.query<{ name: string }>(sequencesSql, [await schemaOf(from)])).rows) {
    const quoted = pg.escapeIdentifier(name);
    const { rows } = await from.query<{ value: string; called: boolean }>(
      `SELECT last_value::text AS value, is_called AS called FROM ${quoted}`,
    );
    await to.query("SELECT setval($1::regclass, $2::bigint, $3)", [quoted, rows[0]?.value, rows[0]?.called]);
  }
  await to.query(dropStateSql);
  await to.query("COMMIT");
}
