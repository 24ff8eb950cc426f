import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { failedBecause, OperatorError } from "../operator-error.ts";
import { type Catalog, type Plan, planDistribution, type Step } from "./citus-plan.ts";

/**
 * Places a database's tables on a Citus cluster: reads the catalog, plans with `citus-plan.ts`, and carries out the
 * plan.
 */

/** What was done, and what needed nothing. */
export interface Distribution extends Plan {
  /** the steps, all carried out */
  steps: readonly Step[];
  nodes: readonly ClusterNode[];
}

export interface ClusterNode {
  /** host:port */
  address: string;
  isCoordinator: boolean;
  /** whether distributed tables, or tables moved by the rebalancer, may be there */
  takesShards: boolean;
  /** shards per distributed table */
  shards: number;
}

/** Receives each step before it starts, because a step moves a table's rows and may take hours; also warnings. */
export type Announce = (line: string) => void;

/** any constant, so that two concurrent distributions take turns */
const lockKey = 7_241_002;
/** The first version that gives transactions on nodes the isolation level of the coordinator's transaction. */
const oldestCitus = [11, 2] as const;

/**
 * Turns the database into a cluster: distributes and copies every table that is not placed yet. Each table has a
 * transaction of its own, so that finished steps remain; it can be repeated after a failure, and any number of times.
 * The connection holds a lock until it ends. Throws an OperatorError, with nothing done, if the extension is missing,
 * the schema cannot be placed, or the database is in use: between the first and the last table, statements over both
 * fail.
 */
export async function distribute(client: pg.ClientBase, announce: Announce): Promise<Distribution> {
  await client.query("SELECT pg_advisory_lock($1::bigint)", [lockKey]);
  await openExtension(client);
  const plan = planDistribution(await readCatalog(client));
  if (plan.steps.length + plan.returning.length > 0) await assertAlone(client, duringMoves);
  for (const warning of warningsAbout(await readNodes(client))) announce(`warning: ${warning}`);
  await client.query(passOnSettings);
  const { returning } = plan;
  if (returning.length > 0) await bringBack(client, returning, announce);
  const left = returning.length > 0 ? planDistribution(await readCatalog(client)) : plan;
  await carryOut(client, left, announce);
  return { ...left, returning, nodes: await readNodes(client) };
}

/** A store's tables are colocated, so one distributed table represents all of them. */
export async function readNodes(client: pg.ClientBase): Promise<ClusterNode[]> {
  const { rows } = await client.query<ClusterNode>(nodesSql);
  return rows;
}

function warningsAbout(nodes: readonly ClusterNode[]): string[] {
  const workers = nodes.filter(({ isCoordinator }) => !isCoordinator);
  if (workers.length === 0) {
    return [
      "the cluster has no worker, so that all rows stay on the coordinator: SELECT citus_set_coordinator_host('...'), then citus_add_node('...', 5432) for each worker, then citus_rebalance_start() where tables are placed already",
    ];
  }
  const left = workers.filter(({ takesShards }) => !takesShards).map(({ address }) => address);
  if (left.length === 0) return [];
  return [
    `${left.join(", ")} may hold no shards: SELECT citus_set_node_property('...', 5432, 'shouldhaveshards', true)`,
  ];
}

/** For a migration on Citus: places the new tables if the database is already a cluster; else does nothing. */
export async function distributeNewTables(client: pg.ClientBase): Promise<void> {
  const catalog = await readCatalog(client);
  if (catalog.tables.every(({ placed }) => placed === null)) return;
  await carryOut(client, planDistribution(catalog), () => undefined);
}

async function carryOut(client: pg.ClientBase, { steps }: Plan, announce: Announce): Promise<void> {
  for (const step of steps) {
    announce(step.sql);
    try {
      await client.query(step.sql);
    } catch (error) {
      throw failedBecause(`${step.table} could not be placed (${step.sql}); fix the cause and run it again`, error);
    }
  }
}

/**
 * Makes tables that every node has the coordinator's own, all in one transaction. Citus does that to a table without
 * foreign keys alone, so those from and to them are dropped first and added again, which also registers the tables.
 */
async function bringBack(client: pg.ClientBase, returning: readonly Step[], announce: Announce): Promise<void> {
  const names = returning.map(({ table }) => table);
  const keys = (await client.query<{ table: string; name: string; text: string }>(keysAroundSql, [names])).rows;
  await client.query("BEGIN");
  try {
    await client.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    for (const { table, name } of keys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
    for (const { sql } of returning) {
      announce(sql);
      await client.query(sql);
    }
    for (const { table, name, text } of keys) {
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${text}`);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw failedBecause(
      `${names.join(", ")} could not come back to the coordinator; fix the cause and run it again`,
      error,
    );
  }
}

const keysAroundSql = `
  SELECT quote_ident(f.relname) AS table, quote_ident(k.conname) AS name, pg_get_constraintdef(k.oid) AS text
  FROM pg_constraint k JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
  WHERE k.contype = 'f' AND f.relnamespace = 'public'::regnamespace
    AND (f.relname = ANY ($1::text[]) OR t.relname = ANY ($1::text[]))
  ORDER BY f.relname, k.conname`;

/** Whether the database is on a Citus node. */
export async function hasCitus(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>("SELECT to_regclass('pg_dist_partition') IS NOT NULL AS has");
  return rows[0]?.has === true;
}

async function openExtension(client: pg.ClientBase): Promise<void> {
  if (!(await hasCitus(client))) {
    try {
      await client.query("CREATE EXTENSION IF NOT EXISTS citus");
    } catch (error) {
      throw failedBecause(
        "this PostgreSQL has no Citus that can be used: install the extension on every node, put it into shared_preload_libraries, or let a superuser run CREATE EXTENSION citus",
        error,
      );
    }
  }
  const { rows } = await client.query<{ version: string }>(
    "SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'",
  );
  const version = rows[0]?.version;
  if (version === undefined) return;
  const [major = 0, minor = 0] = version.split(/[.-]/).map(Number);
  if (major > oldestCitus[0] || (major === oldestCitus[0] && minor >= oldestCitus[1])) return;
  throw new OperatorError(`Citus ${version} is too old; ${oldestCitus.join(".")} or newer is needed`);
}

/** connections that were just closed remain visible for a moment */
const looksForOthers = 20;
const looksEveryMs = 100;

/** The application names of servers and workers (see database.ts). */
const othersSql = `
  SELECT count(*) AS others FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'quizstore'`;

const duringMoves = (connections: number): string =>
  `stop every quizstore serve and work first (${connections} connections are open): while tables move, statements over several of them fail`;

/**
 * Throws an OperatorError if servers or workers use the database.
 * @param refusal the sentence, from the number of their connections
 */
export async function assertAlone(client: pg.ClientBase, refusal: (connections: number) => string): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    const { rows } = await client.query<{ others: string }>(othersSql);
    const others = Number(rows[0]?.others ?? 0);
    if (others === 0) return;
    if (looks < looksForOthers) await pause(looksEveryMs);
    else throw new OperatorError(refusal(others));
  }
}

/** A transaction's time-outs must also apply on the nodes, where its locks are. */
const passOnSettings = `
  DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET citus.propagate_set_commands = %L', current_database(), 'local');
  END $$`;

const tablesSql = `
  SELECT c.relname AS name,
    ARRAY(SELECT a.attname::text FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns,
    coalesce((SELECT ${indexColumns("i")} FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary), '{}')
      AS "primaryKey",
    coalesce((SELECT json_agg(json_build_object('name', i.indexrelid::regclass::text, 'columns', ${indexColumns("i")})
        ORDER BY i.indexrelid)
      FROM pg_index i WHERE i.indrelid = c.oid AND NOT i.indisprimary AND (i.indisunique OR i.indisexclusion)), '[]')
      AS uniques,
    ARRAY(SELECT a.attname::text FROM pg_attribute a
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = c.oid AND (a.attidentity <> ''
        OR (a.attgenerated = '' AND pg_get_expr(d.adbin, d.adrelid) LIKE '%nextval(%')) ORDER BY a.attnum) AS numbered,
    ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attgenerated <> '') AS generated,
    ARRAY(SELECT t.tgname::text FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal ORDER BY 1) AS triggers
  FROM pg_class c
  WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname`;

/** null stands for an expression. */
function indexColumns(index: string): string {
  return `ARRAY(SELECT a.attname::text FROM unnest(${index}.indkey::smallint[]) WITH ORDINALITY AS k (number, place)
    LEFT JOIN pg_attribute a ON a.attrelid = ${index}.indrelid AND a.attnum = k.number AND k.number > 0
    WHERE k.place <= ${index}.indnkeyatts ORDER BY k.place)`;
}

const foreignKeysSql = `
  SELECT k.conname AS name, f.relname AS from, t.relname AS to, k.confdeltype AS "onDelete", k.confupdtype AS "onUpdate",
    ${keyColumns("k.conrelid", "k.conkey")} AS columns, ${keyColumns("k.confrelid", "k.confkey")} AS targets
  FROM pg_constraint k JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
  WHERE k.contype = 'f' AND k.conparentid = 0 AND f.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
  ORDER BY f.relname, k.conname`;

function keyColumns(table: string, numbers: string): string {
  return `ARRAY(SELECT a.attname::text FROM unnest(${numbers}) WITH ORDINALITY AS n (number, place)
    JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = n.number ORDER BY n.place)`;
}

/** A table that Citus only registers, so that foreign keys may tie it to others, is the coordinator's (repmodel `s`). */
const placedSql = `
  SELECT c.relname AS name, p.colocationid AS colocation, p.repmodel = 't' AS everywhere,
    CASE WHEN p.partmethod <> 'n' THEN column_to_column_name(p.logicalrelid, p.partkey) END AS column
  FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
  WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`;

const nodesSql = `
  SELECT n.nodename || ':' || n.nodeport AS address, n.groupid = 0 AS "isCoordinator",
    n.shouldhaveshards AS "takesShards", (
      SELECT count(*)::integer FROM pg_dist_placement p JOIN pg_dist_shard s ON s.shardid = p.shardid
      WHERE p.groupid = n.groupid AND s.logicalrelid = (
        SELECT min(d.logicalrelid::oid)::regclass FROM pg_dist_partition d WHERE d.partmethod = 'h')) AS shards
  FROM pg_dist_node n WHERE n.noderole = 'primary' ORDER BY n.groupid`;

/** The tables of a schema, and how Citus has placed them. */
export async function readCatalog(client: pg.ClientBase, schema = "public"): Promise<Catalog> {
  type TableRow = Omit<Catalog["tables"][number], "placed">;
  const tables = (await client.query<TableRow>(tablesSql, [schema])).rows;
  const foreignKeys = (await client.query<Catalog["foreignKeys"][number]>(foreignKeysSql, [schema])).rows;
  const placed = new Map<string, Catalog["tables"][number]["placed"]>();
  if (await hasCitus(client)) {
    type PlacedRow = { name: string; colocation: number; everywhere: boolean; column: string | null };
    for (const { name, colocation, everywhere, column } of (await client.query<PlacedRow>(placedSql, [schema])).rows) {
      const kind = everywhere ? "reference" : "local";
      placed.set(name, column === null ? { kind } : { kind: "distributed", column, colocation });
    }
  }
  return { tables: tables.map((table) => ({ ...table, placed: placed.get(table.name) ?? null })), foreignKeys };
}
