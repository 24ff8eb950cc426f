import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { readCsv } from "../../../testkit/csv.ts";
import { exported } from "../../../testkit/export-files.ts";
import { recordEverything } from "../../../testkit/people.ts";
import type { TestQuiz } from "../../../testkit/quizzes.ts";
import { newShopper, searchQuiz, shop } from "../../../testkit/search-quiz.ts";
import { CopyLoading, type CopyReader } from "../../columnar-copy/public.ts";
import { ownStore, raw, sql } from "../../platform/database/sql.ts";
import { parseId } from "../../platform/ids.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;

const people = 6_000;

/** People by the thousand, as copies of two who took the quiz: every fourth of the second, who answered otherwise. */
async function multiply(second: string): Promise<void> {
  const db = t.database.reader().forStore(store.uuid);
  const copies = raw(`generate_series(1, ${people}) AS n`);
  const isModel = (profile: string) => sql`(n % 4 = 0) = (${raw(profile)} = ${second})`;
  const key = raw("('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid");
  await db.all(sql`
    INSERT INTO profiles (store_id, id, number, created_at, first_seen_at, last_seen_at, sessions_count,
      completed_count, visits_count, quiz_ids)
    SELECT p.store_id, ${key}, 1000 + n, p.created_at, p.first_seen_at, p.last_seen_at + (n / 3) * interval '1 second',
      1, 1, 1, p.quiz_ids FROM profiles p JOIN ${copies} ON ${isModel("p.id")} WHERE p.store_id = ${ownStore}`);
  await db.all(sql`
    INSERT INTO identities (store_id, kind, value, profile_id, consent, first_seen_at, last_seen_at)
    SELECT i.store_id, i.kind, 'p' || n || '@example.com', ${key}, i.consent, i.first_seen_at, i.last_seen_at
    FROM identities i JOIN ${copies} ON ${isModel("i.profile_id")}
    WHERE i.store_id = ${ownStore}
      AND i.profile_id NOT IN (SELECT id FROM profiles p WHERE p.store_id = ${ownStore} AND p.number > 1000)`);
  await db.all(sql`
    INSERT INTO sessions (store_id, id, number, visitor_id, quiz_id, version_id, profile_id, channel, device_class,
      device, preview, emits, is_returning, first_received_at, opened_at, started_at, completed_at, ended_at,
      last_event_at, status, state, facts, texts)
    SELECT s.store_id, ${key}, 1000 + n, ${key}, s.quiz_id, s.version_id, ${key}, s.channel, s.device_class, s.device,
      false, false, false, s.first_received_at, s.opened_at, s.started_at + (n / 3) * interval '1 millisecond',
      s.completed_at, s.ended_at, s.last_event_at, s.status, s.state,
      s.facts, s.texts
    FROM sessions s JOIN ${copies} ON ${isModel("s.profile_id")} WHERE s.store_id = ${ownStore}`);
  await recordEverything(db, store.uuid);
}

beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
  await t.update(store, { limits: { export_page_pause_ms: 0 } });
  quiz = await searchQuiz(t, store, { labels: ["Dry", "Oily"] });
  await shop(t, store, quiz, newShopper(), { tone: ["o1"], years: 30, mail: "ada@example.com" }, true);
  await shop(t, store, quiz, newShopper(), { tone: ["o2"], mail: "bob@example.com" });
  const { body } = await t.request("GET", "/v1/profiles?q=bob@example.com", { key: store.key });
  await multiply(parseId("prof", body.data[0].id) ?? "");
});
afterAll(() => t.close());

/** The copies, with something that happens before each time they are asked; `time` counts from 1. */
const interrupted = (before: (time: number) => Promise<void>): CopyReader => {
  const { facts } = t.foundations;
  let time = 0;
  return {
    ask: () => Promise.reject(new Error("not asked")),
    read: async (storeId, work, deadline) => {
      time += 1;
      await before(time);
      if (!facts) throw new Error("the app has no columnar copies");
      return facts.read(storeId, work, deadline);
    },
  };
};

/** Everybody whom the search finds, page by page. */
async function found(body: object): Promise<Body[]> {
  const all: Body[] = [];
  for (let cursor = ""; ; ) {
    t.passTime(60_000);
    const query = cursor === "" ? "?limit=100" : `?limit=100&cursor=${cursor}`;
    const answer = await t.request("POST", `/v1/profiles/search${query}`, { key: store.key, body });
    if (answer.status !== 200) throw new Error(answer.text);
    all.push(...answer.body.data);
    if (!answer.body.has_more) return all;
    cursor = answer.body.next_cursor;
  }
}

const picked = (option: string) => ({
  groups: [
    {
      all: [
        { quiz_id: quiz.id, kind: "choice", op: "in", page_key: "start", component_key: "tone", option_ids: [option] },
      ],
    },
  ],
});
const jsonOf = async (body: object): Promise<Body> => JSON.parse(await exported(t, store, { ...body, format: "json" }));

describe("an export of a search", () => {
  it("has whom the search finds, to the row, few or more than it counts [exports.search]", async () => {
    const few = await found(picked("o2"));
    expect(few).toHaveLength(people / 4 + 1);
    expect((await jsonOf({ dataset: "profiles", search: picked("o2") })).items).toEqual(few);
    const many = await found({});
    expect(many).toHaveLength(people + 2);
    expect((await jsonOf({ dataset: "profiles", search: {} })).items).toEqual(many);
    const nobody = { ...picked("o2"), is_returning: true };
    expect((await jsonOf({ dataset: "profiles", search: nobody })).items).toEqual([]);
  }, 120_000);

  it("has the sessions of those people [exports.search]", async () => {
    for (const [search, quizId] of [
      [picked("o2"), undefined],
      [{ has_email: true }, quiz.id],
    ] as const) {
      const wanted = new Set((await found(search)).map((one) => one.email));
      const text = await exported(t, store, { dataset: "responses", search, ...(quizId && { quiz_id: quizId }) });
      const rows = readCsv(text);
      expect(rows).toHaveLength(wanted.size);
      expect(new Set(rows.map((row) => row["session_id"])).size).toBe(wanted.size);
      const starts = rows.map((row) => row["started_at"]);
      expect(starts).toEqual(starts.toSorted());
    }
  }, 120_000);

  it("takes what was left until it begins, and holds in the file's own days besides [exports.search, exports.filters]", async () => {
    t.calendar.advance(24 * 60 * 60 * 1000);
    await shop(t, store, quiz, newShopper(), { tone: ["o2"], mail: "new@example.com" });
    const today = new Date(t.calendar.now()).toISOString().slice(0, 10);
    const { items } = await jsonOf({ dataset: "profiles", search: picked("o2"), from: today });
    expect(items.map((one: Body) => one.email)).toEqual(["new@example.com"]);
  });

  const mails = (text: string) => readCsv(text).map((row) => row["email"]);
  const arrival = (mail: string) => shop(t, store, quiz, newShopper(), { tone: ["o2"], mail });
  const nextDay = () => {
    t.calendar.advance(24 * 60 * 60 * 1000);
    return { search: { ...picked("o2"), from: new Date(t.calendar.now()).toISOString().slice(0, 10) } };
  };

  it("shows people as they were found, where somebody comes in between [exports.search]", async () => {
    const asked = { dataset: "profiles", ...nextDay() };
    await arrival("first@example.com");
    // the first time the copy is loaded, the second time a snapshot stands
    const facts = interrupted(async (time) => (time === 2 ? arrival("second@example.com") : undefined));
    const found = mails(await exported(t, store, asked, { facts }));
    expect(found.toSorted()).toEqual(["first@example.com", "second@example.com"]);
  });

  it("comes to its end where somebody comes all the time [exports.search]", async () => {
    const asked = { dataset: "profiles", ...nextDay() };
    const facts = interrupted((time) => arrival(`number${time}@example.com`));
    const found = mails(await exported(t, store, asked, { facts }));
    // of the third snapshot; who came after it was found, and is not shown
    expect(found.toSorted()).toEqual([1, 2, 3].map((number) => `number${number}@example.com`));
  });

  it("waits while the copy is loaded for the first time [exports.search]", async () => {
    const asked = { dataset: "profiles", ...nextDay() };
    await arrival("early@example.com");
    const facts = interrupted(async (time) => {
      if (time <= 2) throw new CopyLoading();
    });
    expect(mails(await exported(t, store, asked, { facts }))).toEqual(["early@example.com"]);
  });
});
