import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { erasePersonIn } from "../../testkit/erasure.ts";
import { openFinderShop } from "../../testkit/finder-shop.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, closed, enter, finish, opened, say, shortWay } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { countRows, outbox, recently, send, sessionId, sessionRow } from "../../testkit/storefront.ts";
import { sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { VersionCache } from "../quizzes/public.ts";
import { sweepSessions } from "./sweep.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  ({ store, quiz } = await openFinderShop(t));
  await sweep();
});

const half = 30 * 60_000;
const sweep = () => {
  const { random, log } = t.foundations;
  return sweepSessions(t.database, { versions: new VersionCache(), now: t.calendar.now, random, log });
};
const answered = [opened({ min: 0 }), enter("skin", "start"), choose("skin", "skin_type", 1)];
const take = (script: Parameters<typeof recently>[1], number = 1, more = {}) =>
  send(t, store, quiz, recently(t, script, { minutesAgo: 0 }), { session: { id: sessionId(number), ...more } });
const topics = async () => (await outbox(t, store)).map((event) => event.topic);

it("ends a session after 30 idle minutes and appends quiz.abandoned once [sessions.idle-sweep]", async () => {
  await take(answered);
  const before = await sessionRow(t, store, sessionId(1));
  t.calendar.advance(half - 1);
  expect(await sweep()).toBe(0);
  const changes = await countRows(t, store, "changes");
  t.calendar.advance(1);
  expect(await sweep()).toBe(1);
  expect(await sessionRow(t, store, sessionId(1))).toMatchObject({
    status: "left",
    ended_at: new Date((before?.last_event_at.getTime() ?? 0) + half),
    due_at: null,
    state: { end_reason: "timed_out" },
  });
  expect(await topics()).toEqual(["quiz.started", "quiz.abandoned"]);
  expect((await outbox(t, store))[1]?.created_at.getTime()).toBe((before?.last_event_at.getTime() ?? 0) + half);
  expect(await countRows(t, store, "changes")).toBe(changes + 1);
  expect(await sweep()).toBe(0);
  await take([closed({ seq: 30 })]);
  t.calendar.advance(2 * half);
  await sweep();
  expect((await topics()).filter((topic) => topic === "quiz.abandoned")).toHaveLength(1);
});

it("appends quiz.abandoned for a closed session too, not for one without an answer, a finished one, a preview [sessions.abandoned]", async () => {
  await take([...answered, closed()], 1);
  await take([opened({ min: 0 }), enter("skin", "start")], 2);
  await take([...shortWay, finish("result")], 3);
  await take(answered, 4, { preview: true });
  t.calendar.advance(2 * half);
  while ((await sweep()) > 0);
  expect((await topics()).filter((topic) => topic === "quiz.abandoned")).toHaveLength(1);
  const ends = await Promise.all(
    [1, 2, 3, 4].map(async (n) => (await sessionRow(t, store, sessionId(n)))?.state.end_reason),
  );
  expect(ends).toEqual(["closed", "timed_out", "finished", "timed_out"]);
});

it("moves a session on that went on meanwhile [sessions.idle-sweep]", async () => {
  await take(answered);
  t.calendar.advance(20 * 60_000);
  await send(t, store, quiz, recently(t, [enter("age", "next", { seq: 8, min: 0 })], { minutesAgo: 0, firstId: 8 }));
  t.calendar.advance(20 * 60_000);
  expect(await sweep()).toBe(1);
  const row = await sessionRow(t, store, sessionId(1));
  expect(row?.status).toBe("in_progress");
  expect(row?.due_at?.getTime()).toBe((row?.last_event_at.getTime() ?? 0) + half);
  t.calendar.advance(half);
  expect(await sweep()).toBe(1);
  expect((await sessionRow(t, store, sessionId(1)))?.status).toBe("left");
});

it("deals with many sessions of several stores, at most 100 at a time [sessions.idle-sweep]", async () => {
  const other = await t.store();
  const theirs = await makeQuiz(t, other, { document: finderDocument, publish: true });
  await Promise.all(
    Array.from({ length: 130 }, (_, number) => {
      const [shop, own] = number % 2 ? [store, quiz] : [other, theirs];
      return send(t, shop, own, recently(t, [opened({ min: 0 })], { minutesAgo: 0 }), {
        session: { id: sessionId(number) },
      });
    }),
  );
  t.calendar.advance(half);
  expect(await sweep()).toBe(100);
  expect(await sweep()).toBe(30);
  expect(await sweep()).toBe(0);
});

describe("sessions from before events had bounds", () => {
  /** As the release before left them: `count` events of 100 KB that compress well, and nothing to go on from. */
  async function grown(shop: TestStore, own: TestQuiz, number: number, count: number): Promise<void> {
    await send(t, shop, own, recently(t, answered, { minutesAgo: 0 }), { session: { id: sessionId(number) } });
    const id = parseId("sess", sessionId(number));
    const db = t.database.reader();
    await db.all(sql`INSERT INTO session_events (store_id, session_id, id, seq, at, received_at, type, data)
        SELECT ${shop.uuid}::uuid, ${id}::uuid, ('00000000-0000-4000-9000-' || lpad(n::text, 12, '0'))::uuid, 10 + n, ${new Date(t.calendar.now())}::timestamptz,
          ${new Date(t.calendar.now())}::timestamptz, 'page_entered',
          jsonb_build_object('page_key', 'skin', 'cause', 'next', 'hidden_page_keys', jsonb_build_array(repeat('x', 100000)))
        FROM generate_series(1, ${count}::integer) n`);
    await db.all(sql`UPDATE sessions SET state = state - 'fold' WHERE store_id = ${shop.uuid} AND id = ${id}`);
  }

  it("are swept one by one though 48 of them, megabytes each, fall due together, and a neighbour's with them [sessions.idle-sweep]", async () => {
    const other = await t.store();
    const theirs = await makeQuiz(t, other, { document: finderDocument, publish: true });
    for (let number = 0; number < 48; number++) await grown(store, quiz, number, 12);
    await send(t, other, theirs, recently(t, answered, { minutesAgo: 0 }), { session: { id: sessionId(500) } });
    t.calendar.advance(half);
    expect(await sweep()).toBe(49);
    const ends = await Promise.all(
      Array.from({ length: 48 }, async (_, number) => (await sessionRow(t, store, sessionId(number)))?.status),
    );
    expect(new Set(ends)).toEqual(new Set(["left"]));
    expect((await sessionRow(t, other, sessionId(500)))?.status).toBe("left");
    expect((await sessionRow(t, store, sessionId(0)))?.state.fold).toMatchObject({ events: 15 });
  }, 120_000);
});

describe("a session that cannot be swept [sessions.idle-sweep]", () => {
  const spoil = (shop: TestStore, number: number, state: string) =>
    t.database
      .reader()
      .all(
        sql`UPDATE sessions SET state = ${state}::jsonb WHERE store_id = ${shop.uuid} AND id = ${parseId("sess", sessionId(number))}`,
      );
  const dueIn = async (number: number) =>
    Math.round(((await sessionRow(t, store, sessionId(number)))?.due_at?.getTime() ?? 0) - t.calendar.now()) / 60_000;

  it("does not keep the others from their turn, and waits ever longer", async () => {
    for (let number = 0; number < 9; number++) await take(answered, number);
    const broken = '{"fold": {"rules": 1}, "answers": [], "answered_count": 0}';
    await spoil(store, 4, broken);
    t.calendar.advance(half);
    expect(await sweep()).toBe(9);
    for (const number of [0, 1, 2, 3, 5, 6, 7, 8]) {
      expect((await sessionRow(t, store, sessionId(number)))?.status).toBe("left");
    }
    expect(await dueIn(4)).toBe(30);
    t.calendar.advance(half);
    expect(await sweep()).toBe(1);
    expect(await dueIn(4)).toBe(60);
    t.calendar.advance(10 * 24 * 60 * 60_000);
    expect(await sweep()).toBe(1);
    expect(await dueIn(4)).toBe(24 * 60);
    await spoil(store, 4, "{}");
    t.calendar.advance(24 * 60 * 60_000);
    expect(await sweep()).toBe(1);
    expect((await sessionRow(t, store, sessionId(4)))?.status).toBe("left");
  });

  it("does not wait for a store that somebody else holds, nor does another store", async () => {
    const other = await t.store();
    const theirs = await makeQuiz(t, other, { document: finderDocument, publish: true });
    await take(answered);
    await send(t, other, theirs, recently(t, answered, { minutesAgo: 0 }), { session: { id: sessionId(2) } });
    t.calendar.advance(half);
    const holder = new pg.Client(t.connection);
    await holder.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT 1 FROM store_revisions WHERE store_id = $1 FOR UPDATE", [store.uuid]);
    expect(await sweep()).toBe(1);
    expect((await sessionRow(t, other, sessionId(2)))?.status).toBe("left");
    await holder.query("ROLLBACK");
    await holder.end();
    expect(await sweep()).toBe(1);
    expect((await sessionRow(t, store, sessionId(1)))?.status).toBe("left");
  });

  it("takes nothing back that an event or an erasure changed while it was being worked out", async () => {
    await take([...answered, say("contact", "mail", "ann@example.com")]);
    t.calendar.advance(half);
    const { random, log } = t.foundations;
    let erased = false;
    const versions = new VersionCache();
    const get = versions.get.bind(versions);
    // between reading and writing: the version is asked for in between
    versions.get = async (...asked) => {
      if (!erased) {
        erased = true;
        const people = await t.request("GET", "/v1/profiles", { key: store.key });
        await erasePersonIn(t, store, people.body.data[0].id);
      }
      return get(...asked);
    };
    expect(await sweepSessions(t.database, { versions, now: t.calendar.now, random, log })).toBe(0);
    expect(await sweep()).toBe(1);
    const row = await sessionRow(t, store, sessionId(1));
    expect([row?.status, row?.state.contacts, row?.state.answered_count]).toEqual(["left", [], 2]);
  });
});

it("lets two sweepers at once append each event once [sessions.idle-sweep]", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, number) => take(answered, number)));
  t.calendar.advance(half);
  await Promise.all([sweep(), sweep(), sweep()]);
  expect((await topics()).filter((topic) => topic === "quiz.abandoned")).toHaveLength(20);
});
