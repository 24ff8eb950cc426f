import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { distribute } from "../server/platform/database/citus.ts";
import { migrate, readMigrations } from "../server/platform/database/migrate.ts";
import { openEmbedded } from "../server/platform/embedded-postgres/open-embedded.ts";
import { createOnCluster, dropDatabase, onEachNode, withClient, workersOf } from "./nodes.ts";
import { serverOf } from "./server-url.ts";

export interface OwnDatabase {
  connection: pg.ClientConfig;
  close(): Promise<void>;
}

/** Settings of a PostgreSQL that is started for this database alone. */
export type ServerSettings = Readonly<Record<string, string>>;

const migrations = join(import.meta.dirname, "../migrations");

/**
 * A migrated database that is dropped afterwards, for code that runs outside `npm test`: on the server at
 * TEST_DATABASE_URL, with its tables distributed over TEST_CITUS_WORKERS, otherwise on an embedded one.
 */
export function openOwnDatabase(): Promise<OwnDatabase> {
  const url = process.env["TEST_DATABASE_URL"];
  return url === undefined || url === "" ? openOwnServer() : createDatabase(serverOf(url));
}

async function createDatabase(server: pg.ClientConfig): Promise<OwnDatabase> {
  const workers = workersOf();
  const database = `quizstore_own_${process.pid}_${randomBytes(3).toString("hex")}`;
  if (workers.length > 0) await createOnCluster(server, workers, database);
  else await onEachNode(server, [], [`CREATE DATABASE ${database}`]);
  const connection = { ...server, database };
  await migrate(connection, await readMigrations(migrations));
  if (workers.length > 0) await withClient(connection, (client) => distribute(client, () => undefined));
  return { connection, close: () => dropDatabase(server, database, workers) };
}

/** A database on its own embedded PostgreSQL, so that nobody else is affected by what is done to the server. */
export async function openOwnServer(settings: ServerSettings = {}): Promise<OwnDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), "quizstore-own-"));
  const embedded = await openEmbedded({ dataDir, role: "command", settings, log: () => undefined });
  await migrate(embedded.connection, await readMigrations(migrations));
  return {
    connection: embedded.connection,
    close: async () => {
      await embedded.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
