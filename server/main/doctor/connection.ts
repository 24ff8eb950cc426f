import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { cancelStatement } from "../../platform/database/cancel.ts";
import { statementTimeoutMs } from "../../platform/database/database.ts";
import { type ExternalServer, openClient, unsuitable } from "../../platform/database/external-server.ts";
import { connectionsOfProcess } from "./database.ts";
import { fail, ok, type Seen, warn } from "./findings.ts";

/** Checks what lies between this program and the server of DATABASE_URL: encryption, and a pooler. */

export async function inspectConnection(server: ExternalServer): Promise<Seen> {
  const refused = unsuitable(server);
  if (refused) return fail(refused.what, refused.remedy);
  const detail = [encryptionOf(server), ...(server.pooler === "none" ? [] : ["through a pooler in session mode"])].join(
    ", ",
  );
  const client = await openClient(server.connection);
  try {
    if (!(await isTimeoutSet(client))) {
      return warn(
        `${detail}; statements have no time-out, although it was set`,
        "let what is between this program and the database keep what a connection sets (PgBouncer: pool_mode = session)",
      );
    }
    if (!(await isCancelled(client))) {
      return warn(
        `${detail}; a statement was not cancelled when asked: requests that take too long go on in the database`,
        "let what is between this program and the database pass on cancel requests, to the process that has the connection",
      );
    }
  } finally {
    await client.end();
  }
  if (server.pooler === "none") return ok(detail);
  const had = await connectionsToHave(server.connection);
  if (had >= connectionsOfProcess) return ok(`${detail}, which has ${had} connections for a process`);
  return warn(
    `${detail}, which had ${had} connections free; a process opens up to ${connectionsOfProcess}`,
    `raise its pool (PgBouncer: default_pool_size and max_client_conn) to 40 for each process: a full one keeps requests waiting`,
  );
}

const encryptionOf = ({ encryption, connection }: ExternalServer): string => {
  if (encryption !== null)
    return `encrypted with ${encryption.protocol}, the server's certificate ${encryption.verified ? "checked" : "not checked"}`;
  return /host=(\/|%2f)/i.test(connection.connectionString ?? "") ? "over a socket" : "not encrypted";
};

async function isTimeoutSet(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ ms: number }>(
    "SELECT setting::int AS ms FROM pg_settings WHERE name = 'statement_timeout'",
  );
  return rows[0]?.ms === statementTimeoutMs;
}

const cancelTries = 10;
const cancelEveryMs = 200;

/** Whether a cancel request ends a statement that would take long. */
async function isCancelled(client: pg.Client): Promise<boolean> {
  let isOver = false;
  const sleeping = client.query(`SELECT pg_sleep(${(2 * cancelTries * cancelEveryMs) / 1_000})`).then(
    () => false,
    (error: pg.DatabaseError) => error.code === "57014",
  );
  void sleeping.finally(() => {
    isOver = true;
  });
  // repeated, because one that arrives before the statement has no effect
  for (let tries = 0; tries < cancelTries && !isOver; tries += 1) {
    await pause(cancelEveryMs);
    if (!isOver) await cancelStatement(client, 1_000).catch(() => undefined);
  }
  return sleeping;
}

const waitsMs = 2_000;

/** How many connections there are at once, up to what a process opens; they are taken for a moment. */
async function connectionsToHave(connection: pg.ClientConfig): Promise<number> {
  const clients: pg.Client[] = [];
  try {
    while (clients.length < connectionsOfProcess) clients.push(await openClient(connection, waitsMs));
  } catch {
    // no more can be had
  }
  await Promise.all(clients.map((client) => client.end()));
  return clients.length;
}
