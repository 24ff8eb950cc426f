import fc from "fast-check";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { arbitraryHistory, eventId, historyStart, type TimedEvent } from "../../testkit/histories.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, finish, opened, reduceAt, shortWay } from "../../testkit/session-scripts.ts";
import { finderDocument, finderQuiz } from "../../testkit/small-quizzes.ts";
import {
  batchOf,
  countRows,
  outbox,
  recently,
  send,
  sessionId,
  sessionRow,
  visitorId,
} from "../../testkit/storefront.ts";
import type { Store } from "../platform/caller.ts";
import { VersionCache } from "../quizzes/public.ts";
import { findStore } from "../stores/public.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
const clients: pg.Client[] = [];
beforeAll(async () => {
  t = await openTestApp({ requestTimeoutMs: 500, intakeLimits: { storeBytes: 60_000, totalBytes: 80_000 } });
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
});
afterAll(() => t.close());
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
});

const facts = async (): Promise<Store> => {
  const found = await findStore(t.database.reader(), store.id);
  if (!found) throw new Error("the store is gone");
  return found;
};

/** Holds the store's row, so that nothing of the store commits until the client ends. */
async function blockStore(): Promise<pg.Client> {
  const client = new pg.Client(t.connection);
  await client.connect();
  clients.push(client);
  await client.query("BEGIN");
  await client.query("SELECT 1 FROM store_revisions WHERE store_id = $1 FOR UPDATE", [store.uuid]);
  return client;
}

let sessions = 1_000;
const nextSession = (): number => {
  sessions += 1;
  return sessions;
};

describe("one session, however it is sent", () => {
  /** Splits, shuffles and repeats a history: what a browser on a bad line may make of it. */
  interface Sending {
    history: TimedEvent[];
    keys: number[];
    size: number;
    repeat: number;
    together: boolean;
  }
  const sending: fc.Arbitrary<Sending> = fc.record({
    history: arbitraryHistory(finderQuiz, { maxActions: 24 }),
    keys: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
    size: fc.integer({ min: 1, max: 9 }),
    repeat: fc.nat(3),
    together: fc.boolean(),
  });

  async function sendAll({ history, keys, size, repeat, together }: Sending): Promise<string> {
    const id = sessionId(nextSession());
    const shuffled = history
      .map((event, index) => ({ event, key: keys[index % keys.length] ?? 0 }))
      .sort((a, b) => a.key - b.key)
      .map(({ event: { time, ...event } }) => event);
    const parts: object[][] = [];
    for (let at = 0; at < shuffled.length; at += size) parts.push(shuffled.slice(at, at + size));
    for (let again = 0; again < repeat; again++) parts.push(parts[again % parts.length] ?? []);
    const post = (part: object[]) => send(t, store, quiz, part, { session: { id, visitor_id: visitorId(sessions) } });
    const answers = together ? await Promise.all(parts.map(post)) : [];
    if (!together) for (const part of parts) answers.push(await post(part));
    for (const answer of answers) expect(answer.status).toBe(202);
    const total = answers.reduce((sum, { body }) => sum + body.accepted + body.duplicates + body.rejected.length, 0);
    expect(total).toBe(parts.flat().length);
    return id;
  }

  it("gives the same row whatever the order, the split, the repeats and the concurrency [sessions.event-set]", async () => {
    const check = async (given: Sending) => {
      const history = given.history.map((event) => {
        // hours before and after each other: how far back an event counts hangs on the first by `seq`, not on which
        // comes first
        const time = t.calendar.now() - 71 * 3_600_000 + ((event.time * 7) % (4 * 3_600_000));
        return { ...event, time, at: new Date(time).toISOString() };
      });
      const id = await sendAll({ ...given, history });
      const row = await sessionRow(t, store, id);
      const { state } = reduceAt((t.calendar.now() - historyStart) / 60_000, history);
      // of what was sent, null and empty fields are not kept
      const fold = { ...state.fold, bytes: row?.state.fold.bytes };
      expect(row?.state).toEqual(JSON.parse(JSON.stringify({ ...state, fold })));
      expect(row).toMatchObject({
        status: state.status,
        opened_at: new Date(state.opened_at),
        started_at: state.started_at === null ? null : new Date(state.started_at),
        completed_at: state.completed_at === null ? null : new Date(state.completed_at),
        last_event_at: new Date(state.last_event_at),
      });
    };
    await fc.assert(fc.asyncProperty(sending, check), { numRuns: 25 });
  });

  it("numbers sessions, and records a change for each that an accepted event touches", async () => {
    const shop = await t.store();
    const own = await makeQuiz(t, shop, { document: finderDocument, publish: true });
    const before = await countRows(t, shop, "changes");
    const post = (n: number, first: number) =>
      send(t, shop, own, recently(t, [opened({ min: 0 })], { firstId: first }), { session: { id: sessionId(n) } });
    await Promise.all([post(1, 0), post(2, 0), post(3, 0), post(1, 9)]);
    const numbers = await Promise.all([1, 2, 3].map(async (n) => (await sessionRow(t, shop, sessionId(n)))?.number));
    expect(new Set(numbers).size).toBe(3);
    expect(await countRows(t, shop, "changes")).toBeGreaterThanOrEqual(before + 3);
  });
});

describe("a database that does not answer [api.dependencies]", () => {
  it("answers 503 with Retry-After when the store's queue is full, and nothing half stored [storefront.full-queue]", async () => {
    const client = await blockStore();
    const before = await countRows(t, store, "sessions");
    const events = Array.from({ length: 60 }, (_, index) => {
      return { ...enter("skin"), id: eventId(index), seq: index, at: new Date(t.calendar.now()).toISOString() };
    });
    const sent = Array.from({ length: 12 }, () =>
      send(t, store, quiz, events, { session: { id: sessionId(nextSession()) } }),
    );
    const answers = Promise.all(sent);
    const first = await Promise.race(sent.slice(8));
    expect([first.status, first.body.title]).toEqual([503, "dependency_unavailable"]);
    expect(Number(first.headers["retry-after"])).toBeGreaterThan(0);
    await client.query("ROLLBACK");
    const taken = (await answers).filter((answer) => answer.status === 202).length;
    expect(taken).toBeGreaterThan(0);
    expect((await countRows(t, store, "sessions")) - before).toBe(taken);
  });

  it("waits for the store's lock instead of failing, when another transaction holds it for a while", async () => {
    const client = await blockStore();
    const id = sessionId(nextSession());
    const sent = send(t, store, quiz, recently(t, [opened({ min: 0 })]), { session: { id } });
    await new Promise((resolve) => setTimeout(resolve, 2_600));
    await client.query("ROLLBACK");
    expect((await sent).status).toBe(202);
    expect(await sessionRow(t, store, id)).toBeDefined();
  });

  it("answers 504 when the request's time is up, and drops what had not begun [storefront.deadline, api.request-time]", async () => {
    const client = await blockStore();
    const post = () =>
      send(t, store, quiz, recently(t, [opened({ min: 0 })]), { session: { id: sessionId(nextSession()) } });
    const begun = post();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const waiting = post();
    await new Promise((resolve) => setTimeout(resolve, 100));
    t.passTime(501);
    expect((await waiting).status).toBe(504);
    expect((await begun).status).toBe(504);
    const dropped = sessionId(sessions);
    await client.query("ROLLBACK");
    // one after the other: when this is answered, nothing older of the store is left
    expect((await post()).status).toBe(202);
    expect(await sessionRow(t, store, dropped)).toBeUndefined();
  });
});

describe("history from elsewhere [sessions.imports]", () => {
  it("keeps times as they were, never in the future, and causes no webhooks unless asked to [time.event-bounds]", async () => {
    const submit = async (number: number, emit: boolean) => {
      const start = t.calendar.now() - 90 * 24 * 3_600_000;
      const events = recently(t, [...shortWay, finish("result")]).map((event, index) => {
        const at = index === 6 ? t.calendar.now() + 3_600_000 : start + index * 1_000;
        return { ...event, at: new Date(at).toISOString() };
      });
      const batch = batchOf(t, store, quiz, events, { session: { id: sessionId(number) }, sentAt: start + 60_000 });
      const origin = { userAgent: null, country: "DE", region: null };
      const mode = { kind: "history" as const, emit };
      const [known, sender] = [await facts(), null];
      const answer = await t.api.intake.submit({ store: known, batch, origin, mode, sender });
      expect(answer.accepted).toBe(events.length);
      return { start, row: await sessionRow(t, store, sessionId(number)) };
    };
    const before = (await outbox(t, store)).length;
    const silent = await submit(501, false);
    expect(silent.row?.opened_at.getTime()).toBe(silent.start);
    expect(silent.row?.state.visits.at(-1)?.first_at).toBe(t.calendar.now());
    expect(silent.row).toMatchObject({ country: "DE", emits: false, status: "completed", device_class: "other" });
    expect(silent.row?.device).toMatchObject({ browser: null, os: null, model: null });
    expect(await outbox(t, store)).toHaveLength(before);
    await submit(502, true);
    expect(await outbox(t, store)).toHaveLength(before + 2);
  });

  it("keeps the order of a session's requests that are sent together, and reads their version once", async () => {
    const another = await makeQuiz(t, store, { document: finderDocument, publish: true });
    const known = await facts();
    const events = recently(t, [...shortWay, finish("result")]);
    const reads = vi.spyOn(VersionCache.prototype, "get");
    const answers = await Promise.all(
      events.map((event) => {
        const session = { id: sessionId(503), visitor_id: visitorId(503) };
        const batch = batchOf(t, store, another, [event], { session });
        const origin = { userAgent: null, country: null, region: null };
        const mode = { kind: "history" as const, emit: false };
        return t.api.intake.submit({ store: known, batch, origin, mode, sender: null });
      }),
    );
    const readsOfIntake = reads.mock.calls.length;
    reads.mockRestore();
    // a finish that overtook an answer that it needs would be refused as incomplete
    for (const answer of answers) expect(answer).toMatchObject({ accepted: 1, rejected: [] });
    // once for the intake, and once for the group that commits them
    expect(readsOfIntake).toBeLessThanOrEqual(2);
  });

  it("waits for room instead of refusing, so that many submissions may be under way", async () => {
    const known = await facts();
    const event = (index: number) => ({
      ...choose("skin", "skin_type", 1),
      id: eventId(index),
      seq: index,
      at: "2026-01-01T00:00:00Z",
    });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, number) => {
        const events = Array.from({ length: 20 }, (_, index) => event(index));
        const batch = batchOf(t, store, quiz, events, {
          session: { id: sessionId(600 + number), visitor_id: visitorId(600 + number) },
        });
        const origin = { userAgent: null, country: null, region: null };
        return t.api.intake.submit({
          store: known,
          batch,
          origin,
          mode: { kind: "history", emit: false },
          sender: null,
        });
      }),
    );
    expect(answers.every((answer) => answer.accepted === 20)).toBe(true);
  });
});
