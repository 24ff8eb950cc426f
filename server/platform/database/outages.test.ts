import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Answered, openTestApp, requester, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { openTestDatabase } from "../../../testkit/database.ts";
import { readEachNode } from "../../../testkit/nodes.ts";
import { slowRoutes, testRoutes } from "../../../testkit/operations.ts";
import { openProxiedDatabase, type ProxiedDatabase } from "../../../testkit/proxied-database.ts";
import { openProxy, type TcpProxy } from "../../../testkit/proxy.ts";
import { timed } from "../../../testkit/timed.ts";
import { Deadlines } from "../deadline.ts";
import { Problem } from "../problems.ts";
import { Connection } from "./connection.ts";
import { Database } from "./database.ts";
import { ownStore, sql, type Transaction } from "./sql.ts";

let t: TestApp;
let proxied: ProxiedDatabase;
let proxy: TcpProxy;
let database: Database;
let store: TestStore;
let ask: (method: string, url: string) => Promise<Answered>;

beforeAll(async () => {
  t = await openTestApp({ extraRoutes: [] });
  store = await t.store();
  const limits = { capacity: 1_000_000, leak_per_second: 1_000_000 };
  await t.update(store, { limits });
  proxied = await openProxiedDatabase(t.connection, t.foundations.log);
  ({ proxy, database } = proxied);
  const extraRoutes = [...slowRoutes(20), ...testRoutes().routes];
  const app = t.compose({ database, extraRoutes, elapsed: () => performance.now() });
  ask = (method, url) => requester(app)(method, url, { key: store.key });
});
afterAll(async () => {
  await proxied.close();
  await t.close();
});

/** How many requests sleep in the database, and how many of them have written something. */
async function sleepers() {
  // on a cluster, what sleeps on the coordinator has written on another node
  const activity = `SELECT count(*) FILTER (WHERE wait_event = 'PgSleep')::int AS all, count(backend_xid)::int AS writers
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const rows = await readEachNode<{ all: number; writers: number }>(t.connection, inject("workers"), activity);
  const sum = (column: "all" | "writers") => rows.reduce((total, row) => total + row[column], 0);
  return { all: sum("all"), writers: sum("writers") };
}

function expectAway(answer: Answered): void {
  expect([answer.status, answer.body.title]).toEqual([503, "dependency_unavailable"]);
  expect(answer.headers["retry-after"]).toBe("2");
  expect(answer.body.retry_after).toBe(2);
  expect(answer.body.request_id).toBe(answer.headers["request-id"]);
}

describe("the database out of reach [api.dependencies]", () => {
  it("answers 503 to reads and writes at once, and recovers without a restart", async () => {
    expect((await ask("GET", "/v1/store")).status).toBe(200);
    await proxy.cut();
    for (const [method, url] of [
      ["GET", "/v1/store"],
      ["POST", "/v1/things"],
      ["GET", "/v1/store"],
    ] as const) {
      const { result, ranMs } = await timed(() => ask(method, url));
      expectAway(result);
      expect(ranMs).toBeLessThan(2_000);
    }
    await proxy.restore();
    expect((await ask("GET", "/v1/store")).status).toBe(200);
    expect((await ask("POST", "/v1/things")).status).toBe(201);
  });

  it("answers 503 to what was under way when the connection broke", async () => {
    const pending = [ask("GET", "/v1/slow"), ask("POST", "/v1/slow"), ask("GET", "/v1/slow")];
    await expect.poll(sleepers).toEqual({ all: 3, writers: 1 });
    await proxy.cut();
    for (const answer of await Promise.all(pending)) expectAway(answer);
    await proxy.restore();
    // the server notices within a second that nobody waits for the write, and lets its lock go
    const { ranMs } = await timed(() => expect.poll(sleepers).toMatchObject({ writers: 0 }));
    expect(ranMs).toBeLessThan(2_000);
    expect((await ask("POST", "/v1/things")).status).toBe(201);
  });

  it("survives the loss of idle connections", async () => {
    const holders = await Promise.all(Array.from({ length: 4 }, () => database.dedicated()));
    for (const holder of holders) holder.release();
    expect(database.connections).toMatchObject({ inUse: 0, idle: 4 });
    await proxy.cut();
    await proxy.restore();
    await expect.poll(() => database.connections.idle).toBe(0);
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask("GET", "/v1/store")));
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
  });

  it("answers 503 when every connection stays taken, and serves again when they are free", async () => {
    const holders = await Promise.all(Array.from({ length: 4 }, () => database.dedicated()));
    const waiting = Promise.all([ask("GET", "/v1/store"), ask("POST", "/v1/things")]);
    for (const answer of await waiting) expectAway(answer);
    for (const holder of holders) holder.release();
    expect((await ask("GET", "/v1/store")).status).toBe(200);
  });

  it("gives up connections whose network swallows everything, when the request's time is up [api.request-time]", async () => {
    const impatient = t.compose({
      database,
      extraRoutes: slowRoutes(1),
      elapsed: () => performance.now(),
      requestTimeoutMs: 400,
    });
    const get = (url: string) =>
      impatient.inject({ method: "GET", url, headers: { authorization: `Bearer ${store.key}` } });
    expect((await ask("GET", "/v1/store")).status).toBe(200);
    proxy.swallow(true);
    expect((await get("/v1/store")).statusCode).toBe(504);
    await pause(5_500);
    proxy.swallow(false);
    await pause(100);
    expect((await ask("GET", "/v1/store")).status).toBe(200);
  }, 20_000);
});

it("a cancel that the network swallows is given up as well, and its statement's connection with it [api.request-time]", async () => {
  const own = await openProxiedDatabase(t.connection, t.foundations.log);
  const deadlines = new Deadlines(() => performance.now());
  const tooLong = () =>
    deadlines.within(500, (deadline) => own.database.reader(deadline).all(sql`SELECT pg_sleep(20)`));
  const one = () => own.database.reader().all(sql`SELECT 1 AS one`);
  await Promise.all([one(), one()]);
  // uses one of these two connections up, and leaves one for cancels open
  await expect(tooLong()).rejects.toMatchObject({ title: "timeout" });
  own.proxy.swallow(true);
  await expect(tooLong()).rejects.toMatchObject({ title: "timeout" });
  own.proxy.swallow(false);
  expect(own.database.connections.inUse).toBe(0);
  expect(await one()).toEqual([{ one: 1 }]);
  deadlines.stop();
  await own.close();
}, 30_000);

describe("an error that the server passes on from a node of its cluster [api.dependencies]", () => {
  it("answers 503 and keeps the connection, which a server that ends it loses", async () => {
    const admin = new pg.Client(t.connection);
    await admin.connect();
    await admin.query(`CREATE FUNCTION worker_away() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN
      RAISE 'connection to the remote node failed' USING ERRCODE = '08006'; END $$`);
    const own = new Database({ connection: t.connection, size: 1, log: t.foundations.log });
    const ask = async (sql: string) => (await own.reader().all<{ pid: number }>({ sql, parameters: [] }))[0]?.pid;
    const pid = await ask("SELECT pg_backend_pid() AS pid");
    const failing = own.transaction((tx) => tx.all(sql`SELECT worker_away()`));
    await expect(failing).rejects.toMatchObject({ title: "dependency_unavailable" });
    await expect(ask("SELECT worker_away()")).rejects.toMatchObject({ title: "dependency_unavailable" });
    expect(await ask("SELECT pg_backend_pid() AS pid")).toBe(pid);
    const ended = ask("SELECT pg_terminate_backend(pg_backend_pid())");
    await expect(ended).rejects.toMatchObject({ title: "dependency_unavailable" });
    expect(await ask("SELECT pg_backend_pid() AS pid")).not.toBe(pid);
    await own.close();
    await admin.end();
  });
});

describe("a statement past its deadline", () => {
  it("is cancelled where an extension has a second function of that name too, as Citus has [api.request-time]", async () => {
    const own = await openTestDatabase(t.foundations.log);
    const admin = new pg.Client(own.connection);
    await admin.connect();
    await admin.query(
      "CREATE FUNCTION pg_cancel_backend(global_pid bigint) RETURNS boolean LANGUAGE sql AS 'SELECT false'",
    );
    const deadlines = new Deadlines(() => performance.now());
    const sleeping = () => own.database.reader(deadlines.open(200)).all(sql`SELECT pg_sleep(20)`);
    const { ranMs } = await timed(() => expect(sleeping()).rejects.toMatchObject({ title: "timeout" }));
    // a connection whose statement could not be cancelled is given up after five seconds
    expect(ranMs).toBeLessThan(4_000);
    const underWay = () =>
      admin.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid() AND state = 'active'",
      );
    // the answer is sent before the transaction is rolled back, which takes a moment on a cluster
    await expect.poll(async () => (await underWay()).rows).toEqual([]);
    deadlines.stop();
    await admin.end();
    await own.close();
  }, 20_000);
});

describe("a cancel that reaches the server before its statement does", () => {
  it("is repeated, so that the statement ends all the same [api.request-time]", async () => {
    const own = await openTestDatabase(t.foundations.log);
    const pool = new pg.Pool({ ...own.connection, max: 2 });
    const client = await pool.connect();
    const deadlines = new Deadlines(() => performance.now());
    let cancels = 0;
    const cancel = async ({ processID }: pg.PoolClient) => {
      cancels += 1;
      if (cancels > 1) await pool.query("SELECT pg_cancel_backend($1::integer)", [processID]);
    };
    const connection = new Connection(client, deadlines.open(100), { nameOf: () => undefined, cancel });
    const sleeping = () => connection.all(sql`SELECT pg_sleep(20)`);
    const { ranMs } = await timed(() => expect(sleeping()).rejects.toMatchObject({ title: "timeout" }));
    // the connection itself is given up after five seconds, and what ran on it would run on
    expect(ranMs).toBeLessThan(4_000);
    const seen = cancels;
    await connection.release();
    await pause(500);
    expect(cancels).toBe(seen);
    deadlines.stop();
    await pool.end();
    await own.close();
  }, 20_000);
});

describe("transactions", () => {
  const bump = (id: string) => ({
    sql: "UPDATE store_revisions SET revision = revision + 1 WHERE store_id = $1",
    parameters: [id],
  });

  const revision = async (): Promise<number> => {
    const one = sql<{ revision: number }>`SELECT revision FROM store_revisions WHERE store_id = ${ownStore}`;
    return (await t.database.reader().forStore(store.uuid).first(one))?.revision ?? 0;
  };

  it("gives up a lock after two seconds with a 503 and keeps the connection [operations.transactions, api.dependencies]", async () => {
    const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = t.database.transaction(async (tx) => {
      await tx.all(bump(store.uuid));
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const began = performance.now();
    const waiter = t.database.transaction((tx) => tx.all(bump(store.uuid)));
    await expect(waiter).rejects.toMatchObject({ title: "dependency_unavailable", extra: { retry_after: 2 } });
    expect(performance.now() - began).toBeGreaterThan(1_900);
    held.resolve();
    await holder;
  });

  it("that wait for each other end one of them with a 503, and the other is committed [operations.transactions, api.dependencies]", async () => {
    const other = await t.store();
    const both = Promise.withResolvers<void>();
    let held = 0;
    const bumpBoth = (first: string, second: string) =>
      t.database.transaction(async (tx) => {
        await tx.all(bump(first));
        held += 1;
        if (held === 2) both.resolve();
        await both.promise;
        await tx.all(bump(second));
      });
    const before = await revision();
    const ends = await Promise.allSettled([bumpBoth(store.uuid, other.uuid), bumpBoth(other.uuid, store.uuid)]);
    const refused = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
    expect(refused).toEqual([expect.objectContaining({ title: "dependency_unavailable", extra: { retry_after: 2 } })]);
    expect(await revision()).toBe(before + 1);
  });

  it("begin in a message of its own, and their settings are sent without waiting for its answer", async () => {
    const sent: string[] = [];
    const far = await openProxy(t.connection);
    const own = new Database({
      connection: { ...t.connection, host: "127.0.0.1", port: far.port },
      ...{ size: 1, log: t.foundations.log, observe: (sql: string) => void sent.push(sql) },
    });
    await own.reader().all(sql`SELECT 1`);
    far.delay(50);
    const before = far.roundTrips;
    await own.transaction((tx) => tx.all(sql`SELECT 2`));
    const trips = far.roundTrips - before;
    far.delay(0);
    expect(sent.slice(1)).toEqual([
      "BEGIN",
      expect.stringMatching(/^SET LOCAL statement_timeout/),
      "SELECT 2",
      "COMMIT",
    ]);
    // a fourth would wait for BEGIN alone
    expect(trips).toBe(3);
    await own.close();
    await far.close();
  });

  it("commit behind what is sent last without waiting for its answer [operations.transactions]", async () => {
    const far = await openProxy(t.connection);
    const connection = { ...t.connection, host: "127.0.0.1", port: far.port };
    const own = new Database({ connection, size: 1, log: t.foundations.log });
    const before = await revision();
    await own.reader().all(sql`SELECT 1`);
    far.delay(50);
    const made = far.roundTrips;
    await own.transaction(async (tx) => tx.beforeCommit(tx.all(bump(store.uuid))));
    const trips = far.roundTrips - made;
    far.delay(0);
    // the first is BEGIN's
    expect(trips).toBe(2);
    expect(await revision()).toBe(before + 1);
    await own.close();
    await far.close();
  });

  it("commit nothing where what is sent last fails, or was never sent [operations.transactions]", async () => {
    const connection = t.connection;
    const observe = (text: string) => {
      if (text.includes("refused")) throw new Error("refused before it is sent");
    };
    const own = new Database({ connection, size: 1, log: t.foundations.log, observe });
    const before = await revision();
    for (const [last, failure] of [
      [sql`SELECT 1 / 0`, { code: "22012" }],
      [sql`SELECT 'refused'`, { message: "refused before it is sent" }],
    ] as const) {
      const failing = own.transaction(async (tx) => {
        tx.beforeCommit(tx.all(bump(store.uuid)));
        tx.beforeCommit(tx.all(last));
      });
      await expect(failing).rejects.toMatchObject(failure);
      const given = own.transaction(async (tx) => {
        tx.beforeCommit(tx.all(last));
        throw new Problem("conflict");
      });
      await expect(given).rejects.toMatchObject({ title: "conflict" });
      expect(await revision()).toBe(before);
    }
    const state = await own
      .reader()
      .first(sql<{ outside: boolean }>`SELECT pg_current_xact_id_if_assigned() IS NULL AS outside`);
    expect(state?.outside).toBe(true);
    await own.close();
  });

  it("take no statement behind their COMMIT, which would be no part of them [operations.transactions]", async () => {
    const before = await revision();
    const late = async (tx: Transaction) => {
      await nextTurn();
      await tx.all(bump(store.uuid));
    };
    const failing = t.database.transaction(async (tx) => tx.beforeCommit(late(tx)));
    await expect(failing).rejects.toThrow("behind COMMIT");
    expect(await revision()).toBe(before);
  });

  it("runs actions after the commit only, and outlives one that fails [operations.transactions]", async () => {
    const ran: string[] = [];
    await t.database.transaction(async (tx) => {
      tx.afterCommit(() => {
        throw new Error("canary of afterCommit");
      });
      tx.afterCommit(() => void ran.push("after"));
      expect(ran).toEqual([]);
    });
    expect(ran).toEqual(["after"]);
    expect(t.logged.some((line) => line.includes("canary of afterCommit"))).toBe(true);
    const rolledBack = t.database.transaction(async (tx) => {
      tx.afterCommit(() => void ran.push("never"));
      throw new Problem("conflict");
    });
    await expect(rolledBack).rejects.toThrow(Problem);
    expect(ran).toEqual(["after"]);
  });

  it("rolls back what failed, and leaves the connection fit for the next [operations.transactions]", async () => {
    const one = await openTestDatabase(t.foundations.log);
    for (let n = 0; n < 20; n += 1) {
      const failing = one.database.transaction(async (tx) => {
        await tx.forStore(store.uuid).all(sql`INSERT INTO store_revisions (store_id) VALUES (${ownStore})`);
        await tx.all(sql`SELECT 1 / 0`);
      });
      await expect(failing).rejects.toMatchObject({ code: "22012" });
    }
    const rows = await one.database
      .reader()
      .forStore(store.uuid)
      .all(sql`SELECT revision FROM store_revisions WHERE store_id = ${ownStore}`);
    expect(rows).toEqual([]);
    await one.close();
  });
});
