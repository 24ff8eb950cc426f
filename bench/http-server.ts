import { randomBytes } from "node:crypto";
import { fastify } from "fastify";
import pg from "pg";
import { composeApi, nothingServed } from "../server/main/compose.ts";
import { readConfig } from "../server/platform/config.ts";
import { Database } from "../server/platform/database/database.ts";
import { openFiles } from "../server/platform/files/open.ts";
import { openLog } from "../server/platform/log.ts";
import { openSecrets } from "../server/platform/secrets.ts";
import { StoreCalendars } from "../server/platform/store-calendars.ts";
import { TestCopies } from "../testkit/copies.ts";
import { inMemory } from "../testkit/in-memory.ts";

/**
 * A server for `bench/http.ts`, in a separate process: the product, or the minimal code that could give the same
 * answer.
 */

interface Settings {
  kind: "product" | "bytes" | "statement";
  connection: pg.ClientConfig;
  secretKey: string;
  /** bytes: the answer's body */
  body?: string;
  /** statement: the statement to run for each request */
  statement?: { name: string; text: string; values: unknown[] };
}

const settings = JSON.parse(process.argv[2] ?? "") as Settings;
const poolSize = 10;
const wallTime = () => Math.floor(performance.timeOrigin + performance.now());

function product() {
  const log = openLog("info", { write: () => undefined });
  const elapsed = () => performance.now();
  const config = readConfig({ BASE_URL: "http://bench.test" });
  const database = new Database({ connection: settings.connection, size: poolSize, log });
  const calendar = new StoreCalendars({ now: wallTime, afterReal: (ms: number) => wallTime() + ms });
  return composeApi({
    ...nothingServed,
    ...inMemory(elapsed),
    ...{ config, database, intakeDatabase: database, calendar, random: randomBytes, log },
    secrets: openSecrets(settings.secretKey, randomBytes),
    facts: new TestCopies({ database, calendar, elapsed, random: randomBytes, log }),
    files: openFiles(config.exportStorage),
  }).app;
}

function bare() {
  const app = fastify({ logger: false });
  const { body = "", statement } = settings;
  if (settings.kind === "bytes") {
    app.get("/*", (_request, reply) => reply.type("application/json; charset=utf-8").send(body));
    return app;
  }
  const pool = new pg.Pool({ ...settings.connection, max: poolSize });
  app.get("/*", async (_request, reply) => {
    const { rows } = await pool.query(statement as pg.QueryConfig);
    return reply.type("application/json; charset=utf-8").send(JSON.stringify({ data: rows }));
  });
  return app;
}

const app = settings.kind === "product" ? product() : bare();
await app.listen({ host: "127.0.0.1", port: 0 });
const address = app.server.address();
process.once("disconnect", () => process.exit(0));
if (address !== null && typeof address === "object") process.send?.(address.port);
