import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CopyLoading, type CopyReader } from "../server/columnar-copy/public.ts";
import { type Api, composeApi, type Foundations } from "../server/main/compose.ts";
import { type Opened, openFoundations } from "../server/main/foundations.ts";
import { type Config, readConfig } from "../server/platform/config.ts";
import { type OwnDatabase, openOwnDatabase } from "./own-database.ts";
import { databaseUrl } from "./real-processes.ts";

/** The API of the program in this process, on a port, for hard tests and benchmarks that reach into it; its database is its own. */

export interface OwnApi {
  opened: Opened;
  api: Api;
  config: Config;
  database: OwnDatabase;
  url: string;
  close(): Promise<void>;
}

/** Answers once a store's copy is made, however long its first load takes. */
export async function untilCopied({ opened }: Pick<OwnApi, "opened">, storeId: string): Promise<void> {
  for (;;) {
    try {
      await copiesOf(opened).read(storeId, async () => null);
      return;
    } catch (error) {
      if (!(error instanceof CopyLoading)) throw error;
    }
  }
}

/** The columnar copies of the process. */
export function copiesOf({ facts }: Opened): CopyReader {
  if (!facts) throw new Error("a server has copies");
  return facts;
}

export interface OwnApiOptions {
  /** closed with the API; one of its own without */
  openDatabase?: () => Promise<OwnDatabase>;
  /** The port of a proxy before the database, given its connection: the API then knows no other way. */
  throughPort?: (connection: OwnDatabase["connection"]) => Promise<number>;
  /** in place of what the program opens, such as a built player */
  foundations?: Partial<Foundations>;
}

export async function openOwnApi(options: OwnApiOptions = {}): Promise<OwnApi> {
  const { openDatabase = openOwnDatabase, throughPort, foundations } = options;
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
    const config = readConfig({
      DATABASE_URL: databaseUrl({ ...database.connection, ...way }),
      SECRET_KEY: randomBytes(32).toString("hex"),
      DATA_DIR: data,
      BASE_URL: "http://127.0.0.1",
      LOG_LEVEL: "fatal",
    });
    const opened = await openFoundations(config, { role: "server", connections: 20 });
    closers.push(() => opened.close());
    const api = composeApi({ ...opened, ...foundations });
    closers.push(() => api.app.close());
    const url = await api.app.listen({ port: 0, host: "127.0.0.1" });
    return { opened, api, config, database, url, close };
  } catch (error) {
    await close();
    throw error;
  }
}
