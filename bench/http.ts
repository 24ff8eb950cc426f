import { randomBytes } from "node:crypto";
import { join } from "node:path";
import autocannon from "autocannon";
import pg from "pg";
import { Database } from "../server/platform/database/database.ts";
import { type Statement, sql } from "../server/platform/database/sql.ts";
import { parseId, uuidAt } from "../server/platform/ids.ts";
import { openLog } from "../server/platform/log.ts";
import { openSecrets } from "../server/platform/secrets.ts";
import { listQuizzesRoute } from "../server/quizzes/list-quizzes.ts";
import { createKey, createStore, updateStore } from "../server/stores/admin.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { type ChildServer, median, printRow, startServer } from "./support.ts";

/**
 * What the platform costs a request: `GET /v1/store` beside a bare fastify that sends the same bytes, and
 * `GET /v1/quizzes?limit=20` beside a bare fastify that runs the same statement and writes its rows as JSON. Each
 * server in a process of its own, by turns, 32 connections without pipelining. Targets: 0.5 and 0.6 of the bare one.
 *
 *   node bench/http.ts [seconds a turn, 5] [turns, 2]
 */

const seconds = Number(process.argv[2] ?? 5);
const turns = Number(process.argv[3] ?? 2);
const program = join(import.meta.dirname, "http-server.ts");

async function seed(connection: pg.ClientConfig): Promise<string> {
  const log = openLog("warn", { write: (line) => process.stderr.write(line) });
  const database = new Database({ connection, size: 1, log });
  const secrets = openSecrets("a secret key for benchmarks, long enough", randomBytes);
  const now = Math.floor(performance.timeOrigin);
  const deps = { calendar: { now: () => now, afterReal: (ms: number) => now + ms }, random: randomBytes, secrets };
  const given = { name: "Bench", shopDomain: "bench.example.com", plan: "plus", timezone: "UTC", currency: "USD" };
  const key = await database.transaction(async (tx) => {
    const store = await createStore(tx, deps, given);
    const uuid = parseId("store", store.store_id) ?? "";
    await updateStore(tx, uuid, { limits: { capacity: 1_000_000, leak_per_second: 1_000_000 } });
    for (let n = 0; n < 60; n += 1) {
      const at = new Date(now - n * 60_000);
      await tx.all(sql`INSERT INTO quizzes (store_id, id, name, draft, draft_page_count, created_at, updated_at)
              VALUES (${uuid}, ${uuidAt(at.getTime(), randomBytes)}, ${`Find your routine, part ${n}`}, '{"pages":[]}', 4, ${at}, ${at})`);
    }
    return (await createKey(tx, deps, uuid, {})).key;
  });
  await database.close();
  return key;
}

interface Turn {
  perSecond: number;
  p99: number;
  /** of the server's processor, for one request */
  microseconds: number;
}

async function load(server: ChildServer, path: string, key: string, duration: number): Promise<Turn> {
  const before = await server.processorMs();
  const result = await autocannon({
    url: `http://127.0.0.1:${server.port}${path}`,
    connections: 32,
    pipelining: 1,
    duration,
    headers: { authorization: `Bearer ${key}` },
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${path}: ${result.non2xx} refused, ${result.errors} failed`);
  const microseconds = ((await server.processorMs()) - before) * (1_000 / result.requests.total);
  return { perSecond: result.requests.average, p99: result.latency.p99, microseconds };
}

async function compare(
  path: string,
  key: string,
  product: ChildServer,
  bare: ChildServer,
  target: number,
): Promise<void> {
  const figures = { product: [] as number[], bare: [] as number[] };
  for (const server of [product, bare]) await load(server, path, key, 1);
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, server] of [
      ["product", product],
      ["bare", bare],
    ] as const) {
      const { perSecond, p99, microseconds } = await load(server, path, key, seconds);
      figures[name].push(perSecond);
      printRow(
        `${path} ${name}`,
        Math.round(perSecond),
        `p99 ${p99} ms`,
        `${Math.round(microseconds)} us CPU`,
        `${await server.memory()} MB`,
      );
    }
  }
  const ratio = median(figures.product) / median(figures.bare);
  printRow(`${path} ratio`, ratio.toFixed(2), `target ${target}`, ratio >= target ? "met" : "MISSED");
}

const database = await openOwnDatabase();
const servers: ChildServer[] = [];
const start = async (settings: object) => {
  // all three as `npm start` runs the product
  const server = await startServer(program, { connection: database.connection, ...settings }, [
    "--max-semi-space-size=64",
  ]);
  servers.push(server);
  return server;
};
try {
  const key = await seed(database.connection);
  const product = await start({ kind: "product" });
  const read = async (path: string) =>
    (await fetch(`http://127.0.0.1:${product.port}${path}`, { headers: { authorization: `Bearer ${key}` } })).text();
  const store = "/v1/store";
  await compare(store, key, product, await start({ kind: "bytes", body: await read(store) }), 0.5);
  const quizzes = "/v1/quizzes?limit=20";
  if (JSON.parse(await read(quizzes)).data?.length !== 20) throw new Error("the list has not 20 quizzes");
  await compare(quizzes, key, product, await start({ kind: "statement", statement: await sameStatement() }), 0.6);
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  await database.close();
}

/** Just what the list runs: its route is asked with a database that only takes the statement down. */
async function sameStatement(): Promise<{ name: string; text: string; values: readonly unknown[] }> {
  const client = new pg.Client(database.connection);
  await client.connect();
  const { rows } = await client.query("SELECT id FROM stores");
  await client.end();
  const taken: Statement<unknown>[] = [];
  const note = async (query: unknown) => {
    taken.push(query as Statement<unknown>);
    return [];
  };
  const secrets = openSecrets("a secret key for benchmarks, long enough", randomBytes);
  const deps = {
    calendar: { now: () => 0, afterReal: (ms: number) => ms },
    random: randomBytes,
    secrets,
    baseUrl: "http://bench.test",
  };
  const request = { caller: { store: { id: rows[0].id } }, query: { limit: 20 } };
  // the route asks for no more of a request and of a database than this
  await listQuizzesRoute(deps).read?.(request as never, { all: note, first: note } as never);
  const [statement] = taken;
  if (!statement) throw new Error("the list ran no statement");
  return { name: "page", text: statement.sql, values: statement.parameters };
}
