import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ManualCalendar } from "../../testkit/app.ts";
import { CopiedStore, givenSession, sessionOpened } from "../../testkit/copied-store.ts";
import { openCopies } from "../../testkit/copies.ts";
import { openTestDatabase, type TestDatabase } from "../../testkit/database.ts";
import { sql } from "../platform/database/sql.ts";
import { openLog } from "../platform/log.ts";
import { type ColumnarCopies, recordedCopies } from "./public.ts";
import { stepFrom } from "./sync.ts";

const logged: string[] = [];
const log = openLog("debug", { write: (line: string) => void logged.push(line) });
let db: TestDatabase;
let directory: string;
let opened: ColumnarCopies[] = [];
let stores: CopiedStore[] = [];
let children: ChildProcess[] = [];

beforeAll(async () => {
  db = await openTestDatabase(log);
});
afterAll(() => db.close());
beforeEach(async () => {
  logged.length = 0;
  directory = await mkdtemp(join(tmpdir(), "facts-test-"));
});
afterEach(async () => {
  for (const child of children) await kill(child);
  for (const facts of opened) await facts.close();
  for (const store of stores) await store.close();
  opened = [];
  stores = [];
  children = [];
  await rm(directory, { recursive: true, force: true });
});

async function openFacts(): Promise<ColumnarCopies> {
  const facts = await openCopies({ directory, database: db.database, calendar: new ManualCalendar(), log, threads: 2 });
  opened.push(facts);
  return facts;
}

async function closeFacts(facts: ColumnarCopies): Promise<void> {
  opened = opened.filter((other) => other !== facts);
  await facts.close();
}

async function openStore(sessions = 0): Promise<CopiedStore> {
  const store = await CopiedStore.open(db.connection);
  stores.push(store);
  if (sessions > 0) await add(store, sessions);
  return store;
}

const session = () =>
  givenSession({
    completed: sessionOpened + 2_000,
    answers: [{ page_key: "p", component_key: "t", kind: "text", value: randomBytes(200).toString("hex") }],
    points: { dry: 1 },
  });
const add = (store: CopiedStore, sessions: number) =>
  store.change({ sessions: Array.from({ length: sessions }, () => [randomUUID(), session()]) });
const question = sql`SELECT (SELECT count(*) FROM sessions) AS n, (SELECT count(*) FROM answers) AS a, (SELECT count(text) FROM answers) AS t`;
const all = (n: number) => [{ n, a: n, t: n }];
const fileOf = (store: CopiedStore, slot = 1) => join(directory, String(slot), `${store.id}.duckdb`);
const loads = () => logged.filter((line) => line.includes("it is rebuilt")).length;

async function start(store: CopiedStore, partBytes = 1 << 25): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("../../testkit/copy-process.ts", import.meta.url));
  const options = [JSON.stringify(db.connection), directory, store.id, String(partBytes)];
  const child = spawn(process.execPath, [script, ...options], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("processes", () => {
  it("lose nothing to kill -9, whenever it hits, and go on from what was written [copy.killed-process]", async () => {
    const store = await openStore(40);
    for (const wait of [0, 30, 90, 200]) {
      const child = await start(store, 2_000);
      const adding = add(store, 3);
      await pause(wait);
      await kill(child);
      await adding;
      const facts = await openFacts();
      expect((await facts.ask(store.id, question)).rows).toEqual(all(store.sessions.size));
      await closeFacts(facts);
    }
    expect((await readdir(join(directory, "1"))).filter((name) => !/\.duckdb$/.test(name))).toEqual([]);
  });

  it("take places of their own, and clear up those of dead ones [copy.places]", async () => {
    const store = await openStore(5);
    const child = await start(store);
    const facts = await openFacts();
    const second = await openFacts();
    expect((await facts.ask(store.id, question)).rows).toEqual(all(5));
    expect((await second.ask(store.id, question)).rows).toEqual(all(5));
    const reader = db.database.reader();
    await expect
      .poll(async () => (await recordedCopies(reader.forStore(store.id))).map(({ slot }) => slot))
      .toEqual([1, 2, 3]);
    await facts.upkeep();
    expect((await recordedCopies(reader.forStore(store.id))).map(({ slot }) => slot)).toEqual([1, 2, 3]);
    await kill(child);
    await facts.upkeep();
    expect((await recordedCopies(reader.forStore(store.id))).map(({ slot }) => slot)).toEqual([2, 3]);
    expect(await readdir(join(directory, "1"))).toEqual(["slot.duckdb"]);
    expect((await second.ask(store.id, question)).rows).toEqual(all(5));
  });

  it("keep a copy over a restart [copy.restart]", async () => {
    const store = await openStore(5);
    const before = await openFacts();
    await before.ask(store.id, question);
    await add(store, 2);
    await before.ask(store.id, question);
    await closeFacts(before);
    const { ino } = await stat(fileOf(store));
    const after = await openFacts();
    expect((await after.ask(store.id, question)).rows).toEqual(all(7));
    expect((await stat(fileOf(store))).ino).toBe(ino);
  });
});

describe("a copy that is of no use is built anew", () => {
  const damages: [string, (path: string) => Promise<void>][] = [
    ["emptied", (path) => writeFile(path, "")],
    ["no database", (path) => writeFile(path, randomBytes(100_000))],
    ["cut to a header", (path) => cut(path, 0.05)],
    ["cut to a half", (path) => cut(path, 0.5)],
    ["cut short", (path) => cut(path, 0.95)],
    [
      "overwritten in the middle",
      async (path) => {
        const file = await open(path, "r+");
        const { size } = await file.stat();
        for (let at = 12_288; at < size; at += 16_384) await file.write(randomBytes(512), 0, 512, at + 4_000);
        await file.close();
      },
    ],
  ];
  const cut = async (path: string, part: number) => {
    const file = await open(path, "r+");
    await file.truncate(Math.floor((await file.stat()).size * part));
    await file.close();
  };

  it.each(damages)("when its file was %s while it was closed [copy.damaged]", async (_, damage) => {
    const [store, other] = [await openStore(100), await openStore(2)];
    const before = await openFacts();
    await before.ask(store.id, question);
    await closeFacts(before);
    await damage(fileOf(store));
    const facts = await openFacts();
    expect((await facts.ask(store.id, question)).rows).toEqual(all(100));
    await add(store, 1);
    expect((await facts.ask(store.id, question)).rows).toEqual(all(101));
    expect((await facts.ask(other.id, question)).rows).toEqual(all(2));
  });

  it.each(damages)(
    "when its file was %s while it was attached, without harm to others [copy.damaged]",
    async (_, damage) => {
      const [store, other] = [await openStore(100), await openStore(2)];
      const facts = await openFacts();
      await facts.ask(store.id, question);
      await facts.ask(other.id, question);
      await damage(fileOf(store));
      const answer = async () => (await facts.ask(store.id, question)).rows;
      // what DuckDB still has in memory may be right for a while; an answer that is wrong never comes
      expect(await answer()).toEqual(all(100));
      await add(store, 1);
      expect(await answer()).toEqual(all(101));
      expect((await facts.ask(other.id, question)).rows).toEqual(all(2));
      await closeFacts(facts);
      const after = await openFacts();
      expect((await after.ask(store.id, question)).rows).toEqual(all(101));
    },
  );

  it("when the database was restored from a backup, even once it is as far again [copy.restored-database]", async () => {
    const store = await openStore(3);
    const facts = await openFacts();
    const restore = await store.backup();
    await add(store, 2);
    await add(store, 2);
    expect((await facts.ask(store.id, question)).rows).toEqual(all(7));
    await restore();
    expect((await facts.ask(store.id, question)).rows).toEqual(all(3));
    await add(store, 2);
    await add(store, 2);
    expect((await facts.ask(store.id, question)).rows).toEqual(all(7));
    await restore();
    for (let more = 0; more < 2; more++) await add(store, 1);
    expect((await facts.ask(store.id, question)).rows).toEqual(all(5));
    await restore();
    for (let more = 0; more < 6; more++) await add(store, 1);
    expect((await facts.ask(store.id, question)).rows).toEqual(all(9));
    expect(loads()).toBe(3);
  });

  it("when changes that it lacks were pruned, but not when the store was only quiet [copy.missing-changes]", async () => {
    const store = await openStore(3);
    const facts = await openFacts();
    await facts.ask(store.id, question);
    const prune = () => store.client.query("DELETE FROM changes WHERE store_id = $1", [store.id]);
    await prune();
    expect((await facts.ask(store.id, question)).rows).toEqual(all(3));
    expect(loads()).toBe(0);
    await add(store, 2);
    await prune();
    await add(store, 1);
    expect((await facts.ask(store.id, question)).rows).toEqual(all(6));
    expect(loads()).toBe(1);
  });

  it("when the file of another process was copied beside it [copy.damaged]", async () => {
    const [store, other] = [await openStore(3), await openStore(4)];
    const before = await openFacts();
    await before.ask(store.id, question);
    await closeFacts(before);
    await cp(fileOf(store), fileOf(other));
    const facts = await openFacts();
    // same revision, another token
    expect((await facts.ask(other.id, question)).rows).toEqual(all(4));
  });
});

describe("what leads from a copy to the present", () => {
  const position = { revision: 5, own: "t", recorded: 0, discard: false, currency: "USD" };
  it.each([
    ["none", { revision: 5, token: "t" }, position],
    ["none", { revision: 5, token: "t" }, { ...position, own: null }],
    ["everything", { revision: 5, token: "other" }, position],
    ["everything", { revision: 6, token: "t" }, { ...position, own: null }],
    ["changes", { revision: 3, token: "t" }, { ...position, recorded: 2 }],
    ["everything", { revision: 3, token: "t" }, { ...position, recorded: 1 }],
    ["everything", { revision: 3, token: "t" }, { ...position, recorded: 2, own: null }],
    ["changes", { revision: 0, token: null }, { ...position, recorded: 5, own: null }],
  ] as const)("%s: from %o to %o [copy.missing-changes, copy.restored-database]", (step, state, present) => {
    expect(stepFrom({ ...state, currency: "USD" }, present)).toBe(step);
  });

  it("everything, when the store's currency is another: it decides whose money counts [copy.currency]", () => {
    expect(stepFrom({ revision: 5, token: "t", currency: "EUR" }, position)).toBe("everything");
  });
});
