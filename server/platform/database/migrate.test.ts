import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { timed } from "../../../testkit/timed.ts";
import { type Migration, migrate, readMigrations } from "./migrate.ts";

/**
 * How a schema moves on while programs of the release before are at work [operations.migrations,
 * operations.newer-database].
 */

let admin: pg.Client;
let folder: string;
let connection: pg.ClientConfig;
let databases = 0;

beforeAll(async () => {
  admin = new pg.Client(inject("postgres"));
  await admin.connect();
  folder = await mkdtemp(join(tmpdir(), "quizstore-migrations-"));
});

afterAll(async () => {
  for (let n = 1; n <= databases; n += 1) await admin.query(`DROP DATABASE IF EXISTS ${nameOf(n)} WITH (FORCE)`);
  await admin.end();
  await rm(folder, { recursive: true });
});

const nameOf = (n: number): string => `quizstore_migrate_${process.pid}_${n}`;

beforeEach(async () => {
  databases += 1;
  await admin.query(`CREATE DATABASE ${nameOf(databases)}`);
  connection = { ...inject("postgres"), database: nameOf(databases) };
});

/** Migrations as files hold them, numbered from 0001. */
async function files(...texts: string[]): Promise<Migration[]> {
  const own = await mkdtemp(join(folder, "set-"));
  for (const [index, text] of texts.entries()) {
    await writeFile(join(own, `${String(index + 1).padStart(4, "0")}_step.sql`), text);
  }
  return readMigrations(own);
}

async function connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const table = "CREATE TABLE things (id integer PRIMARY KEY);\n";
const column = "ALTER TABLE things ADD COLUMN note text;\n";
const index =
  "-- outside a transaction\nDROP INDEX CONCURRENTLY IF EXISTS things_note;\nCREATE INDEX CONCURRENTLY things_note ON things (note);\n";
const contraction = "-- programs from 0002 on\nALTER TABLE things DROP COLUMN note;\n";

describe("several processes at once", () => {
  it("apply each migration once, whoever comes first [operations.migrations]", async () => {
    const all = await files(table, column, index, "INSERT INTO things VALUES (1);\n");
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(connection, all)));
    expect(applied.flat()).toHaveLength(4);
    const rows = await connected((client) => client.query("SELECT id FROM things"));
    expect(rows.rows).toEqual([{ id: 1 }]);
  });

  it("start without waiting while another one migrates what they do not know [operations.newer-database]", async () => {
    const old = await files(table);
    await migrate(connection, old);
    await connected(async (client) => {
      await client.query("SELECT pg_advisory_lock(7241001)");
      expect(await migrate(connection, old)).toEqual([]);
    });
  });

  it("build an index while one waits for its turn and another reads [operations.migrations, database.index-migrations]", async () => {
    await migrate(connection, await files(table, column));
    const all = await files(table, column, index);
    await connected(async (client) => {
      await client.query("SELECT pg_advisory_lock(7241001)");
      const waiting = [migrate(connection, all), migrate(connection, all)];
      await client.query("SELECT count(*) FROM things");
      await client.query("SELECT pg_advisory_unlock(7241001)");
      expect((await Promise.all(waiting)).flat()).toHaveLength(1);
    });
    const found = await connected((client) =>
      client.query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'things_note'::regclass"),
    );
    expect(found.rows).toEqual([{ indisvalid: true }]);
  });

  it("wait for nobody longer than two seconds: a table in use is asked for again [operations.migrations]", async () => {
    await migrate(connection, await files(table));
    const said: string[] = [];
    const longest = await connected(async (reader) => {
      await reader.query("BEGIN; SELECT count(*) FROM things");
      const migrating = migrate(connection, await files(table, column), (message) => said.push(message));
      let slowest = 0;
      await connected(async (client) => {
        for (const end = performance.now() + 5_000; performance.now() < end; ) {
          const { ranMs } = await timed(() => client.query("SELECT id FROM things"));
          slowest = Math.max(slowest, ranMs);
        }
      });
      await reader.query("COMMIT");
      expect(await migrating).toEqual(["step"]);
      return slowest;
    });
    expect(longest).toBeGreaterThan(100);
    expect(longest).toBeLessThan(4_000);
    expect(said).toEqual([expect.stringContaining("waits for a table")]);
  });
});

describe("a database that is ahead", () => {
  it("is served by a program of the release before, which says so [operations.newer-database]", async () => {
    const old = await files(table);
    await migrate(connection, await files(table, column, index));
    const said: string[] = [];
    expect(await migrate(connection, old, (message) => said.push(message))).toEqual([]);
    expect(said).toEqual([expect.stringContaining("newer than this program: migration 3, it knows 1")]);
  });

  it("is refused once a migration needs a newer program, with a sentence that says which [operations.newer-database]", async () => {
    await migrate(connection, await files(table, column, contraction));
    const start = (...texts: string[]) => files(...texts).then((known) => migrate(connection, known));
    await expect(start(table)).rejects.toThrow(
      "the database is at migration 3, which needs a program that knows migration 2; this one knows 1: run a newer quizstore",
    );
    expect(await start(table, column)).toEqual([]);
  });

  it("is refused where the migrations they share differ [operations.newer-database]", async () => {
    await migrate(connection, await files(table, column));
    await expect(migrate(connection, await files(`${table}-- changed\n`))).rejects.toThrow("applied in another form");
  });
});

describe("a history from before oldest_program", () => {
  it("is carried on with the next migration [operations.migrations]", async () => {
    const [first, ...rest] = await files(table, column);
    await connected(async (client) => {
      await client.query(first?.sql ?? "");
      await client.query(
        "CREATE TABLE schema_migrations (number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL)",
      );
      await client.query("INSERT INTO schema_migrations VALUES (1, 'step', $1)", [first?.checksum]);
    });
    expect(await migrate(connection, [...(first ? [first] : []), ...rest])).toEqual(["step"]);
  });
});
