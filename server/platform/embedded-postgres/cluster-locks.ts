import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { OperatorError } from "../operator-error.ts";
import { SUPERUSER } from "./cluster.ts";
import { AnotherServerError, codeOf } from "./errors.ts";
import type { Postmaster } from "./postmaster-file.ts";

export type Role = "server" | "command";

// Any two numbers that nothing else locks in the maintenance database.
const SERVER_KEY = 7301;
const USER_KEY = 7302;

// PostgreSQL takes a moment to notice that a killed program has left its connection.
const SERVER_TRIES = 20;
const SERVER_RETRY_MS = 50;

const CONNECT_TRIES = 200;
const CONNECT_RETRY_MS = 25;
const MAINTENANCE_DATABASE = "postgres";
export const DATABASE = "quizstore";

/** Opens the connection that will hold the locks; its application name says who holds them. */
export async function connectForLocks(postmaster: Postmaster, role: Role): Promise<Client> {
  for (let tries = 1; ; tries += 1) {
    const client = new Client({
      host: postmaster.socketDir,
      port: postmaster.port,
      user: SUPERUSER,
      database: MAINTENANCE_DATABASE,
      application_name: `quizstore ${role} (pid ${process.pid})`,
      ssl: false,
    });
    // A lost connection is noticed by its end; without a listener the error event would end the program.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (cause) {
      await client.end().catch(() => undefined);
      if (codeOf(cause) === "57P03" && tries < CONNECT_TRIES) await sleep(CONNECT_RETRY_MS);
      else throw unreachable(postmaster, cause);
    }
  }
}

function unreachable(postmaster: Postmaster, cause: unknown): OperatorError {
  return new OperatorError(
    `PostgreSQL (pid ${postmaster.pid}) runs on this data directory, but does not answer at ${postmaster.socketDir}: ` +
      `stop the process that uses it, or end it with kill -INT ${postmaster.pid}, and start again.`,
    { cause },
  );
}

async function isTrue(client: Client, call: string): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(`SELECT ${call} AS held`);
  return rows[0]?.held === true;
}

/**
 * Takes the role's locks: the shared one for everybody, the exclusive one too for a server. Throws if there is another
 * server.
 */
export async function acquireLocks(client: Client, role: Role): Promise<void> {
  await client.query(`SELECT pg_advisory_lock_shared(${USER_KEY})`);
  if (role === "command") return;
  for (let tries = 1; !(await isTrue(client, `pg_try_advisory_lock(${SERVER_KEY})`)); tries += 1) {
    if (tries === SERVER_TRIES) throw new AnotherServerError(await serverPid(client));
    await sleep(SERVER_RETRY_MS);
  }
}

async function serverPid(client: Client): Promise<string> {
  const { rows } = await client.query<{ application_name: string }>(
    `SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     WHERE l.locktype = 'advisory' AND l.objid = ${SERVER_KEY} AND l.granted`,
  );
  return rows[0]?.application_name.match(/pid (\d+)/)?.[1] ?? "unknown";
}

/** Whether nobody else uses the cluster. Call under the launch lock, so that nobody joins after the answer. */
export function isOnlyUser(client: Client): Promise<boolean> {
  return isTrue(client, `pg_try_advisory_lock(${USER_KEY})`);
}

/** Creates the program's database at the first start. Call under the launch lock. */
export async function prepareDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [DATABASE]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
}
