import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { installCitusStandIn } from "../../../testkit/citus.ts";
import { openTestDatabase, type TestDatabase } from "../../../testkit/database.ts";
import { withClient } from "../../../testkit/nodes.ts";
import { openProxy, type TcpProxy } from "../../../testkit/proxy.ts";
import { patience } from "../../../testkit/slowness.ts";
import { openLog } from "../log.ts";
import { Database } from "./database.ts";
import { raw, sql } from "./sql.ts";
import { connectionAt, StoreHomes } from "./store-homes.ts";

/** A node's part of the catalog: two databases of one server stand for a coordinator and a node. */
const catalog = (localGroup: number) => `
  ALTER TABLE citus_stand_in.pg_dist_node ADD nodeid integer DEFAULT 1, ADD isactive boolean DEFAULT true,
    ADD hasmetadata boolean DEFAULT true, ADD metadatasynced boolean DEFAULT true;
  INSERT INTO citus_stand_in.pg_dist_node VALUES (1, 'one', 5432, 'primary', true);
  INSERT INTO citus_stand_in.pg_dist_placement VALUES (1, 1);
  CREATE TABLE citus_stand_in.pg_dist_local_group AS SELECT ${localGroup} AS groupid;
  CREATE TABLE citus_stand_in.homeless (store_id uuid);
  CREATE FUNCTION citus_stand_in.get_shard_id_for_distribution_column(t regclass, store uuid) RETURNS bigint
    LANGUAGE sql AS 'SELECT 1 WHERE store NOT IN (SELECT store_id FROM citus_stand_in.homeless)';`;

const log = openLog("fatal", { write: () => undefined });
const store = randomUUID();
const homeless = randomUUID();

// a cluster has nodes of its own
describe.runIf(inject("workers").length === 0)("a store's node [operations.store-homes]", () => {
  let [one, two]: [TestDatabase | null, TestDatabase | null] = [null, null];
  let proxy: TcpProxy;
  let coordinator: Database;
  let homes: StoreHomes;
  let logged: string[];
  let passed = 0;
  const closers: (() => Promise<unknown>)[] = [];

  const addStore = (client: pg.Client) =>
    client.query(
      `INSERT INTO stores (id, name, shop_domain, plan, timezone, currency, publishable_key, commerce_secret, created_at)
       VALUES ($1, '', 'a.example', 'plus', 'UTC', 'USD', gen_random_uuid(), '', now())`,
      [store],
    );

  beforeAll(async () => {
    [one, two] = [await openTestDatabase(log), await openTestDatabase(log)];
    for (const [group, { connection }] of [one, two].entries()) {
      await withClient(connection, async (client) => {
        await addStore(client);
        await installCitusStandIn(client, String(connection.database));
        await client.query(catalog(group));
      });
    }
    await withClient(one.connection, (client) =>
      client.query("INSERT INTO citus_stand_in.homeless VALUES ($1)", [homeless]),
    );
    proxy = await openProxy(two.connection);
  });
  afterAll(async () => {
    await proxy.close();
    await Promise.all([one?.close(), two?.close()]);
  });

  beforeEach(() => {
    logged = [];
    const open = (connection: pg.PoolConfig) => new Database({ connection, size: 2, log, pipelined: true });
    coordinator = open({ ...one?.connection });
    homes = new StoreHomes({
      coordinator,
      open: () => open({ ...two?.connection, host: "127.0.0.1", port: proxy.port }),
      elapsed: () => performance.now() + passed,
      log: openLog("info", { write: (line: string) => void logged.push(line) }),
    });
    closers.push(
      () => homes.close(),
      () => coordinator.close(),
    );
    return async () => {
      for (const close of closers.splice(0)) await close();
    };
  });

  /** The name of the database that a store's transaction runs in. */
  const placeOf = (id: string) =>
    homes.inStore(id, async (tx) => {
      const row = await tx.first(sql<{ name: string }>`SELECT current_database() AS name`);
      return row?.name;
    });
  const becomes = (id: string, database: TestDatabase | null) =>
    expect.poll(() => placeOf(id), { timeout: 10_000 * patience }).toBe(database?.connection.database);

  it("commits what is of the store, from the moment on that it is known and answers", async () => {
    expect(await placeOf(store)).toBe(one?.connection.database);
    await becomes(store, two);
    expect(await placeOf(homeless)).toBe(one?.connection.database);
    expect(logged).toEqual([]);
    expect(homes.connections.idle).toBeGreaterThan(0);
  });

  it.each(["local_group", "stores"])("is left alone where it is another cluster's: %s", async (differs) => {
    const [change, back] =
      differs === "stores"
        ? ["UPDATE stores SET id = gen_random_uuid()", `UPDATE stores SET id = '${store}'`]
        : ["UPDATE pg_dist_local_group SET groupid = 7", "UPDATE pg_dist_local_group SET groupid = 1"];
    const onTwo = (text: string) => withClient({ ...two?.connection }, (client) => client.query(text));
    await onTwo(change);
    await placeOf(store);
    await expect.poll(() => logged.length, { timeout: 10_000 * patience }).toBe(1);
    expect(logged[0]).toMatch(/cannot be reached directly/);
    expect(await placeOf(store)).toBe(one?.connection.database);
    await onTwo(back);
    passed += 15_000;
    await becomes(store, two);
    expect(logged.length).toBe(2);
  });

  it("is left alone where it cannot be reached, until it can", async () => {
    await becomes(store, two);
    await proxy.cut();
    await expect(placeOf(store)).rejects.toMatchObject({ title: "dependency_unavailable" });
    expect(await placeOf(store)).toBe(one?.connection.database);
    await proxy.restore();
    passed += 15_000;
    await becomes(store, two);
  });

  it("is passed over by an error of the work's own, which says nothing about the node", async () => {
    await becomes(store, two);
    const failing = homes.inStore(store, (tx) => tx.all(sql`SELECT ${raw("1/0")}`));
    await expect(failing).rejects.toThrow("division by zero");
    expect(await placeOf(store)).toBe(two?.connection.database);
  });
});

describe("a node's connection [operations.store-homes]", () => {
  const setting = "-c citus.propagate_set_commands=local";
  const at = { host: "db-1.internal", port: 5601 };
  it.each([
    ["postgres://app:p%40ss@db-0:5432/quiz?sslmode=verify-full", "app", "p@ss", setting],
    ["postgresql://app@db-0/quiz?options=-c%20work_mem%3D64MB", "app", undefined, `-c work_mem=64MB ${setting}`],
    ["postgres://app@localhost/quiz?host=/run/postgresql&port=5433", "app", undefined, setting],
  ])("leads to the same database as the same user: %s", (connectionString, user, password, options) => {
    const connection = connectionAt({ connectionString }, at);
    const client = new pg.Client(connection);
    expect([client.host, client.port, client.user, client.database]).toEqual([at.host, at.port, user, "quiz"]);
    expect(client.password ?? undefined).toBe(password);
    expect(new URL(String(connection.connectionString)).searchParams.get("options")).toBe(options);
  });

  it("takes addresses of IPv6, and connections without a URL", () => {
    const client = new pg.Client(
      connectionAt({ connectionString: "postgres://a@db-0/quiz" }, { host: "fd00::1", port: 1 }),
    );
    expect([client.host, client.port]).toEqual(["fd00::1", 1]);
    expect(connectionAt({ host: "/run", port: 2, user: "a" }, at)).toEqual({ ...at, user: "a", options: setting });
  });
});
