import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listProfiles } from "../../contract/profiles.ts";
import { searchProfiles } from "../../contract/search.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import type { TestQuiz } from "../../testkit/quizzes.ts";
import { newShopper, searchQuiz, shop } from "../../testkit/search-quiz.ts";
import { writeCursor } from "../platform/cursors.ts";
import { Database } from "../platform/database/database.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { dayMs, forgetOldRows } from "../platform/retention.ts";
import { peopleRetention } from "./retention.ts";
import { type FoundList, nextFound, nextPlaces, seenAgainAtOnce } from "./walks.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store({ plan: "enterprise" });
  quiz = await searchQuiz(t, store, { labels: ["Dry", "Oily"] });
});

interface Page {
  mails: string[];
  cursor: string | null;
}

const mailOf = (index: number) => `p${String(index).padStart(2, "0")}@x.test`;

/** Somebody takes the quiz; a second later than whoever did before. */
async function visit(mail: string): Promise<void> {
  t.calendar.advance(1_000);
  await shop(t, store, quiz, newShopper(), { mail, tone: ["o1"] });
}

/** The ways to walk through the same people: each reads one page. */
const walks: Record<string, (page: string) => ReturnType<TestApp["request"]>> = {
  "the list": (page) => t.request("GET", `/v1/profiles?${page}`, { key: store.key }),
  "the list by part of a contact": (page) => t.request("GET", `/v1/profiles?q=x.test&${page}`, { key: store.key }),
  "the filtered list": (page) => t.request("GET", `/v1/profiles?has_email=true&${page}`, { key: store.key }),
  "the filtered list by part of a contact": (page) =>
    t.request("GET", `/v1/profiles?q=x.test&has_email=true&${page}`, { key: store.key }),
  "a search": (page) => t.request("POST", `/v1/profiles/search?${page}`, { key: store.key, body: { has_email: true } }),
};

async function read(walk: keyof typeof walks, cursor: string | null, limit = 4): Promise<Page> {
  t.passTime(10_000);
  const answer = await walks[walk]!(`limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`);
  if (answer.status !== 200) throw new Error(answer.text);
  const mails = answer.body.data.map(({ email }: { email: string | null }) => email ?? "");
  expect(answer.body.has_more).toBe(answer.body.next_cursor !== null);
  return { mails, cursor: answer.body.next_cursor };
}

async function readRest(walk: keyof typeof walks, cursor: string | null, limit?: number): Promise<string[]> {
  const mails: string[] = [];
  for (let next = cursor; next !== null; ) {
    const page = await read(walk, next, limit);
    mails.push(...page.mails);
    next = page.cursor;
  }
  return mails;
}

describe.each(Object.keys(walks))("walking through %s", (walk) => {
  it("meets those who are seen again at the place that they had at the start [people.list-pages]", async () => {
    for (let index = 0; index < 10; index += 1) await visit(mailOf(index));
    const expected = Array.from({ length: 10 }, (_, index) => mailOf(9 - index));
    const first = await read(walk, null);
    // one met already, one who comes next, two at the end
    for (const index of [8, 5, 0, 1]) await visit(mailOf(index));
    const second = await read(walk, first.cursor);
    for (const index of [1, 1, 5]) await visit(mailOf(index));
    await visit("new@x.test");
    expect([...first.mails, ...second.mails, ...(await readRest(walk, second.cursor))]).toEqual(expected);
    const again = await readRest(walk, (await read(walk, null)).cursor);
    expect(again).toHaveLength(7);
  });

  it("leaves out those who are new, though they come late and are seen again [people.list-pages, search.pages]", async () => {
    for (let index = 0; index < 8; index += 1) await visit(mailOf(index));
    const first = await read(walk, null, 3);
    t.calendar.advance(-6_500);
    for (const mail of ["late@x.test", mailOf(0), "late@x.test"]) await visit(mail);
    t.calendar.advance(6_500);
    expect(await readRest(walk, first.cursor)).toEqual([4, 3, 2, 1, 0].map(mailOf));
    expect([...first.mails]).toEqual([7, 6, 5].map(mailOf));
  });

  it("goes on from a cursor of an earlier release, which leaves out those seen again [people.list-pages, api.cursors]", async () => {
    for (let index = 0; index < 6; index += 1) await visit(mailOf(index));
    const { filters, route, after } = await bindingOf(walk);
    const binding = { storeId: store.uuid, route, filters };
    const cursor = writeCursor(t.foundations.secrets, binding, { ...after, upTo: 6 });
    await visit("new@x.test");
    await visit(mailOf(2));
    const page = await read(walk, cursor, 2);
    expect(page.mails).toEqual([3, 1].map(mailOf));
    expect(await readRest(walk, page.cursor)).toEqual([mailOf(0)]);
  });
});

/** What a cursor of the walk is bound to, and the place of the second of six people. */
async function bindingOf(walk: string) {
  const [row] = await t.database
    .reader()
    .forStore(store.uuid)
    .all(sql<{ id: string; at: Date }>`
  SELECT id, last_seen_at AS at FROM profiles WHERE store_id = ${ownStore} ORDER BY last_seen_at DESC OFFSET 1 LIMIT 1`);
  const filters = {
    ...(walk.includes("contact") && { q: "x.test" }),
    ...((walk.includes("filtered") || walk === "a search") && { has_email: true }),
  };
  const route = walk === "a search" ? searchProfiles.id : listProfiles.id;
  return { filters, route, after: { at: row!.at.getTime(), id: row!.id } };
}

/** As many people as there are times, last seen at these; all who moved before the revision 100 were elsewhere before. */
async function fill(times: readonly { at: number; movedAfter: number | null; wasAt?: number }[]): Promise<void> {
  const people = times.map(({ at, movedAfter, wasAt }, index) => ({
    id: idOf(index),
    number: index + 1,
    at: new Date(at),
    placed_after: movedAfter,
    was_at: new Date(wasAt ?? 0),
  }));
  const rows = sql`jsonb_to_recordset(${JSON.stringify(people)}::jsonb)
    AS p (id uuid, number int, at timestamptz, placed_after bigint, was_at timestamptz)`;
  const db = t.database.reader().forStore(store.uuid);
  await db.all(sql`INSERT INTO profiles (store_id, id, number, created_at, last_seen_at, placed_after)
    SELECT ${ownStore}::uuid, p.id, p.number, p.at, p.at, p.placed_after FROM ${rows}`);
  await db.all(sql`INSERT INTO earlier_places (store_id, until_revision, profile_id, last_seen_at)
    SELECT ${ownStore}::uuid, p.placed_after, p.id, p.was_at FROM ${rows} WHERE p.placed_after IS NOT NULL`);
}

const idOf = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`;
const top = { at: 10_000_000, id: idOf(0), asOf: 100 };

describe("a page of a walk", () => {
  it.runIf(process.env["TEST_DATABASE_URL"] === undefined)(
    "reads its own rows and those of people seen again since, however many there are [people.list-pages, database.young-tables]",
    async () => {
      const moved = (index: number) => (index < 30 ? 100 + index : index < 1_500 ? 50 : null);
      const times = Array.from({ length: 3_000 }, (_, index) => index);
      await fill(times.map((index) => ({ at: 1_000 * index, movedAfter: moved(index), wasAt: 1_000 * index + 500 })));
      const database = new Database({ connection: t.connection, size: 1, log: t.foundations.log, pipelined: true });
      const read = async (): Promise<number> => {
        await database.transaction((tx) => tx.all(sql`SELECT pg_stat_force_next_flush()`));
        const [row] = await t.database.transaction((tx) =>
          tx.all(sql<{ read: number }>`
          SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read FROM pg_stat_user_tables
          WHERE relname IN ('profiles', 'earlier_places')`),
        );
        return row?.read ?? 0;
      };
      const before = await read();
      const places = await nextPlaces(database.reader().forStore(store.uuid), [], { after: top, limit: 20 });
      expect(places.map(({ id }) => id)).toEqual(times.slice(-20).reverse().map(idOf));
      // a page, the places of those seen again, whom of them it looks up, and what the planner looks at
      expect((await read()) - before).toBeLessThan(20 + 30 + 30 + 20);
      await database.close();
    },
  );

  it("asks the copy once, and again only if somebody seen again had a place in the page [people.list-pages]", async () => {
    const asked: string[] = [];
    // people at 0, 10, 20 ...; every third was seen again, far up
    const all = Array.from({ length: 30 }, (_, index) => ({ id: idOf(index), at: 10 * index, asOf: 100 }));
    const isSeenAgain = (index: number) => index % 3 === 0;
    await fill(
      all.map(({ at }, index) => {
        return isSeenAgain(index) ? { at: 9_000, movedAfter: 100, wasAt: at } : { at, movedAfter: null };
      }),
    );
    const list: FoundList = {
      page: async (after, limit) => {
        asked.push("page");
        const stayed = all.filter(
          ({ at }, index) => !isSeenAgain(index) && at < (after?.at ?? Number.MAX_SAFE_INTEGER),
        );
        return stayed.reverse().slice(0, limit);
      },
      matching: async (ids) => {
        asked.push(`${ids.length} matching`);
        return new Set(ids);
      },
    };
    const db = t.database.reader().forStore(store.uuid);
    const ids = async (at: number, limit: number) => {
      const found = await nextFound(db, list, { after: { ...top, at }, limit });
      return found.map(({ id }) => all.findIndex((one) => one.id === id));
    };
    expect(await ids(300, 2)).toEqual([29, 28]);
    expect(asked.splice(0)).toEqual(["page"]);
    expect(await ids(280, 3)).toEqual([27, 26, 25]);
    expect(asked.splice(0)).toEqual(["page", "2 matching"]);
    expect(await ids(40, 10)).toEqual([3, 2, 1, 0]);
    expect(asked.splice(0)).toEqual(["page", "2 matching"]);
  });

  it("finds everybody in order when thousands were seen again [people.list-pages]", async () => {
    const count = 2 * seenAgainAtOnce + 500;
    await fill(Array.from({ length: count }, (_, index) => ({ at: 9_000_000, movedAfter: 100, wasAt: 10 * index })));
    const matches = (id: string) => Number(id.slice(-4)) % 100 === 0;
    const list: FoundList = {
      page: async () => [],
      matching: async (ids) => new Set(ids.filter(matches)),
    };
    const db = t.database.reader().forStore(store.uuid);
    const found = await nextFound(db, list, { after: top, limit: 100 });
    expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 25 }, (_, index) => idOf(2_400 - 100 * index)));
  });
});

it("forgets earlier places when the changes after them are a week old [people.list-pages, operations.retention]", async () => {
  for (const mail of ["a@x.test", "b@x.test", "a@x.test"]) await visit(mail);
  const kept = async () => {
    const rows = await t.database
      .reader()
      .forStore(store.uuid)
      .all(sql<{ at: Date }>`
    SELECT last_seen_at AS at FROM earlier_places WHERE store_id = ${ownStore}`);
    return rows.length;
  };
  expect(await kept()).toBe(1);
  const forget = () => forgetOldRows(t.database, t.calendar, peopleRetention);
  t.calendar.advance(7 * dayMs - 60_000);
  await forget();
  expect(await kept()).toBe(1);
  await visit("b@x.test");
  t.calendar.advance(120_000);
  await forget();
  expect(await kept()).toBe(1);
  t.calendar.advance(7 * dayMs);
  await forget();
  expect(await kept()).toBe(0);
});
