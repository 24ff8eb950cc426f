import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { installCitusStandIn } from "../../testkit/citus.ts";
import { withClient } from "../../testkit/nodes.ts";
import { openProxy } from "../../testkit/proxy.ts";
import { timed } from "../../testkit/timed.ts";
import { Database } from "../platform/database/database.ts";
import { ClusterNodes } from "../platform/database/nodes.ts";
import type { Runner } from "../platform/database/sql.ts";
import { assertTimeLeft, type Deadline, noDeadline } from "../platform/deadline.ts";
import { checkNodes } from "../platform/readiness/checks.ts";
import { sweepOutbox } from "../webhooks/fan-out.ts";
import { inspectNodes } from "./doctor/database.ts";
import { openNodes } from "./foundations.ts";

/**
 * A stand-in for a cluster: each store lies on one of two nodes, and reading a row of a store whose node is away fails
 * as it does on Citus, or waits.
 */
const twoNodes = `
  INSERT INTO citus_stand_in.pg_dist_node VALUES (1, 'one', 5432, 'primary', true), (2, 'two', 5432, 'primary', true);
  INSERT INTO citus_stand_in.pg_dist_placement VALUES (1, 1), (2, 2);
  CREATE TABLE lies_on (store_id uuid PRIMARY KEY, groupid integer);
  CREATE TABLE troubles (groupid integer, hangs boolean);
  CREATE FUNCTION citus_stand_in.get_shard_id_for_distribution_column(t regclass, store uuid) RETURNS bigint
    LANGUAGE sql AS 'SELECT groupid FROM lies_on WHERE store_id = store';
  CREATE FUNCTION reached(store uuid) RETURNS boolean LANGUAGE plpgsql COST 100000 AS $$
    DECLARE trouble record; BEGIN
      SELECT t.hangs INTO trouble FROM troubles t JOIN lies_on l USING (groupid) WHERE l.store_id = store;
      IF FOUND AND trouble.hangs THEN PERFORM pg_sleep(20); END IF;
      IF FOUND THEN RAISE 'connection to the remote node failed' USING ERRCODE = '08006'; END IF;
      RETURN true;
    END $$;
  ALTER TABLE outbox RENAME TO outbox_rows;
  CREATE VIEW outbox AS SELECT * FROM outbox_rows WHERE reached(store_id);
  ALTER TABLE store_revisions RENAME TO store_revisions_rows;
  CREATE VIEW store_revisions AS SELECT * FROM store_revisions_rows WHERE reached(store_id);`;

// a cluster has nodes of its own
describe.runIf(inject("workers").length === 0)("a node of the cluster that is away", () => {
  let t: TestApp;
  let one: TestStore;
  let two: TestStore;
  let database: Database;
  let nodesDatabase: Database;
  let nodes: ClusterNodes;
  let passed = 0;
  const own: Database[] = [];

  const admin = <Result>(work: (client: pg.Client) => Promise<Result>) => withClient(t.connection, work);
  const trouble = (hangs: boolean) => admin((client) => client.query("INSERT INTO troubles VALUES (2, $1)", [hangs]));

  beforeAll(async () => {
    t = await openTestApp();
    [one, two] = [await t.store(), await t.store()];
    await admin(async (client) => {
      await installCitusStandIn(client, String(t.connection.database));
      await client.query(twoNodes);
      await client.query("INSERT INTO lies_on VALUES ($1, 1), ($2, 2)", [one.uuid, two.uuid]);
    });
  });
  afterAll(() => t.close());

  beforeEach(async () => {
    const { log } = t.foundations;
    await admin((client) => client.query("TRUNCATE troubles; DELETE FROM outbox_rows"));
    for (const { uuid } of [one, two]) await due(uuid);
    const elapsed = () => performance.now() + passed;
    nodesDatabase = new Database({ connection: t.connection, size: 4, log });
    nodes = new ClusterNodes({ database: nodesDatabase, elapsed, log });
    database = new Database({ connection: t.connection, size: 4, log, nodes });
    own.push(nodesDatabase, database);
  });
  afterAll(() => Promise.all(own.map((each) => each.close())));

  const due = (storeId: string) =>
    admin((client) =>
      client.query(
        `INSERT INTO outbox_rows (store_id, id, topic, created_at, due_at, data)
         VALUES ($1, $2, 'quiz.started', $3, $3, '{}')`,
        [storeId, randomUUID(), new Date(t.calendar.now() - 1_000)],
      ),
    );
  const deps = () => ({ builders: {}, now: t.calendar.now, random: randomBytes, log: t.foundations.log });
  const waiting = async () => {
    const { rows } = await admin((client) =>
      client.query<{ store_id: string }>("SELECT store_id FROM outbox_rows WHERE due_at IS NOT NULL"),
    );
    return rows.map(({ store_id }) => store_id);
  };

  it("leaves the due work of the other stores as it is, and its own waits until it is back [operations.due-work]", async () => {
    await trouble(false);
    expect(await sweepOutbox(database, deps())).toBe(1);
    expect(await waiting()).toEqual([two.uuid]);
    expect([database.isAway(one.uuid), database.isAway(two.uuid)]).toEqual([false, true]);
    await due(one.uuid);
    expect(await sweepOutbox(database, deps())).toBe(1);
    expect(await waiting()).toEqual([two.uuid]);
    await admin((client) => client.query("TRUNCATE troubles"));
    passed += 15_000;
    await nodes.states();
    expect(await sweepOutbox(database, deps())).toBe(1);
    expect(await waiting()).toEqual([]);
  });

  it("costs the others two looks' time at first where it hangs, and nothing from then on [operations.node-away]", async () => {
    await trouble(true);
    const first = await timed(() => sweepOutbox(database, deps()));
    expect(first.result).toBe(1);
    expect(first.ranMs).toBeLessThan(8_000);
    expect(await waiting()).toEqual([two.uuid]);
    await due(one.uuid);
    const again = await timed(() => sweepOutbox(database, deps()));
    expect(again.result).toBe(1);
    expect(again.ranMs).toBeLessThan(1_500);
  }, 30_000);

  it("is asked every fifteen seconds and not with each look: what asks it may hang with it [operations.node-away]", async () => {
    await trouble(false);
    await sweepOutbox(database, deps());
    await admin((client) => client.query("TRUNCATE troubles"));
    for (let looks = 0; looks < 3; looks += 1) await sweepOutbox(database, deps());
    expect(database.isAway(two.uuid)).toBe(true);
    passed += 15_000;
    await nodes.states();
    expect(database.isAway(two.uuid)).toBe(false);
  });

  it("degrades readiness and does not take the process out of rotation [operations.node-away]", async () => {
    expect(await checkNodes(nodes)()).toEqual({ status: "ok", detail: "2 of 2 answer" });
    await trouble(false);
    passed += 5_000;
    expect(await checkNodes(nodes)()).toEqual({
      status: "degraded",
      detail: "1 of 2 answer; the stores of the others are away",
    });
    expect(await nodes.states()).toEqual([
      { address: "one:5432", answers: true },
      { address: "two:5432", answers: false },
    ]);
  });

  it("is noticed where it accepts no new connection and goes on answering the others [operations.node-away]", async () => {
    const proxy = await openProxy(t.connection);
    const connection = { ...t.connection, host: "127.0.0.1", port: proxy.port, connectionTimeoutMillis: 1_000 };
    const elapsed = () => performance.now() + passed;
    const opened = openNodes(connection, { elapsed, log: t.foundations.log });
    const answering = async () => (await opened.nodes.states(30_000)).map(({ answers }) => answers);
    expect(await answering()).toEqual([true, true]);
    proxy.ignoreNew();
    passed += 5_000;
    expect(await answering()).toEqual([false, false]);
    await opened.closeNodes();
    await proxy.close();
  }, 60_000);

  it("fails doctor's check of the nodes by its address", async () => {
    await trouble(false);
    expect(inspectNodes(await nodes.states())).toMatchObject({
      status: "fail",
      detail: "no answer from two:5432: its stores are away, and their due work waits",
    });
  });

  it("is nothing that a first look waits for: whether there is a cluster has as much time as any statement", async () => {
    const slow = (deadline: Deadline = noDeadline): Runner => {
      const all = async () => {
        await setTimeout(2_300);
        assertTimeLeft(deadline);
        return [{ is_cluster: false }];
      };
      return { ...t.database.reader(deadline), all: all as Runner["all"] };
    };
    const first = new ClusterNodes({
      database: { reader: slow },
      elapsed: () => performance.now(),
      log: t.foundations.log,
    });
    expect(await first.across(async () => ["found"])).toEqual(["found"]);
  });

  it("is nothing that readiness speaks of where the database is no cluster", async () => {
    const other = await openTestApp();
    const plain = new ClusterNodes({
      database: other.database,
      elapsed: () => performance.now(),
      log: other.foundations.log,
    });
    expect([await checkNodes(plain)(), await plain.states()]).toEqual([null, []]);
    await other.close();
  });
});
