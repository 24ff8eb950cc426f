import { createHash } from "node:crypto";
import { loadModule, parseSync } from "libpg-query";
import pg from "pg";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { addNode, installCitusStandIn, placedTables } from "../../../testkit/citus.ts";
import { openTestDatabase, type TestDatabase } from "../../../testkit/database.ts";
import { dropDatabase } from "../../../testkit/nodes.ts";
import { openLog } from "../log.ts";
import { distribute, readCatalog } from "./citus.ts";
import { type Migration, migrate, readMigrations } from "./migrate.ts";

/** where Citus is, the stand-in cannot take its place: citus-cluster.test.ts */
const onCluster = inject("workers").length > 0;
let own: TestDatabase;
let client: pg.Client;

beforeEach(async () => {
  own = await openTestDatabase(openLog("silent", { write: () => undefined }));
  // its pools look like a server's
  await Promise.all([own.database.close(), own.intakeDatabase.close()]);
  client = new pg.Client(own.connection);
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await dropDatabase(inject("postgres"), String(own.connection.database), inject("workers"));
});

const withStandIn = (): Promise<void> => installCitusStandIn(client, String(own.connection.database));

const known = (): Promise<Migration[]> => readMigrations(new URL("../../../migrations", import.meta.url).pathname);

async function withExtra(sql: string): Promise<Migration[]> {
  const migrations = await known();
  const [last] = migrations.slice(-1);
  if (!last) throw new Error("no migrations");
  const checksum = createHash("sha256").update(sql).digest("hex");
  const added = { number: last.number + 1, name: "extra", sql, checksum, oldestProgram: 0, transactional: true };
  return [...migrations, added];
}

const extra = "CREATE TABLE extras (store_id uuid, id uuid, PRIMARY KEY (store_id, id))";

it.skipIf(onCluster)(
  "reads keys, references and what fills columns from the catalog [operations.cluster]",
  async () => {
    await client.query(`CREATE TABLE odd (store_id uuid, id uuid, no integer GENERATED ALWAYS AS IDENTITY, seq serial,
    half integer GENERATED ALWAYS AS (2) STORED, name text, PRIMARY KEY (store_id, id),
    FOREIGN KEY (store_id, id) REFERENCES quizzes (store_id, id) ON DELETE CASCADE)`);
    await client.query("CREATE UNIQUE INDEX odd_lower ON odd (store_id, lower(name)) INCLUDE (id)");
    const { tables, foreignKeys } = await readCatalog(client);
    expect(tables.find(({ name }) => name === "odd")).toEqual({
      ...{ name: "odd", columns: ["store_id", "id", "no", "seq", "half", "name"], primaryKey: ["store_id", "id"] },
      uniques: [{ name: "odd_lower", columns: ["store_id", null] }],
      ...{ numbered: ["no", "seq"], generated: ["half"], triggers: [], placed: null },
    });
    expect(foreignKeys.find(({ from }) => from === "odd")).toEqual({
      ...{ name: "odd_store_id_id_fkey", from: "odd", to: "quizzes", onDelete: "c", onUpdate: "a" },
      ...{ columns: ["store_id", "id"], targets: ["store_id", "id"] },
    });
  },
);

it.skipIf(onCluster)(
  "distributes what a later migration makes, on a database that is distributed [operations.cluster]",
  async () => {
    await withStandIn();
    await distribute(client, () => undefined);
    const before = await placedTables(client);
    expect(await migrate(own.connection, await withExtra(extra))).toEqual(["extra"]);
    const [made, ...more] = (await placedTables(client)).slice(before.length);
    const [colocation] = before.flatMap((table) => (table.column === null ? [] : [table.colocation]));
    expect([made, more]).toEqual([{ table: "extras", column: "store_id", colocation }, []]);
  },
);

/**
 * The texts that programs of this process send to databases while `work` runs, without a session's settings, which come
 * with a time-out and concern no table.
 */
async function messagesOf(work: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, "query");
  try {
    await work();
    return query.mock.calls.flatMap(([text]: readonly unknown[]) => (typeof text === "string" ? [text] : []));
  } finally {
    query.mockRestore();
  }
}

it.skipIf(onCluster)(
  "sends every migration a statement a message, and works on a shard after the other [operations.cluster, operations.statements]",
  async () => {
    await loadModule();
    await withStandIn();
    await client.query("DROP SCHEMA public CASCADE");
    await client.query("CREATE SCHEMA public");
    const later = `${extra}; CREATE FUNCTION later() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 2; END $$;
    UPDATE sessions SET preview = preview; ALTER TABLE sessions ADD COLUMN later integer; ALTER TABLE stores ADD COLUMN later integer;`;
    const messages = await messagesOf(async () => migrate(own.connection, await withExtra(later)));
    expect(messages.filter((text) => text.includes("CREATE TABLE")).length).toBeGreaterThan(20);
    for (const text of messages) expect([text, parseSync(text).stmts?.length]).toEqual([text, 1]);
    const begun = messages.flatMap((text, index) => (text === "BEGIN" ? [messages.slice(index, index + 5)] : []));
    expect(begun).toHaveLength((await known()).filter(({ transactional }) => transactional).length + 1);
    for (const [, ...first] of begun) {
      expect(first).toContain("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    }
  },
);

it.skipIf(onCluster)("leaves a database alone that merely has the extension, or has not even that", async () => {
  expect(await migrate(own.connection, await withExtra(extra))).toEqual(["extra"]);
  await withStandIn();
  await client.query("DROP TABLE extras; DELETE FROM schema_migrations WHERE name = 'extra'");
  expect(await migrate(own.connection, await withExtra(extra))).toEqual(["extra"]);
  expect(await placedTables(client)).toEqual([]);
});

it.skipIf(onCluster)("says where the shards lie, and warns where there is no worker [operations.cluster]", async () => {
  await withStandIn();
  const lines: string[] = [];
  const { nodes } = await distribute(client, (line) => lines.push(line));
  expect(lines[0]).toMatch(
    /^warning: the cluster has no worker, so that all rows stay on the coordinator: .*citus_add_node/,
  );
  expect(lines[1]).toBe("SELECT create_reference_table('stores')");
  expect(nodes).toEqual([{ address: "coordinator:5432", isCoordinator: true, takesShards: true, shards: 32 }]);
});

it.skipIf(onCluster)(
  "warns of no more than a worker that may hold no shards, where there are others [operations.cluster]",
  async () => {
    await withStandIn();
    await addNode(client, "worker-1");
    await addNode(client, "worker-2", false);
    const lines: string[] = [];
    const { nodes } = await distribute(client, (line) => lines.push(line));
    expect(lines.filter((line) => line.startsWith("warning"))).toEqual([
      expect.stringMatching(/^warning: worker-2:5432 may hold no shards/),
    ]);
    expect(nodes.map(({ address, shards }) => [address, shards])).toEqual([
      ["coordinator:5432", 0],
      ["worker-1:5432", 16],
      ["worker-2:5432", 16],
    ]);
  },
);

it.skipIf(onCluster)(
  "brings back to the coordinator what an earlier release copied to every node, and ties it to what stays [operations.cluster]",
  async () => {
    await withStandIn();
    const early = ["stores", "users", "memberships", "api_keys", "support_visits"];
    for (const table of early) await client.query(`SELECT create_reference_table('${table}')`);
    const keysOf = async () => (await readCatalog(client)).foreignKeys;
    const before = await keysOf();
    const { returning } = await distribute(client, () => undefined);
    expect(returning.map(({ table }) => table)).toEqual(["api_keys", "support_visits", "users", "memberships"]);
    const { tables } = await readCatalog(client);
    const placedAs = (name: string) => tables.find((table) => table.name === name)?.placed?.kind;
    expect(["stores", "api_keys", "support_visits", "users", "memberships"].map(placedAs)).toEqual([
      ...["reference", "local", undefined, "local", "local"],
    ]);
    expect(await keysOf()).toEqual(before);
    expect(await distribute(client, () => undefined)).toMatchObject({ returning: [], steps: [] });
  },
);

it.skipIf(onCluster)(
  "leaves a table of the coordinator there, and registers a new one that refers to what other nodes have [operations.cluster]",
  async () => {
    await withStandIn();
    await distribute(client, () => undefined);
    const before = (await placedTables(client)).length;
    const added = "CREATE TABLE badges (id uuid PRIMARY KEY, store_id uuid REFERENCES stores, user_id uuid)";
    await migrate(own.connection, await withExtra(added));
    expect(await placedTables(client)).toHaveLength(before);
    const { tables } = await readCatalog(client);
    expect(tables.find(({ name }) => name === "badges")?.placed).toEqual({ kind: "local" });
    expect(await distribute(client, () => undefined)).toMatchObject({ returning: [], steps: [] });
  },
);

it.skipIf(onCluster)(
  "says which table could not be placed, keeps those that were, and goes on the next time",
  async () => {
    await withStandIn();
    await client.query("ALTER FUNCTION create_distributed_table RENAME TO once");
    await expect(distribute(client, () => undefined)).rejects.toThrow(
      /^audit_log could not be placed \(SELECT create_dis.*run it again: .*create_distributed_table.* does not exist/,
    );
    const reference = (await placedTables(client)).map(({ table }) => table);
    expect(reference).toEqual(["stores"]);
    await client.query("ALTER FUNCTION once RENAME TO create_distributed_table");
    const { kept } = await distribute(client, () => undefined);
    expect(kept).toEqual(reference);
  },
);
