import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readMigrations } from "../server/platform/database/migrate.ts";
import { installCitusStandIn, placedTables } from "../testkit/citus.ts";
import { loadMigrationRules } from "../testkit/migration-rules.ts";
import { openDatabase } from "./machines.ts";
import { cleanUp, freshFolder, type Outcome, run } from "./program.ts";

/** `quizstore migrate --citus`, against a stand-in for Citus that refuses what Citus refuses. */

let database: Awaited<ReturnType<typeof openDatabase>>;
let client: pg.Client;
let folder: string;

beforeEach(async () => {
  folder = await freshFolder();
  database = await openDatabase();
  client = new pg.Client(database.connection);
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await database.drop();
  await cleanUp(folder);
});

const migrate = (...more: string[]): Promise<Outcome> =>
  run(["migrate", "--citus", ...more, "--data", folder], {
    ...{ DATABASE_URL: database.url, SECRET_KEY: "for-the-tests-of-citus-0123456789-abcdef" },
  });

const standIn = (): Promise<void> => installCitusStandIn(client, String(database.connection.database));

describe("quizstore migrate --citus", () => {
  it("places every table where its key puts it, prints what it did, and does nothing the second time [operations.cluster]", async () => {
    await standIn();
    const done = await migrate("--json");
    expect([done.status, done.stderr.includes("create_distributed_table('sessions', 'store_id'")]).toEqual([0, true]);
    const { tablesOf } = await loadMigrationRules();
    const migrations = await readMigrations(join(import.meta.dirname, "../migrations"));
    const { tenant, reference } = tablesOf(migrations.map(({ sql }) => sql));
    const told = done.json as Record<"distributed" | "reference" | "kept" | "local" | "applied", string[]>;
    expect(told.distributed.toSorted()).toEqual([...tenant].sort());
    // a write of what every node has needs every node [operations.node-writes]
    expect(told.reference).toEqual(["stores"]);
    const others = [...reference].filter((table) => table !== "stores");
    expect(told.local.toSorted()).toEqual([...others, "schema_migrations"].sort());
    expect([told.kept, told.applied]).toEqual([[], []]);
    const placed = await placedTables(client);
    expect(placed.map(({ table }) => table)).toEqual([...told.reference, ...told.distributed]);
    const distributed = placed.filter(({ column }) => column !== null);
    expect(new Set(distributed.map(({ column, colocation }) => `${column} ${colocation}`)).size).toBe(1);
    const again = await migrate();
    expect([again.status, again.stderr.includes("SELECT create_")]).toEqual([0, false]);
    expect(again.stdout).toContain("the schema is up to date\nplaced before: stores, audit_log,");
    expect(await placedTables(client)).toEqual(placed);
  });

  it("goes on where it was interrupted [operations.cluster]", async () => {
    await standIn();
    await client.query("SELECT create_reference_table('stores')");
    await client.query("SELECT create_distributed_table('orders', 'store_id', colocate_with => 'none')");
    const done = await migrate("--json");
    expect(done.status, done.stderr).toBe(0);
    const placed = await placedTables(client);
    expect((done.json as { kept: string[] }).kept.toSorted()).toEqual(["orders", "stores"]);
    expect(new Set(placed.flatMap(({ column, colocation }) => (column === null ? [] : [colocation]))).size).toBe(1);
  });

  it("says what to do where there is no Citus, and where there is no cluster to talk to [operations.cluster]", async () => {
    const { status, stdout, stderr } = await migrate();
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^quizstore: this PostgreSQL has no Citus that can be used: install the extension .*citus/m);
    const embedded = await run(["migrate", "--citus", "--data", folder]);
    expect([embedded.status, embedded.stderr]).toEqual([1, expect.stringContaining("--citus needs DATABASE_URL")]);
  });

  it("refuses while somebody works with the database, and a schema that cannot be placed, before it does anything [operations.cluster]", async () => {
    await standIn();
    const other = new pg.Client({ ...database.connection, application_name: "quizstore" });
    await other.connect();
    const busy = await migrate();
    await other.end();
    expect([busy.status, busy.stderr]).toEqual([1, expect.stringContaining("stop every quizstore serve and work")]);
    await client.query(
      "CREATE TABLE extra (store_id uuid, id bigserial, name text UNIQUE, PRIMARY KEY (store_id, id))",
    );
    const { status, stderr } = await migrate();
    expect([status, stderr]).toEqual([1, expect.stringContaining("extra: a sequence fills id")]);
    expect(stderr).toContain("extra_name_key is unique without store_id");
    expect(await placedTables(client)).toEqual([]);
  });
});
