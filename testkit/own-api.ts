import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CopyLoading } from "../server/columnar-copy/public.ts";
import { Closers } from "../server/main/closers.ts";
import { type Api, type ApiFoundations, composeApi, nothingServed } from "../server/main/compose.ts";
import { type OpenedServer, openServer } from "../server/main/open-server.ts";
import { type Config, readConfig } from "../server/platform/config.ts";
import { type OwnDatabase, openOwnDatabase } from "./own-database.ts";
import { databaseUrl } from "./real-processes.ts";

/**
 * The program's API in this process, on a port, for hard tests and benchmarks that access its internals; it has its own
 * database.
 */

export interface OwnApi {
  opened: OpenedServer;
  foundations: ApiFoundations;
  api: Api;
  config: Config;
  database: OwnDatabase;
  url: string;
  close(): Promise<void>;
}

/** Resolves once a store's copy has been loaded, however long its first load takes. */
export async function untilCopied({ opened }: Pick<OwnApi, "opened">, storeId: string): Promise<void> {
  for (;;) {
    try {
      await opened.facts.read(storeId, async () => null);
      return;
    } catch (error) {
      if (!(error instanceof CopyLoading)) throw error;
    }
  }
}

export interface OwnApiOptions {
  /** opens the database, which is closed with the API; by default a new one */
  openDatabase?: () => Promise<OwnDatabase>;
  /**
   * The port of a proxy in front of the database, given the database's connection: the API then only uses the proxy.
   */
  throughPort?: (connection: OwnDatabase["connection"]) => Promise<number>;
  /** replaces parts of what the program opens, for example with a built player */
  foundations?: Partial<ApiFoundations>;
}

export async function openOwnApi(options: OwnApiOptions = {}): Promise<OwnApi> {
  const { openDatabase = openOwnDatabase, throughPort, foundations: given } = options;
  const closers = new Closers();
  const close = () => closers.close();
  try {
    const data = await mkdtemp(join(tmpdir(), "quizstore-hard-"));
    closers.add(() => rm(data, { recursive: true, force: true }));
    const database = await openDatabase();
    closers.add(() => database.close());
    const through = await throughPort?.(database.connection);
    const way = through === undefined ? {} : { host: "127.0.0.1", port: through };
    const config = readConfig({
      DATABASE_URL: databaseUrl({ ...database.connection, ...way }),
      SECRET_KEY: randomBytes(32).toString("hex"),
      DATA_DIR: data,
      BASE_URL: "http://127.0.0.1",
      LOG_LEVEL: "fatal",
    });
    const opened = await openServer(config, { connections: 20 });
    closers.add(() => opened.close());
    const foundations = { ...opened, ...nothingServed, ...given };
    const api = composeApi(foundations);
    closers.add(() => api.app.close());
    const url = await api.app.listen({ port: 0, host: "127.0.0.1" });
    return { opened, foundations, api, config, database, url, close };
  } catch (error) {
    await close();
    throw error;
  }
}
