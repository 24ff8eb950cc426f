import { randomBytes } from "node:crypto";
import { join } from "node:path";
import autocannon from "autocannon";
import { runnerOf, type Statement } from "../server/platform/database/sql.ts";
import { openSecrets } from "../server/platform/secrets.ts";
import { listQuizzesRoute } from "../server/quizzes/list-quizzes.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { seedDatabase } from "../testkit/seeded/stores.ts";
import { type ChildServer, median, printRow, roomy, startServer } from "./support.ts";

/**
 * Measures the platform's cost of a request: `GET /v1/store` compared with a bare fastify that sends the same bytes,
 * and `GET /v1/quizzes?limit=20` compared with a bare fastify that runs the same statement and writes its rows as JSON.
 * The servers run in separate processes, in turn, with 32 connections without pipelining. Targets: 0.5 and 0.6 of the
 * bare one's rate.
 *
 *   node bench/http.ts [seconds a turn, 5] [turns, 2]
 */

const seconds = Number(process.argv[2] ?? 5);
const turns = Number(process.argv[3] ?? 2);
const program = join(import.meta.dirname, "http-server.ts");
const secretKey = randomBytes(32).toString("hex");

interface Turn {
  perSecond: number;
  p99: number;
  /** processor time of the server for one request */
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
  // all three run like the product under `npm start`
  const server = await startServer(program, { connection: database.connection, secretKey, ...settings }, [
    "--max-semi-space-size=64",
  ]);
  servers.push(server);
  return server;
};
try {
  const plan = { sessions: 0, quizzes: 60, plan: "plus" as const, limits: roomy };
  const [{ id, key } = { id: "", key: "" }] = await seedDatabase(database.connection, secretKey, [plan]);
  const product = await start({ kind: "product" });
  const read = async (path: string) =>
    (await fetch(`http://127.0.0.1:${product.port}${path}`, { headers: { authorization: `Bearer ${key}` } })).text();
  const store = "/v1/store";
  await compare(store, key, product, await start({ kind: "bytes", body: await read(store) }), 0.5);
  const quizzes = "/v1/quizzes?limit=20";
  if (JSON.parse(await read(quizzes)).data?.length !== 20) throw new Error("the list has not 20 quizzes");
  await compare(quizzes, key, product, await start({ kind: "statement", statement: await sameStatement(id) }), 0.6);
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  await database.close();
}

/** The list's exact statement: its route is called with a runner that only records the statement. */
async function sameStatement(storeId: string): Promise<{ name: string; text: string; values: readonly unknown[] }> {
  const taken: Statement<unknown>[] = [];
  const noting = runnerOf(async (statement) => {
    taken.push(statement as Statement<unknown>);
    return [];
  });
  const deps = {
    calendar: { now: () => 0, afterReal: (ms: number) => ms },
    random: randomBytes,
    secrets: openSecrets(secretKey, randomBytes),
    baseUrl: "http://bench.test",
  };
  const request = { caller: { store: { id: storeId } }, query: { limit: 20 } };
  // the route uses nothing else of a request
  await listQuizzesRoute(deps).read?.(request as never, noting.forStore(storeId));
  const [statement] = taken;
  if (!statement) throw new Error("the list ran no statement");
  return { name: "page", text: statement.sql, values: statement.parameters };
}
