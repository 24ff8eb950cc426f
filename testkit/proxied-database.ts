import type pg from "pg";
import { Database } from "../server/platform/database/database.ts";
import { type Log, openLog } from "../server/platform/log.ts";
import { openProxy, type TcpProxy } from "./proxy.ts";

/** A pool of connections that a test can cut off from the database by a proxy in between. */
export interface ProxiedDatabase {
  proxy: TcpProxy;
  database: Database;
  close(): Promise<void>;
}

export async function openProxiedDatabase(connection: pg.ClientConfig, log: Log = silent): Promise<ProxiedDatabase> {
  const proxy = await openProxy(connection);
  const database = new Database({ connection: { ...connection, host: "127.0.0.1", port: proxy.port }, size: 4, log });
  const close = async () => {
    await database.close();
    await proxy.close();
  };
  return { proxy, database, close };
}

const silent = openLog("silent", { write: () => undefined });
