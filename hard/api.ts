import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../journeys/program.ts";
import { type Api, composeApi } from "../server/main/compose.ts";
import { type Opened, openFoundations } from "../server/main/foundations.ts";
import { type Config, readConfig } from "../server/platform/config.ts";
import { type OwnDatabase, openOwnDatabase } from "../testkit/own-database.ts";
import { databaseUrl } from "./real-processes.ts";

/** The API of the program in this process, on a port, where a test has to reach into it; its database is its own. */

export interface HardApi {
  opened: Opened;
  api: Api;
  config: Config;
  database: OwnDatabase;
  url: string;
  close(): Promise<void>;
}

export interface HardApiOptions {
  /** closed with the API; one of its own without */
  openDatabase?: () => Promise<OwnDatabase>;
  /** The port of a proxy before the database, given its connection: the API then knows no other way. */
  throughPort?: (connection: OwnDatabase["connection"]) => Promise<number>;
}

export async function openHardApi({
  openDatabase = openOwnDatabase,
  throughPort,
}: HardApiOptions = {}): Promise<HardApi> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const data = await mkdtemp(join(tmpdir(), "quizstore-hard-"));
    closers.push(() => rm(data, { recursive: true, force: true }));
    const database = await openDatabase();
    closers.push(() => database.close());
    const through = await throughPort?.(database.connection);
    const way = through === undefined ? {} : { host: "127.0.0.1", port: through };
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const config = readConfig({
      DATABASE_URL: databaseUrl({ ...database.connection, ...way }),
      SECRET_KEY: randomBytes(32).toString("hex"),
      DATA_DIR: data,
      PORT: String(port),
      BASE_URL: url,
      LOG_LEVEL: "fatal",
    });
    const opened = await openFoundations(config, { role: "server", connections: 20 });
    closers.push(() => opened.close());
    const api = composeApi(opened);
    closers.push(() => api.app.close());
    await api.app.listen({ port, host: "127.0.0.1" });
    return { opened, api, config, database, url, close };
  } catch (error) {
    await close();
    throw error;
  }
}
