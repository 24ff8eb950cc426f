import { TLSSocket } from "node:tls";
import pg from "pg";
import { OperatorError } from "../operator-error.ts";
import { statementTimeoutMs } from "./database.ts";
import { readAddress } from "./server-address.ts";
import { prepareSession } from "./session.ts";

/** What is known of the server of DATABASE_URL before the program uses it, and what makes it unsuitable. */

export interface ExternalServer {
  /** the way to it that worked */
  connection: pg.ClientConfig;
  /** major version */
  version: number;
  encoding: string;
  pooler: Pooler;
  encryption: Encryption;
}

/** `shared`: a pooler that gives a client's statements now one server connection and now another. */
export type Pooler = "none" | "session" | "shared";
/** `verified`: the server's certificate was checked. */
export type Encryption = { protocol: string; verified: boolean } | null;

const oldestPostgres = 15;
const connectWithinMs = 10_000;

/**
 * Throws an OperatorError if the server cannot be reached.
 * @param called what the operator knows the address as
 */
export async function meetServer(databaseUrl: string, called = "DATABASE_URL"): Promise<ExternalServer> {
  const { connection, client } = await firstWay(databaseUrl, called);
  try {
    const { rows } = await client.query<{ version: string; encoding: string; pid: number }>(
      "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding, pg_backend_pid() AS pid",
    );
    const [row] = rows;
    if (!row) throw new Error("the database returned no settings");
    return {
      connection,
      version: Math.floor(Number(row.version) / 10_000),
      encoding: row.encoding,
      pooler: row.pid === client.processID ? "none" : await poolerOf(connection, client),
      encryption: encryptionOf(client),
    };
  } finally {
    await client.end();
  }
}

/** The reason why this program cannot work with the server, and what to do; null: it can [operations.database-suits]. */
export function unsuitable({ version, encoding, pooler }: Omit<ExternalServer, "connection">): Unsuitable | null {
  if (version < oldestPostgres) {
    return { what: `PostgreSQL ${version} is too old`, remedy: `run PostgreSQL ${oldestPostgres} or newer` };
  }
  if (encoding !== "UTF8") {
    return {
      what: `the database is in ${encoding}, which cannot store every script`,
      remedy:
        "create one in UTF-8 and copy the data over: CREATE DATABASE quizstore ENCODING 'UTF8' TEMPLATE template0 LOCALE 'C.UTF-8'",
    };
  }
  if (pooler === "shared") {
    return {
      what: "DATABASE_URL leads to a connection pooler in transaction or statement mode",
      remedy: "set it to session mode (PgBouncer: pool_mode = session), or write the address of the database itself",
    };
  }
  return null;
}

export interface Unsuitable {
  what: string;
  remedy: string;
}

/** Finds a server that suits the program, or throws an OperatorError that says what to do. */
export async function suitableServer(databaseUrl: string, called?: string): Promise<ExternalServer> {
  const server = await meetServer(databaseUrl, called);
  const found = unsuitable(server);
  if (found) throw new OperatorError(`${found.what}: ${found.remedy}`);
  return server;
}

async function firstWay(
  databaseUrl: string,
  called: string,
): Promise<{ connection: pg.ClientConfig; client: pg.Client }> {
  const { ways } = readAddress(databaseUrl);
  for (const [index, connection] of ways.entries()) {
    try {
      return { connection, client: await openClient(connection) };
    } catch (error) {
      if (index < ways.length - 1 && isAboutEncryption(error)) continue;
      throw new OperatorError(`the database of ${called} cannot be reached: ${reasonOf(error)}`, { cause: error });
    }
  }
  throw new Error("an address without a way to it");
}

/** A connection like those of the program's pools; the caller ends it. */
export async function openClient(connection: pg.ClientConfig, withinMs = connectWithinMs): Promise<pg.Client> {
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: withinMs,
    application_name: "quizstore",
  });
  // one that dies reports it to the running statement as well
  client.on("error", () => undefined);
  try {
    await client.connect();
    await prepareSession(client, { statementTimeoutMs, withinMs });
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** The server offers no encryption, fails at it, or admits this user from here only without. */
function isAboutEncryption(error: unknown): boolean {
  const { message = "", code = "" } = error as { message?: string; code?: string };
  return /SSL connection/.test(message) || /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code) || code === "28000";
}

/** What the driver says too shortly, in words that say what to do. */
function reasonOf(error: unknown): string {
  const { message, code = "" } = error as { message?: string; code?: string };
  const reason = message || code || "unknown reason";
  if (/does not support SSL/.test(reason))
    return "it offers no encryption (TLS), which sslmode asks for: switch it on there, or write sslmode=prefer";
  if (/^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/.test(code))
    return `its certificate is not trusted (${reason}): name the file of your provider's root certificates with sslrootcert=..., or write sslmode=require to encrypt without checking whom you talk to`;
  return reason;
}

function encryptionOf({ connection: { stream } }: pg.Client): Encryption {
  if (!(stream instanceof TLSSocket)) return null;
  return { protocol: stream.getProtocol() ?? "TLS", verified: stream.authorized };
}

const rounds = 5;

/**
 * Whether two connections at once share one of the server's: a pooler that shares gives the one that the first has just
 * used to the second. `first` has a process id that is not the server's own.
 */
async function poolerOf(connection: pg.ClientConfig, first: pg.Client): Promise<Pooler> {
  const own = new Set<number>();
  const others = new Set<number>();
  let second: pg.Client;
  try {
    second = await openClient(connection);
  } catch {
    // a pool that has no second connection while the first is idle does not share it
    return "session";
  }
  try {
    for (let round = 0; round < rounds; round += 1) {
      own.add(await backendOf(first));
      others.add(await backendOf(second));
    }
  } finally {
    await second.end();
  }
  return isShared(own, others) ? "shared" : "session";
}

export const isShared = (own: ReadonlySet<number>, others: ReadonlySet<number>): boolean =>
  own.size > 1 || others.size > 1 || [...own].some((pid) => others.has(pid));

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid ?? 0;
}
