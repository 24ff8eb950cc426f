import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type pg from "pg";
import { copyOut } from "../server/columnar-copy/copy-out.ts";
import { ColumnarCopies } from "../server/columnar-copy/public.ts";
import { peopleOf, sessionsOf } from "../server/columnar-copy/source.ts";
import { Closers } from "../server/main/closers.ts";
import { Database } from "../server/platform/database/database.ts";
import { openLog } from "../server/platform/log.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { seedDatabase } from "../testkit/seeded/stores.ts";
import { percentile } from "./support.ts";

/**
 * Measures the columnar copy: first load, applying changes, memory. The baselines are the minimal cost of the same
 * work: for the load, PostgreSQL's transfer of the rows alone, and the plain way with rows as JavaScript objects; for
 * changes, the statements of the changed rows alone.
 *
 *   node bench/facts.ts [sessions, 50000] [people, three in ten] [rounds of changes, 30]
 *
 * In its own database, see `openOwnDatabase`.
 */

const sessions = Number(process.argv[2] ?? 50_000);
const people = Number(process.argv[3] ?? Math.round(sessions * 0.3));
const rounds = Number(process.argv[4] ?? 30);
const changedAtOnce = Math.min(1_000, sessions);
const memoryLimitMb = 512;
/** the seeded store's UUID */
let storeId = "";
const closers = new Closers();
const log = openLog("error", { write: (line) => void process.stderr.write(line) });

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
};
const rate = (time: number) => `${Math.round(sessions / time).toLocaleString("en")} sessions/s`;
const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`;
const at = (taken: readonly number[], share: number) => Math.round(percentile(taken, share));

/** The time that PostgreSQL and the socket need to transfer what a load reads. */
async function handOver(database: Database, folder: string, since: number | null): Promise<void> {
  const client = await database.dedicated();
  let files = 0;
  const options = {
    partBytes: 8 << 20,
    nextPath: () => join(folder, `floor-${files++}.csv`),
    work: (path: string) => rm(path),
  };
  try {
    // the first read of a million rows finds an empty cache, and may take longer than a request's time limit
    await client.query("SET statement_timeout = 0");
    for (const rows of [peopleOf, sessionsOf]) {
      await copyOut(client, rows({ storeId, since }).query, options);
    }
  } finally {
    client.release();
  }
}

/** The plain way: rows as objects, inserted into DuckDB one by one; only some of them, since it is slow. */
async function asObjects(database: Database): Promise<{ sessions: number; time: number }> {
  const part = Math.min(20_000, sessions);
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run("CREATE TABLE answers (session BIGINT, page_key VARCHAR, component_key VARCHAR, value VARCHAR)");
  const time = await seconds(async () => {
    const { rows } = await (await clientOf(database)).query(
      "SELECT number, state FROM sessions WHERE store_id = $1 AND number <= $2",
      [storeId, part],
    );
    const appender = await connection.createAppender("answers");
    for (const { number, state } of rows) {
      for (const answer of state.answers) {
        appender.appendBigInt(BigInt(number));
        appender.appendVarchar(answer.page_key);
        appender.appendVarchar(answer.component_key);
        appender.appendVarchar(JSON.stringify(answer.option_ids ?? answer.value));
        appender.endRow();
      }
    }
    appender.closeSync();
  });
  return { sessions: part, time };
}

async function clientOf(database: Database): Promise<pg.PoolClient> {
  const client = await database.dedicated();
  closers.add(() => client.release());
  return client;
}

async function change(client: pg.PoolClient, atOnce: number): Promise<void> {
  const from = 1 + Math.floor(Math.random() * (sessions - atOnce));
  const { rows } = await client.query<{ revision: number }>(
    "UPDATE store_revisions SET revision = revision + 1 WHERE store_id = $1 RETURNING revision",
    [storeId],
  );
  // a third of them is completed again, so that their people's latest session is looked up again
  await client.query(
    `UPDATE sessions SET completed_at = completed_at + interval '1 second'
     WHERE store_id = $1 AND number > $2 AND number <= $3 AND number % 3 = 0`,
    [storeId, from, from + atOnce],
  );
  await client.query(
    `INSERT INTO changes SELECT $1, $2, $3, 'session', id, now() FROM sessions
     WHERE store_id = $1 AND number > $4 AND number <= $5`,
    [storeId, rows[0]?.revision, randomUUID(), from, from + atOnce],
  );
}

interface Measured {
  copies: ColumnarCopies;
  database: Database;
  folder: string;
}

async function measureChanges({ copies, database, folder }: Measured, atOnce: number): Promise<void> {
  const client = await database.dedicated();
  const nothing = { sql: "SELECT 1 AS one", parameters: [] };
  const taken: number[] = [];
  let processor = 0;
  const floor: number[] = [];
  const before = (await client.query("SELECT revision FROM store_revisions WHERE store_id = $1", [storeId])).rows[0];
  for (let round = 0; round < rounds; round++) {
    await change(client, atOnce);
    floor.push(1000 * (await seconds(() => handOver(database, folder, before.revision + round))));
    const used = process.cpuUsage();
    taken.push(1000 * (await seconds(() => copies.ask(storeId, nothing))));
    const { user, system } = process.cpuUsage(used);
    processor += (user + system) / 1000 / rounds;
  }
  client.release();
  console.log(
    `${atOnce} changed ${atOnce === 1 ? "session" : "sessions"}: p50 ${at(taken, 0.5)} ms, p99 ${at(taken, 0.99)} ms, ${Math.round(processor)} ms of processor here; ` +
      `handing over alone p50 ${at(floor, 0.5)} ms (${(at(taken, 0.5) / Math.max(1, at(floor, 0.5))).toFixed(1)} times)`,
  );
}

async function measureNoChange(copies: ColumnarCopies): Promise<void> {
  const nothing = { sql: "SELECT 1 AS one", parameters: [] };
  const idle: number[] = [];
  for (let round = 0; round < 100; round++) idle.push(1000 * (await seconds(() => copies.ask(storeId, nothing))));
  console.log(`no change: p50 ${at(idle, 0.5)} ms, p99 ${at(idle, 0.99)} ms`);
}

async function main(): Promise<void> {
  const { connection, close } = await openOwnDatabase();
  closers.add(close);
  const secretKey = randomBytes(32).toString("hex");
  const seeded = await seconds(async () => {
    const [store] = await seedDatabase(connection, secretKey, [
      { sessions, people, quizzes: 5, plan: "plus", limits: {} },
    ]);
    storeId = store?.id ?? "";
  });
  console.log(`${sessions} sessions, ${people} people, ${sessions * 4} answers (seeded in ${Math.round(seeded)} s)`);
  const database = new Database({ connection, size: 6, log });
  closers.add(() => database.close());
  const folder = await mkdtemp(join(tmpdir(), "quizstore-facts-"));
  closers.add(() => rm(folder, { recursive: true, force: true }));
  // twice, because the database's cache is cold at first
  await handOver(database, folder, null);
  const floor = await seconds(() => handOver(database, folder, null));
  const plain = await asObjects(database);
  const copies = await ColumnarCopies.open({
    directory: join(folder, "facts"),
    database,
    calendar: { now: () => Date.now(), afterReal: (milliseconds) => Date.now() + milliseconds },
    elapsed: () => performance.now(),
    random: randomBytes,
    log,
    memoryLimitMb,
    loadWaitMs: 3_600_000,
  });
  closers.add(() => copies.close());
  const before = process.cpuUsage();
  const load = await seconds(() => copies.ask(storeId, { sql: "SELECT 1 AS one", parameters: [] }));
  const { user, system } = process.cpuUsage(before);
  const file = await fileSize(join(folder, "facts", "1"));
  console.log(
    `first load: ${rate(load)} (${load.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of processor here); ` +
      `handing over alone ${rate(floor)} (${(load / floor).toFixed(1)} times)`,
  );
  const plainRate = plain.sessions / plain.time;
  console.log(
    `answers alone as JavaScript objects: ${Math.round(plainRate).toLocaleString("en")} sessions/s ` +
      `(the load is ${(sessions / load / plainRate).toFixed(1)} times as fast)`,
  );
  console.log(`file ${megabytes(file)}; memory limit ${memoryLimitMb} MB, RSS ${megabytes(process.memoryUsage.rss())}`);
  for (const atOnce of [1, changedAtOnce]) await measureChanges({ copies, database, folder }, atOnce);
  await measureNoChange(copies);
  console.log(`RSS at the end ${megabytes(process.memoryUsage.rss())}`);
}

async function fileSize(folder: string): Promise<number> {
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

try {
  await main();
} finally {
  await closers.close();
}
