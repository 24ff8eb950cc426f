import { createHash } from "node:crypto";
import pg from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { installCitusStandIn, placedTables } from "../../../testkit/citus.ts";
import { dropDatabase, onEachNode, withClient } from "../../../testkit/nodes.ts";
import { patience } from "../../../testkit/slowness.ts";
import { distribute, readCatalog } from "./citus.ts";
import { copyDatabase } from "./copy-database.ts";
import { type Migration, migrate, readMigrations } from "./migrate.ts";

/** Between two databases of one PostgreSQL; between servers and programs: journeys/database-copy.hard.test.ts. */

const postgres = inject("postgres");
// on a cluster new tables stay on the coordinator, and a database is created on every node
const onCluster = inject("workers").length > 0;
let known: Migration[];
let source: pg.ClientConfig;
let target: pg.ClientConfig;
let made = 0;

/** What no table of the product has so far: sequences, computed columns, a table without a key, one that names itself. */
const oddTables = `
  CREATE TABLE odd_people (
    store_id uuid, id uuid, no integer GENERATED ALWAYS AS IDENTITY, seq bigserial, amount integer,
    twice integer GENERATED ALWAYS AS (amount * 2) STORED, share double precision, name text, tags text[], data jsonb,
    at timestamptz, raw bytea, "Boss" uuid, PRIMARY KEY (store_id, id),
    FOREIGN KEY (store_id, "Boss") REFERENCES odd_people (store_id, id));
  CREATE TABLE a_note (store_id uuid, id uuid, person uuid NOT NULL, PRIMARY KEY (store_id, id),
    FOREIGN KEY (store_id, person) REFERENCES odd_people (store_id, id) ON DELETE CASCADE);
  CREATE TABLE odd_lines (line text)`;
const oddRows = `
  INSERT INTO odd_people (store_id, id, amount, share, name, tags, data, at, raw, "Boss")
  SELECT md5((i % 7)::text)::uuid, md5(i::text)::uuid, i, i / 3.0::float8,
    CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN E'\\\\.\\n\\t\\r\\\\N' WHEN 3 THEN 'ünï 🦊' ELSE repeat('x', i) END,
    ARRAY['a', NULL, E'b"\\n'], jsonb_build_object('i', i, 's', E'line\\nbreak'),
    '0044-03-15 BC'::timestamptz + i * '1 day 1 microsecond'::interval, decode(md5(i::text), 'hex'),
    CASE WHEN i > 7 THEN md5((i % 7)::text)::uuid END
  FROM generate_series(0, 999) AS i;
  INSERT INTO a_note SELECT store_id, gen_random_uuid(), id FROM odd_people;
  INSERT INTO odd_lines SELECT 'same' FROM generate_series(1, 100)`;

const addedTo = (migrations: readonly Migration[], name: string, sql: string): Migration[] => {
  const checksum = createHash("sha256").update(sql).digest("hex");
  return [...migrations, { number: migrations.length + 1, name, sql, checksum, oldestProgram: 0, transactional: true }];
};

const createEmpty = async (): Promise<pg.ClientConfig> => {
  made += 1;
  const database = `quizstore_copy_${process.pid}_${made}`;
  await onEachNode(postgres, [], [`CREATE DATABASE ${database}`]);
  return { ...postgres, database };
};

beforeAll(async () => {
  const migrations = await readMigrations(new URL("../../../migrations", import.meta.url).pathname);
  const odd = addedTo(migrations, "odd", oddTables);
  // rows from before a check may fail it
  known = addedTo(odd, "check", "ALTER TABLE odd_people ADD CONSTRAINT few CHECK (amount < 500) NOT VALID");
});

beforeEach(async () => {
  [source, target] = [await createEmpty(), await createEmpty()];
  await migrate(source, known.slice(0, -1));
  await inSource(oddRows);
  await migrate(source, known);
});

afterEach(async () => {
  for (const { database } of [source, target]) await dropDatabase(postgres, String(database), []);
});

const inSource = (sql: string) => withClient(source, (client) => client.query(sql));
const inTarget = (sql: string) => withClient(target, (client) => client.query(sql));
const copy = (say: (line: string) => void = () => undefined) =>
  copyDatabase({ source, target, migrations: known, say });

/** Everything that a client can see of a database's tables. */
const contentsOf = (connection: pg.ClientConfig) =>
  withClient(connection, async (client) => {
    const all = async (sql: string) => (await client.query<{ text: string }>(sql)).rows.map(({ text }) => text);
    const contents: Record<string, string[]> = {};
    for (const { name } of (await readCatalog(client)).tables) {
      contents[name] = await all(`SELECT t::text AS text FROM ${pg.escapeIdentifier(name)} AS t ORDER BY 1`);
    }
    return {
      contents,
      sequences: await all(
        "SELECT sequencename || ' ' || coalesce(last_value, 0) AS text FROM pg_sequences ORDER BY 1",
      ),
      indexes: await all("SELECT indexdef AS text FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"),
      constraints: await all(`SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) AS text
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1`),
    };
  });

describe.skipIf(onCluster)("a copied database", () => {
  it("has every table of the catalog, row by row, with sequences, computed columns and checks [operations.database-copy]", async () => {
    const copied = await copy();
    const after = await contentsOf(target);
    expect(after).toEqual(await contentsOf(source));
    expect(after.contents["odd_people"]).toHaveLength(1_000);
    const tables = Object.keys(after.contents).filter((name) => name !== "schema_migrations");
    expect(copied.map(({ table }) => table).sort()).toEqual(tables.sort());
    expect(copied.find(({ table }) => table === "odd_lines")).toMatchObject({ rows: 100, bytes: 500, earlier: false });
    // as a program goes on in it: numbers continue, and the next start has nothing to do
    await inTarget("INSERT INTO odd_people (store_id, id) VALUES (gen_random_uuid(), gen_random_uuid())");
    expect((await inTarget("SELECT max(no) AS no, max(seq)::int AS seq FROM odd_people")).rows).toEqual([
      { no: 1_001, seq: 1_001 },
    ]);
    expect(await migrate(target, known)).toEqual([]);
  });

  it("may have been opened by a program before, which leaves a calendar [operations.database-copy]", async () => {
    await migrate(target, known);
    const calendar = "INSERT INTO calendar VALUES (true, now(), now(), 1, now())";
    await Promise.all([inSource(calendar), inTarget(calendar)]);
    await copy();
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
  });
});

describe.skipIf(onCluster)("a copy into another schema than public", () => {
  it("has every table too [operations.database-copy]", async () => {
    await inTarget("CREATE SCHEMA quiz");
    const schema = { ...target, options: "-c search_path=quiz" };
    const copied = await copyDatabase({ source, target: schema, migrations: known, say: () => undefined });
    expect(copied.find(({ table }) => table === "odd_people")).toMatchObject({ rows: 1_000 });
    expect((await inTarget("SELECT count(*)::int AS people FROM quiz.odd_people")).rows).toEqual([{ people: 1_000 }]);
    // and back
    target = await createEmpty();
    await copyDatabase({ source: schema, target, migrations: known, say: () => undefined });
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
    await dropDatabase(postgres, String(schema.database), []);
  });
});

describe.skipIf(onCluster)("a copy onto a cluster", () => {
  // tables with a sequence cannot be distributed
  const product = () => known.slice(0, -2);
  const copyOf = async (say: (line: string) => void) => {
    const plain = await createEmpty();
    await migrate(plain, product());
    await copyDatabase({ source: plain, target, migrations: product(), say });
    await dropDatabase(postgres, String(plain.database), []);
  };
  const withStandIn = () => withClient(target, (client) => installCitusStandIn(client, String(target.database)));
  const placed = () => withClient(target, placedTables);

  it("leaves its tables where `migrate --citus` has placed them [operations.database-copy]", async () => {
    await withStandIn();
    await migrate(target, product());
    await withClient(target, (client) => distribute(client, () => undefined));
    const before = await placed();
    const said: string[] = [];
    await copyOf((line) => said.push(line));
    expect([before.length > 20, await placed()]).toEqual([true, before]);
    expect(said.filter((line) => line.startsWith("warning"))).toEqual([]);
  });

  it("warns where they are not distributed [operations.database-copy]", async () => {
    await withStandIn();
    await migrate(target, product());
    const said: string[] = [];
    await copyOf((line) => said.push(line));
    expect(said.filter((line) => line.startsWith("warning"))).toEqual([
      expect.stringContaining("the tables of this Citus cluster are not distributed"),
    ]);
  });
});

const failsAfter = (table: string) => async (): Promise<void> => {
  const say = (line: string): void => {
    // the server ends the connection before the next table's commit
    if (line.startsWith(`${table}: `)) cuts.push(cutOff());
  };
  const cuts: Promise<unknown>[] = [];
  await expect(copy(say)).rejects.toThrow("could not be copied; run the same command again");
  await Promise.all(cuts);
};
const cutOff = () =>
  onEachNode(
    postgres,
    [],
    [
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = '${target.database}' AND application_name = 'quizstore database copy'`,
    ],
  );

describe.skipIf(onCluster)("a copy that was interrupted", () => {
  beforeEach(failsAfter("odd_people"));

  it("continues with the tables that are not finished [operations.database-copy-again]", async () => {
    const copied = await copy();
    expect(copied.find(({ table }) => table === "odd_people")).toMatchObject({ rows: 1_000, earlier: true });
    expect(copied.some(({ earlier }) => !earlier)).toBe(true);
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
  });

  it("is opened by no program [operations.database-copy-again]", async () => {
    await expect(migrate(target, known)).rejects.toThrow("is an unfinished copy of another");
  });

  it("is not continued from another state of the source [operations.database-copy-again]", async () => {
    await inSource("UPDATE odd_people SET name = 'another' WHERE amount = 3");
    await expect(copy()).rejects.toThrow(/^odd_people has changed since the interrupted copy/);
  });
});

describe.skipIf(onCluster)("a copy is refused", () => {
  it("into a database with one row, or with tables of others, which stay as they are [operations.database-copy-again]", async () => {
    await migrate(target, known);
    await inTarget("INSERT INTO odd_lines VALUES ('mine')");
    const before = await contentsOf(target);
    await expect(copy()).rejects.toThrow("the database of --to is not empty (odd_lines)");
    expect(await contentsOf(target)).toEqual(before);
    await inTarget("DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE theirs (id integer)");
    await expect(copy()).rejects.toThrow("is not empty (theirs)");
    expect(Object.keys((await contentsOf(target)).contents)).toEqual(["theirs"]);
  });

  it("into itself, and twice at a time [operations.database-copy]", async () => {
    await expect(copyDatabase({ source, target: source, migrations: known, say: () => undefined })).rejects.toThrow(
      "--to names the database that is copied",
    );
    const both = await Promise.allSettled([copy(), copy()]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("while a server uses either database [operations.database-copy]", { timeout: 20_000 * patience }, async () => {
    for (const used of [source, target]) {
      await withClient({ ...used, application_name: "quizstore" }, async () => {
        await expect(copy()).rejects.toThrow("stop every quizstore start, serve and work of both databases first (1 ");
      });
    }
  });

  it("of tables that are not the program's, or by a release that lacks its migrations [operations.database-copy]", async () => {
    await inSource("CREATE TABLE extra (id integer)");
    await expect(copy()).rejects.toThrow(/^extra: these tables are not as the migrations of this program make them/);
    const older = { source, target: await createEmpty(), migrations: known.slice(0, -1), say: () => undefined };
    await expect(copyDatabase(older)).rejects.toThrow(
      `this database is at migration ${known.length}, that of --to at ${known.length - 1}`,
    );
    await dropDatabase(postgres, String(older.target.database), []);
  });
});
