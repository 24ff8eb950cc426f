import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { erasePersonIn } from "../../testkit/erasure.ts";
import { propertyMs, propertyRuns } from "../../testkit/property-runs.ts";
import type { TestQuiz } from "../../testkit/quizzes.ts";
import { newShopper, type Shopper, searchQuiz, shop } from "../../testkit/search-quiz.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

/** The ways to page through everybody. */
const lists = ["", "q=%2B49&", "has_order=false&", "q=%2B49&has_order=false&", "search"] as const;

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant("visit" as const), who: fc.nat(11), late: fc.nat(3) }) },
  // a phone alone, and then often with an email, in the same browser, so that people merge
  { weight: 3, arbitrary: fc.record({ does: fc.constant("phone" as const), who: fc.nat(3), mail: fc.nat(15) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("correct" as const), which: fc.nat(30), to: fc.nat(11) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("erase" as const), who: fc.nat(11) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("begin" as const), list: fc.constantFrom(...lists) }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant("continue" as const), which: fc.nat(9), limit: fc.nat(3) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Walk {
  list: (typeof lists)[number];
  cursor: string | null;
  /** ids of the people who were there when it began and come next, in the order of that moment */
  ahead: string[];
}

interface World {
  store: TestStore;
  quiz: TestQuiz;
  shoppers: Shopper[];
  /** of each phone's browser */
  visitors: string[];
  walks: Walk[];
  met: number;
}

const mailOf = (who: number) => `p${who}+49@x.test`;

/** Everybody's id in the order of the list, by the plainest statement. */
async function everybody(store: TestStore): Promise<string[]> {
  const rows = await t.database
    .reader()
    .forStore(store.uuid)
    .all(sql<{ id: string }>`
  SELECT id FROM profiles WHERE store_id = ${ownStore} AND removed_at IS NULL ORDER BY last_seen_at DESC, id DESC`);
  return rows.map(({ id }) => formatId("prof", id));
}

async function take(world: World, shopper: Shopper, answers: Record<string, string>): Promise<void> {
  t.calendar.advance(700);
  t.passTime(1_000);
  await shop(t, world.store, world.quiz, shopper, answers);
}

async function come(world: World, answers: Record<string, string>, visitor?: string): Promise<void> {
  const shopper = { ...newShopper(), ...(visitor !== undefined && { visitor }) };
  world.shoppers.push(shopper);
  await take(world, shopper, answers);
}

/** Reads a walk's next page, and compares it with who is left of those ahead. */
async function read(world: World, walk: Walk, limit: number): Promise<void> {
  t.passTime(10_000);
  const page = `limit=${limit}${walk.cursor === null ? "" : `&cursor=${walk.cursor}`}`;
  const { key } = world.store;
  const answer =
    walk.list === "search"
      ? await t.request("POST", `/v1/profiles/search?${page}`, { key, body: { has_order: false } })
      : await t.request("GET", `/v1/profiles?${walk.list}${page}`, { key });
  if (answer.status !== 200) throw new Error(answer.text);
  const there = new Set(await everybody(world.store));
  const left = walk.ahead.filter((id) => there.has(id));
  const ids = answer.body.data.map(({ id }: { id: string }) => id);
  expect({ ids, more: answer.body.has_more }).toEqual({ ids: left.slice(0, limit), more: left.length > limit });
  walk.ahead = left.slice(limit);
  walk.cursor = answer.body.next_cursor;
  world.met += walk.cursor === null ? 1 : 0;
}

async function run(world: World, { ...of }: Step): Promise<void> {
  const { store, walks, shoppers, visitors } = world;
  if (of.does === "visit") {
    // some arrive late, between those who are there already
    t.calendar.advance(of.late === 0 ? -2_500 : 0);
    await come(world, { mail: mailOf(of.who) });
    t.calendar.advance(of.late === 0 ? 1_900 : 0);
  } else if (of.does === "phone") {
    const phone = `+49301234560${of.who}`;
    await come(world, { phone, ...(of.mail < 12 && { mail: mailOf(of.mail) }) }, visitors[of.who]);
  } else if (of.does === "correct") {
    const shopper = shoppers[of.which % Math.max(shoppers.length, 1)];
    if (shopper !== undefined) await take(world, shopper, { mail: mailOf(of.to) });
  } else if (of.does === "erase") {
    const ids = await everybody(store);
    const id = ids[of.who];
    if (id !== undefined) await erasePersonIn(t, store, id);
  } else if (of.does === "begin") {
    const walk: Walk = { list: of.list, cursor: null, ahead: await everybody(store) };
    await read(world, walk, 2);
    if (walk.cursor !== null) walks.push(walk);
  } else {
    const walk = walks[of.which % Math.max(walks.length, 1)];
    if (walk === undefined) return;
    await read(world, walk, of.limit + 1);
    world.walks = walks.filter(({ cursor }) => cursor !== null);
  }
}

it(
  "lists each person who was there at the start once, in the order of that moment, whatever happens meanwhile [people.list-pages, search.pages]",
  async () => {
    let finished = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60, size: "max" }), async (steps) => {
        const store = await t.store({ plan: "enterprise" });
        const quiz = await searchQuiz(t, store, { labels: ["Dry"] });
        const visitors = Array.from({ length: 4 }, () => newShopper().visitor);
        const world: World = { store, quiz, shoppers: [], visitors, walks: [], met: 0 };
        for (let who = 0; who < 8; who += 1) await come(world, { mail: mailOf(who) });
        for (const one of steps) await run(world, one);
        for (const walk of world.walks) while (walk.cursor !== null) await read(world, walk, 2);
        finished += world.met;
      }),
      { numRuns: propertyRuns(6) },
    );
    expect(finished).toBeGreaterThan(6);
  },
  propertyMs(120_000),
);
