import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ManualCalendar } from "../../testkit/app.ts";
import { CopiedStore, copied, givenSession, sessionOpened } from "../../testkit/copied-store.ts";
import { openCopies } from "../../testkit/copies.ts";
import { openTestDatabase, type TestDatabase } from "../../testkit/database.ts";
import { sql } from "../platform/database/sql.ts";
import { openLog } from "../platform/log.ts";
import { insertRows } from "./append.ts";
import { WriteConnection } from "./duck.ts";
import { KnownKeys } from "./known-keys.ts";
import type { ColumnarCopies } from "./public.ts";
import { createTable, tableOf } from "./schema.ts";

const log = openLog("error", { write: () => undefined });
let db: TestDatabase;
let directory: string;
let store: CopiedStore;
let copies: ColumnarCopies;
beforeAll(async () => {
  db = await openTestDatabase(log);
});
afterAll(() => db.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "facts-keys-"));
  store = await CopiedStore.open(db.connection);
  const { database } = db;
  copies = await openCopies({ directory, database, calendar: new ManualCalendar(), log, fewAtMost: 2 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await copies.close();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const session = (quiz = 0) =>
  givenSession({
    quiz,
    answers: [{ page_key: "p", component_key: "c", kind: "choice", option_ids: ["a"] }],
    completed: sessionOpened + 5_000,
    points: { dry: 1 },
  });
const sync = () => copies.ask(store.id, sql`SELECT 1 AS one`);
const isExact = async () => expect(await copied(copies, store.id)).toEqual(store.expected());

describe("a copy's keys, kept between changes", () => {
  it("are not looked up again for the next changed session, which takes few statements [copy.fresh]", async () => {
    const id = randomUUID();
    await store.change({ sessions: [[id, session()]] });
    await sync();
    await store.change({ sessions: [[id, session()]] });
    await sync();
    await store.change({ sessions: [[id, session()]] });
    const run = vi.spyOn(DuckDBConnection.prototype, "run");
    const append = vi.spyOn(DuckDBConnection.prototype, "createAppender");
    await sync();
    const calls = run.mock.calls.map(([text]) => text.trim().replaceAll(/\s+/g, " "));
    // which marks the session had; its removal, its rows, the copy's state and the commit; the reading's start, and what was
    // asked
    expect(calls.map((text) => text.replace(/ (WHERE|VALUES|SET) .*/, ""))).toEqual([
      expect.stringMatching(/^USE "s_\w+"$/),
      "BEGIN TRANSACTION; SELECT session, person, quiz, completed, latest_completed AS latest FROM sessions",
      "DELETE FROM sessions",
      expect.stringMatching(/^USE "s_\w+"; BEGIN TRANSACTION READ ONLY; SELECT revision FROM meta$/),
      "SELECT 1 AS one",
    ]);
    expect(calls[2]).toMatch(/^DELETE .*; INSERT .*; UPDATE meta .*; COMMIT$/);
    expect(append).not.toHaveBeenCalled();
    await isExact();
  });

  it("are brought up to date in a snapshot whose BEGIN is a message of its own [copy.fresh]", async () => {
    await store.change({ sessions: [[randomUUID(), session()]] });
    const query = vi.spyOn(pg.Client.prototype, "query");
    await sync();
    const texts = query.mock.calls.map(([text]) => String(text));
    expect(texts.filter((text) => text.includes("BEGIN"))).toEqual(["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"]);
    await isExact();
  });

  it("are read again after keys came in files [copy.same-by-any-way]", async () => {
    await store.change({ sessions: [[randomUUID(), session()]] });
    await sync();
    // more than two: through files, with visitors that the kept keys lack
    const more = Array.from({ length: 4 }, () => randomUUID());
    await store.change({ sessions: more.map((id) => [id, session()]) });
    await sync();
    await store.change({ sessions: [[more[0] ?? "", session()]] });
    await store.change({ sessions: [[randomUUID(), session()]] });
    await isExact();
    const { rows } = await copies.ask(
      store.id,
      sql`SELECT count(*) AS keys, count(DISTINCT visitor) AS numbers, count(DISTINCT id) AS ids FROM visitors`,
    );
    const [{ keys = 0 } = {}] = rows as { keys: number }[];
    expect(rows).toEqual([{ keys, numbers: keys, ids: keys }]);
  });

  it("are forgotten with a change that failed [copy.out-of-memory]", async () => {
    const id = randomUUID();
    await store.change({ sessions: [[id, session()]] });
    await sync();
    await store.change({ sessions: [[id, session()]] });
    await sync();
    await store.change({ sessions: [[randomUUID(), session(1)]] });
    const { run } = DuckDBConnection.prototype;
    vi.spyOn(DuckDBConnection.prototype, "run").mockImplementation(function (this: DuckDBConnection, text, ...more) {
      if (text.endsWith("COMMIT")) return Promise.reject(new Error("Out of Memory Error: for a test"));
      return run.call(this, text, ...more);
    });
    await expect(sync()).rejects.toMatchObject({ title: "dependency_unavailable" });
    vi.restoreAllMocks();
    await store.change({ sessions: [[randomUUID(), session(1)]] });
    await isExact();
  });

  it.each([
    ["4,000 and no more", 4_000, 4_001],
    ["any number, looked up each time", 4_001, 4_002],
  ])("are right for a dictionary of %s [copy.contents]", async (_, size, next) => {
    const instance = await DuckDBInstance.create(":memory:");
    const duck = new WriteConnection(await instance.connect());
    await duck.run(createTable(tableOf("origins"), "main"));
    await duck.run(`INSERT INTO origins SELECT i, 'host ' || i FROM range(1, ${size + 1}) AS r (i)`);
    const keys = new KnownKeys();
    const found = await keys.dictionary(duck, "origins", [["host 7"], ["new"]]);
    expect([found.find("host 7"), found.find("new"), found.numberOf("new")]).toEqual([7, null, next]);
    await insertRows(duck, [found.takeAdded()]);
    const again = await keys.dictionary(duck, "origins", [["host 8"], ["new"], ["newer"]]);
    expect([again.find("host 8"), again.find("new"), again.numberOf("newer")]).toEqual([8, next, next + 1]);
    duck.close();
    instance.closeSync();
  });
});
