import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openTestApp, type TestApp } from "../../../testkit/app.ts";
import { createOnCluster, dropDatabase, homeOf, withClient, withoutNode } from "../../../testkit/nodes.ts";
import { makeQuiz } from "../../../testkit/quizzes.ts";
import { enter, opened, say } from "../../../testkit/session-scripts.ts";
import { patience } from "../../../testkit/slowness.ts";
import { finderDocument } from "../../../testkit/small-quizzes.ts";
import { batchOf, recently, sessionId } from "../../../testkit/storefront.ts";
import { distribute, readCatalog, readNodes } from "./citus.ts";
import { Database } from "./database.ts";
import { migrate, readMigrations } from "./migrate.ts";
import { sql } from "./sql.ts";
import { connectionAt, type NodeAddress, StoreHomes } from "./store-homes.ts";

const migrations = new URL("../../../migrations", import.meta.url).pathname;
/** besides stores */
const copiedEarlier = [
  ...["api_keys", "quiz_directory", "users", "memberships", "personal_tokens", "support_visits", "user_identities"],
  ...["user_links", "user_sessions"],
];

/** On a Citus cluster alone: TEST_CITUS_WORKERS. */
const workers = inject("workers");

describe.runIf(workers.length > 0)("a Citus cluster", () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await openTestApp();
  });
  afterAll(() => t.close());

  it("has the shards of every store's tables on its workers [operations.cluster]", async () => {
    const nodes = await withClient(t.connection, readNodes);
    expect(nodes.map(({ isCoordinator, shards }) => [isCoordinator, shards > 0])).toEqual([
      [true, false],
      ...workers.map(() => [false, true]),
    ]);
  });

  it("brings back to the coordinator what an earlier release copied to every node, rows and all [operations.cluster]", async () => {
    const database = `quizstore_early_${process.pid}`;
    const server = { ...t.connection, database: "postgres" };
    const connection = { ...t.connection, database };
    await createOnCluster(server, workers, database);
    await migrate(connection, await readMigrations(migrations));
    await withClient(connection, async (client) => {
      for (const table of ["stores", ...copiedEarlier]) await client.query(`SELECT create_reference_table('${table}')`);
      await client.query("INSERT INTO users (id, email, name, created_at) VALUES ($1, 'a@early.example', 'A', $2)", [
        ...[randomUUID(), new Date(t.calendar.now())],
      ]);
      const before = (await readCatalog(client)).foreignKeys;
      const { returning } = await distribute(client, () => undefined);
      expect(returning.map(({ table }) => table).sort()).toEqual(copiedEarlier.toSorted());
      const after = await readCatalog(client);
      expect(after.foreignKeys).toEqual(before);
      const copies = after.tables.filter(({ placed }) => placed?.kind === "reference").map(({ name }) => name);
      expect(copies).toEqual(["stores"]);
      expect((await client.query("SELECT name FROM users")).rows).toEqual([{ name: "A" }]);
      expect(await distribute(client, () => undefined)).toMatchObject({ returning: [], steps: [] });
    });
    await dropDatabase(server, database, workers);
  }, 120_000);

  it("takes later migrations of several statements, and has their tables beside the others [operations.cluster]", async () => {
    const known = await readMigrations(migrations);
    const sql = `UPDATE sessions SET preview = preview;
      ALTER TABLE sessions ADD COLUMN later integer; ALTER TABLE stores ADD COLUMN later integer;
      ALTER TABLE sessions ADD CONSTRAINT later CHECK (later > 0) NOT VALID;
      CREATE TABLE laters (store_id uuid REFERENCES stores, id uuid, quiz_id uuid, PRIMARY KEY (store_id, id),
        FOREIGN KEY (store_id, quiz_id) REFERENCES quizzes (store_id, id));
      CREATE INDEX laters_by_quiz ON laters (store_id, quiz_id);
      CREATE FUNCTION later() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 2; END $$`;
    const number = known.length + 1;
    const later = { number, name: "later", sql, checksum: "later", oldestProgram: 0, transactional: true };
    expect(await migrate(t.connection, [...known, later])).toEqual(["later"]);
    const { tables } = await withClient(t.connection, readCatalog);
    const placed = (table: string) => tables.find(({ name }) => name === table)?.placed;
    expect(placed("laters")).toMatchObject({ kind: "distributed", column: "store_id" });
    expect(placed("laters")).toEqual(placed("sessions"));
  });

  it("asks one shard for the list of people, with and without a part of a contact [database.one-store]", async () => {
    const store = await t.store();
    const options = "-c citus.multi_task_query_log_level=error";
    const strict = new Database({ connection: { ...t.connection, options }, size: 1, log: t.foundations.log });
    const app = t.compose({ database: strict });
    for (const url of ["/v1/profiles", "/v1/profiles?q=a%40b.example"]) {
      const answer = await app.inject({ method: "GET", url, headers: { authorization: `Bearer ${store.key}` } });
      expect(answer.statusCode).toBe(200);
    }
    await strict.close();
  });

  it("has a store's events committed by the store's node alone, in one phase [operations.store-homes]", async () => {
    const store = await t.store();
    const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
    const { log } = t.foundations;
    const coordinator = new Database({ connection: t.connection, size: 1, log, pipelined: true });
    const open = (address: NodeAddress) =>
      new Database({ connection: connectionAt(t.connection, address), size: 1, log, pipelined: true });
    const homes = new StoreHomes({ coordinator, open, elapsed: () => performance.now(), log });
    const app = t.compose({ homes });
    let sessions = 0;
    const send = async (utm = {}, email?: string) => {
      sessions += 1;
      const contact = email === undefined ? [] : [enter("contact", "start", { min: 0 }), say("contact", "mail", email)];
      const events = recently(t, [opened({ min: 0 }), ...contact], { minutesAgo: 2, firstId: 10 * sessions });
      const payload = batchOf(t, store, quiz, events, { session: { id: sessionId(sessions), utm } });
      const answer = await app.inject({ method: "POST", url: "/storefront/v1/events", payload });
      expect(answer.json()).toMatchObject({ accepted: events.length, rejected: [] });
    };
    const inTwoPhases = async () => {
      const count = "SELECT count(*)::int AS n FROM pg_dist_transaction";
      return (await withClient(t.connection, (client) => client.query<{ n: number }>(count))).rows[0]?.n;
    };
    const port = () =>
      homes.inStore(
        store.uuid,
        async (tx) => (await tx.first(sql<{ port: string }>`SELECT current_setting('port') AS port`))?.port,
      );
    await send();
    const home = await homeOf(t.connection, workers, store.uuid);
    await expect.poll(port, { timeout: 10_000 * patience }).toBe(String(home.port));
    const before = await inTwoPhases();
    expect(before).toBeGreaterThan(0);
    for (let times = 0; times < 5; times += 1) await send();
    expect(await inTwoPhases()).toBe(before);
    // new campaigns and people need no other node either
    for (const other of workers.filter((worker) => worker !== home.port)) {
      await withoutNode(t.connection, other, async () => {
        for (const source of ["new", "newer", "new"]) await send({ source, campaign: `${source} at ${other}` });
        for (let times = 0; times < 3; times += 1) await send({}, `a${other}@a.example`);
      });
    }
    expect(await port()).toBe(String(home.port));
    expect(await inTwoPhases()).toBe(before);
    await app.close();
    await Promise.all([homes.close(), coordinator.close()]);
  });
});
