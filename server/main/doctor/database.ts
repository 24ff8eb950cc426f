import type pg from "pg";
import type { Calendar } from "../../platform/clock.ts";
import { type ExternalServer, openClient } from "../../platform/database/external-server.ts";
import { refusedToCreate } from "../../platform/database/migrate.ts";
import type { NodeState } from "../../platform/database/nodes.ts";
import { type Statement, sql } from "../../platform/database/sql.ts";
import type { OverdueQueue } from "../../platform/metrics/overdue.ts";
import { storesAndKey } from "../../stores/admin.ts";
import type { Opened } from "../foundations.ts";
import { fail, ok, type Seen, warn } from "./findings.ts";

/** Checks the program's database, and what it reveals about the program. */

/** The parts of the opened program that are checked. */
export type Examined = Pick<Opened, "database" | "config" | "secrets" | "elapsed"> & { calendar: Calendar };

/** what one `serve` or `work` process opens under load, including those for its signals */
export const connectionsOfProcess = 30;

/**
 * Checks an external database's schema before anything opens it: every other command, and this one if nothing is
 * missing, migrates it, which the doctor must not do.
 *
 * @param server null: the embedded database
 * @param known number of the newest migration that this program has
 */
export async function inspectMigrations(
  server: Pick<ExternalServer, "connection"> | null,
  known: number,
): Promise<Seen> {
  if (server === null) return ok(`the embedded database is brought to migration ${known} when it is opened`);
  const client = await openClient(server.connection);
  try {
    const number = await newestMigration(client);
    if (number === known) return ok(`at migration ${number}`);
    if (number !== null && number > known)
      return warn(`at migration ${number}, this program knows ${known}`, "run the release that the others run");
    const refused = await refusedToCreate(client);
    if (refused) return fail(refused.what, refused.remedy);
    return migrateFirst(
      number === null ? "the database is empty" : `at migration ${number}, this program knows ${known}`,
    );
  } finally {
    await client.end();
  }
}

/** null: the schema has not been created yet. */
async function newestMigration(client: pg.Client): Promise<number | null> {
  try {
    const { rows } = await client.query<{ number: number | null }>(
      "SELECT max(number) AS number FROM schema_migrations",
    );
    return rows[0]?.number ?? 0;
  } catch (error) {
    if ((error as pg.DatabaseError).code === "42P01") return null;
    throw error;
  }
}

const migrateFirst = (detail: string): Seen => fail(detail, "run quizstore migrate");

interface Server {
  version: string;
  read_only: string;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  connections: number;
  in_use: number;
}

const unsafeSettings = ["fsync", "full_page_writes", "synchronous_commit"] as const;

export async function inspectDatabase({ database, config, elapsed }: Examined): Promise<Seen> {
  const db = database.reader();
  const began = elapsed();
  const server = await db.first(sql<Server>`
  SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') AS read_only,
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
    current_setting('synchronous_commit') AS synchronous_commit,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections,
    (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS in_use`);
  if (!server) throw new Error("the database returned no settings");
  const ms = Math.round(elapsed() - began);
  const detail = `${config.databaseUrl === null ? "embedded PostgreSQL" : "PostgreSQL"} ${server.version} answers in ${ms} ms`;
  if (server.read_only === "on") {
    return fail(`${detail}, but takes no writes`, "point DATABASE_URL at the primary; this is a standby, or read-only");
  }
  const unsafe = unsafeSettings.filter((name) => server[name] === "off");
  if (unsafe.length > 0)
    return fail(`${detail}, with ${unsafe.join(", ")} off`, "switch it on: a crash would lose what was accepted");
  const forbidden = await db.all(sql<{ name: string }>`
  SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p')
    AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
      AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
  ORDER BY c.relname`);
  if (forbidden.length > 0) {
    const names = forbidden.map(({ name }) => name).join(", ");
    return fail(
      `${detail}, but the user of DATABASE_URL may not write ${names}`,
      "GRANT it SELECT, INSERT, UPDATE, DELETE on all tables, or make it their owner",
    );
  }
  const left = server.connections - server.in_use;
  const connections = `${server.in_use} of ${server.connections} connections in use`;
  if (config.databaseUrl === null || left >= connectionsOfProcess) return ok(`${detail}, ${connections}`);
  return warn(
    `${detail}, ${connections}`,
    `raise max_connections, or put a pooler in session mode in front: a process opens up to ${connectionsOfProcess}`,
  );
}

const slightMs = 2_000;
const graveMs = 30_000;

/** @param wall this machine's own clock, ms since 1970, which signs webhooks */
export async function inspectClocks({ database, calendar }: Examined, wall: () => number): Promise<Seen> {
  const before = wall();
  const row = await database
    .reader()
    .first(sql<{ now: number }>`/* clock */ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`);
  const drift = Math.round((row?.now ?? Number.NaN) - (before + wall()) / 2);
  const shows = `calendar shows ${new Date(calendar.now()).toISOString()}`;
  const detail = `${shows}; this machine and the database are ${Math.abs(drift)} ms apart`;
  const remedy = "synchronise both machines' clocks (NTP): receivers refuse webhooks signed minutes off";
  if (!(Math.abs(drift) < graveMs)) return fail(detail, remedy);
  return Math.abs(drift) < slightMs ? ok(detail) : warn(detail, remedy);
}

export async function inspectSecretKey({ database, secrets }: Examined): Promise<Seen> {
  const found = await storesAndKey(database.reader(), secrets);
  if (found === "this key") return ok("a stored secret opens with it");
  if (found === "no store") return ok("nothing is encrypted yet");
  return fail("the stored secrets were encrypted with another key", "put back the SECRET_KEY that was in use");
}

const lateSeconds = 60;
const veryLateSeconds = 600;

/** Due work that nobody does: an embedded database may not have been used since its program was stopped. */
export async function inspectQueues(
  { database, calendar, config }: Examined,
  queues: readonly OverdueQueue[],
): Promise<Seen> {
  const now = calendar.now();
  const late: string[] = [];
  let longest = 0;
  for (const { queue, query } of queues) {
    const [found] = await database.due(query(new Date(now)));
    const { waiting = 0, oldest = null } = found ?? {};
    const seconds = oldest === null ? 0 : Math.max(0, Math.round((now - oldest.getTime()) / 1_000));
    if (seconds >= lateSeconds) late.push(`${queue}: ${waiting}, the oldest for ${seconds} s`);
    longest = Math.max(longest, seconds);
  }
  if (late.length === 0) return ok("no due work waits for longer than a minute");
  const remedy = "see that quizstore work, or start, runs, and what its log says of failing work";
  const grave = longest >= veryLateSeconds && config.databaseUrl !== null;
  return (grave ? fail : warn)(late.join("; "), remedy);
}

const countEndpoints = (only: Statement<never>) => sql<{ disabled: number; failing: number }>`/* due: across stores */
  SELECT count(*) FILTER (WHERE status = 'disabled' AND disabled_reason <> 'manual')::int AS disabled,
    count(*) FILTER (WHERE status = 'enabled' AND failing_since IS NOT NULL)::int AS failing
  FROM webhook_endpoints WHERE true ${only} LIMIT 1`;

export async function inspectWebhooks({ database }: Examined): Promise<Seen> {
  const [found] = await database.due(countEndpoints);
  const { disabled = 0, failing = 0 } = found ?? {};
  const detail = `${failing} endpoints fail at present, ${disabled} were disabled for failing or being gone`;
  if (failing + disabled === 0) return ok("no endpoint fails or was disabled");
  return warn(detail, "inform their stores: GET /v1/webhooks shows since when, PATCH with status enabled resumes one");
}

const nodesWithinMs = 10_000;

/** Only for a cluster. */
export function inspectNodes(states: readonly NodeState[]): Seen {
  const away = states.filter(({ answers }) => !answers).map(({ address }) => address);
  if (away.length === 0) return ok(`${states.length} of ${states.length} answer`);
  return fail(
    `no answer from ${away.join(", ")}: its stores are away, and their due work waits`,
    "start the node, or let its standby take its place; see citus.md",
  );
}

/** Empty if the database is not a cluster. */
export const nodesOf = ({ nodes }: Opened): Promise<NodeState[]> => nodes.states(nodesWithinMs);
export const zonesInUse = async ({ database }: Examined): Promise<string[]> =>
  (await database.reader().all(sql<{ timezone: string }>`SELECT DISTINCT timezone FROM stores ORDER BY timezone`)).map(
    ({ timezone }) => timezone,
  );
