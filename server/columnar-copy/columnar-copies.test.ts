import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ManualCalendar } from "../../testkit/app.ts";
import { CopiedStore, copied, givenSession, type ModelAnswer, sessionOpened } from "../../testkit/copied-store.ts";
import { openCopies } from "../../testkit/copies.ts";
import { openTestDatabase, type TestDatabase } from "../../testkit/database.ts";
import { propertyMs, propertyRuns } from "../../testkit/property-runs.ts";
import { timed } from "../../testkit/timed.ts";
import { sql } from "../platform/database/sql.ts";
import { Deadlines } from "../platform/deadline.ts";
import { openLog } from "../platform/log.ts";
import { type ColumnarCopies, type ColumnarCopiesDeps, CopyLoading, discardCopies, recordedCopies } from "./public.ts";

const logged: string[] = [];
const log = openLog("debug", { write: (line: string) => void logged.push(line) });
let db: TestDatabase;
let directory: string;
let opened: ColumnarCopies[] = [];
let stores: CopiedStore[] = [];
const calendar = new ManualCalendar();

beforeAll(async () => {
  db = await openTestDatabase(log);
});
afterAll(() => db.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "facts-test-"));
});
afterEach(async () => {
  for (const facts of opened) await facts.close();
  for (const store of stores) await store.close();
  opened = [];
  stores = [];
  await rm(directory, { recursive: true, force: true });
});

async function openFacts(more: Partial<ColumnarCopiesDeps> = {}): Promise<ColumnarCopies> {
  const facts = await openCopies({ directory, database: db.database, calendar, log, threads: 2, ...more });
  opened.push(facts);
  return facts;
}

async function openStore(): Promise<CopiedStore> {
  const store = await CopiedStore.open(db.connection);
  stores.push(store);
  return store;
}

const person = (lastSeen = sessionOpened) => ({
  lastSeen,
  identities: [{ kind: "email" as const, value: `${randomUUID()}@x.org`, consent: true }],
});
const text = (value: string): ModelAnswer => ({ page_key: "p", component_key: "t", kind: "text", value });
const slotOf = (number = 1) => join(directory, String(number));
const count = sql`SELECT count(*) AS n FROM sessions`;

describe("what a copy holds", () => {
  it("is what the database holds, odd texts included, folded as Node folds [copy.contents]", async () => {
    const store = await openStore();
    const odd = [
      "",
      "  ",
      'say "hi", it\'s\nme\r\n',
      "\\N",
      "\\.",
      "NULL",
      "null",
      "NaN",
      "ΑΣ ΟΔΟΣ",
      "İstanbul",
      "É",
      "e\u0301",
      "שלום",
      "😀,",
      "a\tb\u0001\u001f",
    ];
    await store.change({ sessions: odd.map((value) => [randomUUID(), givenSession({ answers: [text(value)] })]) });
    const picks: ModelAnswer[] = [
      { page_key: 'p"q', component_key: "a,b\nc", kind: "choice", option_ids: ["a", 'b"', "", "null", "ü,\\"] },
      { page_key: "p", component_key: "n", kind: "number", value: -0.1 },
      { page_key: "p", component_key: "big", kind: "number", value: 1e12 },
      { page_key: "p", component_key: "d", kind: "date", value: { date: "0001-01-01", time: null } },
      { page_key: "p", component_key: "e", kind: "date", value: { date: "9999-12-31", time: "10:00" } },
      { page_key: "p", component_key: "m", kind: "email", value: "secret@example.com" },
      { page_key: "p", component_key: "i", kind: "image", option_ids: ["x"] },
    ];
    const results = { points: { dry: -1.5, "o'ily": 2 }, formulas: { sum: 1 / 3, none: null } };
    await store.change({
      sessions: [[randomUUID(), givenSession({ answers: picks, completed: sessionOpened + 5_000, ...results })]],
    });
    await store.change({ sessions: [[randomUUID(), givenSession({ answers: picks, preview: true })]] });
    const facts = await openFacts();
    expect(await copied(facts, store.id)).toEqual(store.expected());
    const { rows } = await facts.ask(
      store.id,
      sql`SELECT component_key, option_id, label, folded FROM labels
        WHERE component_key = 'pick' OR option_id = 'dry' ORDER BY ALL`,
    );
    expect(rows).toEqual([
      { component_key: "pick", option_id: "a", label: 'Été "A", 0', folded: 'été "a", 0' },
      { component_key: null, option_id: "dry", label: "Dry", folded: "dry" },
    ]);
  });

  it.each([
    ["one by one", 2_000],
    ["in small files", 0],
    ["sometimes one by one, sometimes in small files", 3],
  ])("follows random changes exactly, %s, between detachments [copy.same-by-any-way]", async (_how, fewAtMost) => {
    const store = await openStore();
    const other = await openStore();
    const facts = await openFacts({ partBytes: 300, attachedAtMost: 1, fewAtMost });
    const sessionIds = Array.from({ length: 6 }, () => randomUUID());
    const personIds = Array.from({ length: 3 }, () => randomUUID());
    const anySession = fc.record({
      quiz: fc.constantFrom(0, 1),
      person: fc.constantFrom(null, ...personIds),
      preview: fc.constant(false),
      opened: fc.integer({ min: sessionOpened, max: sessionOpened + 9 }),
      started: fc.option(fc.integer({ min: sessionOpened, max: sessionOpened + 9 })),
      completed: fc.option(fc.integer({ min: sessionOpened, max: sessionOpened + 3 })),
      lastPage: fc.constantFrom(null, "first", "last"),
      answers: fc.array(
        fc.oneof(
          fc.string({ unit: "grapheme" }).map((value) => text(value.replaceAll("\u0000", ""))),
          fc
            .uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 })
            .map((option_ids) => ({ page_key: "p", component_key: "c", kind: "choice", option_ids })),
          fc.integer().map((value) => ({ page_key: "p", component_key: "n", kind: "number", value })),
        ),
        { maxLength: 3 },
      ),
      points: fc.dictionary(fc.constantFrom("dry", "oily"), fc.integer({ min: -5, max: 5 })),
      formulas: fc.dictionary(fc.constantFrom("f", "g"), fc.option(fc.integer())),
    });
    const change = fc.record({
      people: fc.uniqueArray(fc.tuple(fc.constantFrom(...personIds), fc.boolean()), {
        selector: ([id]) => id,
        maxLength: 2,
      }),
      sessions: fc.uniqueArray(fc.tuple(fc.constantFrom(...sessionIds), fc.option(anySession)), {
        selector: ([id]) => id,
        maxLength: 4,
      }),
      sync: fc.boolean(),
      elsewhere: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        for (const { people, sessions, sync, elsewhere } of changes) {
          const kept = people.map(([id, stays]): [string, ReturnType<typeof person> | null] => [
            id,
            stays ? person() : null,
          ]);
          // a session refers to a person that exists
          for (const [id] of people) if (!store.people.has(id)) await store.change({ people: [[id, person()]] });
          for (const [, given] of sessions) {
            if (given?.person && !store.people.has(given.person))
              await store.change({ people: [[given.person, person()]] });
          }
          await store.change({ sessions });
          await store.change({ people: kept });
          if (elsewhere) await facts.ask(other.id, count);
          if (sync) expect(await copied(facts, store.id)).toEqual(store.expected());
        }
        expect(await copied(facts, store.id)).toEqual(store.expected());
      }),
      // a machine that takes long for each script tries fewer, but one at least
      { numRuns: propertyRuns(3), interruptAfterTimeLimit: propertyMs(30_000) },
    );
    // one load at the beginning: all else was taken over as changes
    expect(logged.filter((line) => line.includes("it is rebuilt"))).toEqual([]);
  });
});

describe("freshness", () => {
  it("answers with the revision of the moment of asking or a later one, while others change the store [copy.fresh]", async () => {
    const store = await openStore();
    const facts = await openFacts();
    let committed = 0;
    let done = false;
    const writer = (async () => {
      for (let round = 0; round < 25; round++) {
        await store.change({ sessions: [[randomUUID(), givenSession({ answers: [text("x")] })]] });
        committed = store.sessions.size;
      }
      done = true;
    })();
    const readers = Array.from({ length: 4 }, async () => {
      while (!done) {
        const before = committed;
        const { rows, revision } = await facts.ask(
          store.id,
          sql<{
            n: number;
            a: number;
          }>`SELECT (SELECT count(*) FROM sessions) AS n, (SELECT count(*) FROM answers) AS a`,
        );
        expect(rows[0]?.n).toBeGreaterThanOrEqual(before);
        expect(rows[0]).toEqual({ n: revision, a: revision });
      }
    });
    await Promise.all([writer, ...readers]);
    expect(await copied(facts, store.id)).toEqual(store.expected());
  });

  it("shows one state to all statements of a reading, those put at once too, while others change it [copy.one-state]", async () => {
    const store = await openStore();
    const facts = await openFacts();
    let done = false;
    const writer = (async () => {
      for (let round = 0; round < 25; round++) {
        await store.change({ sessions: [[randomUUID(), givenSession({ answers: [text("x")] })]] });
        await facts.ask(store.id, count);
      }
      done = true;
    })();
    const counts = sql<{
      n: number;
      a: number;
    }>`SELECT (SELECT count(*) FROM sessions) AS n, (SELECT count(*) FROM answers) AS a`;
    while (!done) {
      const { result, revision } = await facts.read(store.id, (query) =>
        Promise.all(Array.from({ length: 6 }, () => query(counts))),
      );
      expect(result).toEqual(Array.from({ length: 6 }, () => [{ n: revision, a: revision }]));
    }
    await writer;
  });

  it("takes a removed person out, and nothing refers to it [copy.removed-person]", async () => {
    const store = await openStore();
    const facts = await openFacts();
    const id = randomUUID();
    await store.change({
      people: [[id, person()]],
      sessions: [
        [
          randomUUID(),
          givenSession({ person: id, completed: sessionOpened, answers: [text("a")], points: { dry: 1 } }),
        ],
      ],
    });
    expect((await copied(facts, store.id)).join()).toContain(id);
    await store.change({ people: [[id, null]] });
    expect((await copied(facts, store.id)).join()).not.toContain(id);
    expect(await copied(facts, store.id)).toEqual(store.expected());
  });

  it("does not write what a question asks for, and keeps stores apart [copy.read-only, copy.own-store]", async () => {
    const [one, two] = [await openStore(), await openStore()];
    const facts = await openFacts();
    await one.change({ sessions: [[randomUUID(), givenSession()]] });
    expect((await facts.ask(one.id, count)).rows).toEqual([{ n: 1 }]);
    expect((await facts.ask(two.id, count)).rows).toEqual([{ n: 0 }]);
    await expect(facts.ask(one.id, sql`DELETE FROM sessions`)).rejects.toThrow(/read-only/i);
    const { rows } = await facts.ask(
      one.id,
      sql`SELECT CAST(${"'; DROP TABLE sessions; --"} AS VARCHAR) AS a, CAST(${1.5} AS DOUBLE) AS b, CAST(${null} AS BOOLEAN) AS c`,
    );
    expect(rows).toEqual([{ a: "'; DROP TABLE sessions; --", b: 1.5, c: null }]);
  });
});

describe("limits", () => {
  it("stops a question at its deadline, and the next one is not hit [copy.deadline]", async () => {
    const store = await openStore();
    const facts = await openFacts();
    await facts.ask(store.id, count);
    const deadlines = new Deadlines(() => performance.now());
    const slow = sql`SELECT count(*) AS n FROM range(1000000000) AS a, range(1000) AS b WHERE hash(a.range + b.range) = 1`;
    const { result: settled, ranMs } = await timed(() => {
      const late = [300, 400].map((ms) => facts.ask(store.id, slow, deadlines.open(ms)));
      const queued = facts.ask(store.id, count, deadlines.open(200));
      return Promise.allSettled([...late, queued]);
    });
    expect(settled).toMatchObject(Array.from({ length: 3 }, () => ({ reason: { title: "timeout" } })));
    expect(ranMs).toBeLessThan(5_000);
    for (let round = 0; round < 20; round++) expect((await facts.ask(store.id, count)).rows).toEqual([{ n: 0 }]);
    deadlines.stop();
  });

  it("gives up what was put beside a statement that fails, and says why that one did [copy.failed-statement]", async () => {
    const store = await openStore();
    const facts = await openFacts();
    await facts.ask(store.id, count);
    const slow = sql`SELECT count(*) AS n FROM range(1000000000) AS a, range(1000) AS b`;
    const wrong = sql`SELECT nobody FROM sessions`;
    const { ranMs } = await timed(async () => {
      for (const put of [
        [slow, wrong, slow, slow],
        [wrong, slow, slow],
      ]) {
        const reading = facts.read(store.id, (query) => Promise.all(put.map((each) => query(each))));
        await expect(reading).rejects.toThrow(/nobody/);
      }
    });
    expect(ranMs).toBeLessThan(5_000);
    await facts.forget(store.id);
    expect((await facts.ask(store.id, count)).rows).toEqual([{ n: 0 }]);
  });

  it("answers 503 when memory runs out, and goes on [copy.out-of-memory]", async () => {
    const store = await openStore();
    const facts = await openFacts({ memoryLimitMb: 60 });
    const greedy = sql`SELECT len(list(a.range || 'some text that is long enough')) AS n FROM range(20000000) AS a`;
    await expect(facts.ask(store.id, greedy)).rejects.toMatchObject({ title: "dependency_unavailable" });
    expect((await facts.ask(store.id, count)).rows).toEqual([{ n: 0 }]);
  });

  it("says that a store is being loaded, and finishes the load without the one who asked [copy.first-load]", async () => {
    const store = await openStore();
    await store.change({ sessions: [[randomUUID(), givenSession()]] });
    const facts = await openFacts({ loadWaitMs: 700 });
    await store.client.query("BEGIN");
    await store.client.query("LOCK TABLE profiles IN ACCESS EXCLUSIVE MODE");
    await expect(facts.ask(store.id, count)).rejects.toBeInstanceOf(CopyLoading);
    await expect(facts.ask(store.id, count)).rejects.toMatchObject({ status: 503 });
    await store.client.query("COMMIT");
    const found = () =>
      facts.ask(store.id, count).then(
        ({ rows }) => rows,
        () => null,
      );
    await expect.poll(found, { timeout: 20_000 }).toEqual([{ n: 1 }]);
  });

  it("detaches the store used least recently beyond the limit, never one in use [copy.open-files]", async () => {
    const many = [];
    for (let index = 0; index < 5; index++) {
      const store = await openStore();
      await store.change({ sessions: Array.from({ length: index }, () => [randomUUID(), givenSession()]) });
      many.push(store);
    }
    const facts = await openFacts({ attachedAtMost: 2 });
    for (let round = 0; round < 3; round++) {
      const counts = await Promise.all(many.map(async (store) => (await facts.ask(store.id, count)).rows[0]));
      expect(counts).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
    }
    expect((await readdir(slotOf())).filter((name) => name.endsWith(".wal"))).toEqual([]);
  });
});

describe("which copies go", () => {
  it("records each copy, and those that an erasure discards are made anew [copy.erasure]", async () => {
    const store = await openStore();
    const facts = await openFacts();
    const reader = db.database.reader();
    await facts.ask(store.id, count);
    expect(await recordedCopies(reader.forStore(store.id))).toMatchObject([{ slot: 1, revision: 0, discard: false }]);
    await discardCopies(reader.forStore(store.id));
    expect(await recordedCopies(reader.forStore(store.id))).toMatchObject([{ discard: true }]);
    await facts.ask(store.id, count);
    expect(await recordedCopies(reader.forStore(store.id))).toMatchObject([{ revision: 0, discard: false }]);
    await discardCopies(reader.forStore(store.id));
    await facts.upkeep();
    expect(await recordedCopies(reader.forStore(store.id))).toEqual([]);
    expect(await readdir(slotOf())).not.toContain(`${store.id}.duckdb`);
  });

  it("removes what was untouched for 7 days or is beyond the disk budget, the oldest first [copy.upkeep]", async () => {
    const [one, two] = [await openStore(), await openStore()];
    const facts = await openFacts({ diskBudgetMb: 4 });
    for (const store of [one, two]) {
      const lines = Array.from({ length: 900 }, () => randomBytes(2_000).toString("hex"));
      await store.change({ sessions: [[randomUUID(), givenSession({ answers: lines.map(text) })]] });
      await facts.ask(store.id, count);
    }
    await facts.upkeep();
    const names = await readdir(slotOf());
    expect([names.includes(`${one.id}.duckdb`), names.includes(`${two.id}.duckdb`)]).toEqual([false, true]);
    calendar.advance(8 * 24 * 60 * 60 * 1000);
    await facts.upkeep();
    expect(await readdir(slotOf())).not.toContain(`${two.id}.duckdb`);
    expect(await copied(facts, two.id)).toEqual(two.expected());
  });
});
