import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { picksOf } from "../../engine/quiz.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { eventId } from "../../testkit/histories.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, closed, enter, finish, opened, restarted, say, shortWay } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import {
  batchOf,
  countRows,
  outbox,
  recently,
  type Sent,
  send,
  sessionId,
  sessionRow,
  visitorId,
} from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
});

/** a product that the finder's blocks name */
const [named] = finderDocument.pages.flatMap((page) =>
  page.components.flatMap((part) => (part.kind === "products" ? picksOf(part) : [])),
);
const daily = named?.product_id ?? "";

const post = (events: unknown[], sent?: Sent) => send(t, store, quiz, events, sent);
const start = [opened({ min: 0 }), enter("skin", "start"), choose("skin", "skin_type", 1)];

describe("what is taken", () => {
  it("answers 202 with how many events it took [storefront.accepted]", async () => {
    const answer = await post(recently(t, start));
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ accepted: 3, duplicates: 0, rejected: [] });
    const row = await sessionRow(t, store, sessionId(1));
    expect(row).toMatchObject({ status: "in_progress", channel: "online_store", preview: false, is_returning: false });
    expect(row?.started_at).toEqual(row?.last_event_at);
    expect(await countRows(t, store, "session_events")).toBe(3);
  });

  it("takes text/plain, as navigator.sendBeacon sends it, and refuses other types [storefront.body-types]", async () => {
    expect((await post(recently(t, start), { type: "text/plain;charset=UTF-8" })).body.accepted).toBe(3);
    const form = await post(recently(t, start), { type: "application/x-www-form-urlencoded" });
    expect(form.status).toBe(422);
    expect(form.body.errors[0].field).toBe("body");
  });

  it("takes every kind of event [storefront.event-types]", async () => {
    const script = [
      ...shortWay,
      say("contact", "mail", "ann@example.com", { consent: true }),
      { type: "products_shown" as const, page_key: "result", block_key: "picks", products: [{ product_id: daily }] },
      { type: "product_added" as const, product_id: "p1", variant_id: null, quantity: 2 },
      finish("result"),
      closed(),
      restarted(),
    ];
    const answer = await post(recently(t, script));
    expect(answer.body).toEqual({ accepted: script.length, duplicates: 0, rejected: [] });
    const row = await sessionRow(t, store, sessionId(1));
    expect(row?.status).toBe("completed");
    expect(row?.state.shown).toHaveLength(1);
    expect(row?.state.added).toHaveLength(1);
    expect(row?.profile_id).not.toBeNull();
  });

  it("counts a repeated event id as a duplicate, at any later time, and changes nothing [storefront.repeated-events]", async () => {
    const events = recently(t, start);
    await post(events);
    const before = await sessionRow(t, store, sessionId(1));
    const changes = await countRows(t, store, "changes");
    t.calendar.advance(90 * 24 * 3_600_000);
    const again = await post(events);
    expect(again.body).toEqual({ accepted: 0, duplicates: 3, rejected: [] });
    expect(await sessionRow(t, store, sessionId(1))).toEqual(before);
    expect(await countRows(t, store, "changes")).toBe(changes);
  });

  it("takes the first of two events of one id in one batch [storefront.repeated-events]", async () => {
    const [first, second, third] = recently(t, start);
    const answer = await post([first, second, { ...third, id: eventId(1) }]);
    expect(answer.body).toEqual({ accepted: 2, duplicates: 1, rejected: [] });
  });

  it("does not let an invalid event spoil its batch [storefront.bad-events]", async () => {
    const [first, second, third] = recently(t, start) as Record<string, unknown>[];
    const answer = await post([
      null,
      first,
      "text",
      { ...second, id: "evt_secret-<script>", page_key: 1 },
      { ...second, id: eventId(20), seq: -1 },
      { ...second, id: eventId(21), type: "page_left" },
      { ...second, id: eventId(22), page_key: "nowhere" },
      { ...third, id: eventId(23), component_key: "nothing" },
      { ...third, id: eventId(24), option_ids: ["skin_type_9"] },
      { ...third, id: eventId(25), at: "yesterday" },
      second,
    ]);
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      accepted: 2,
      duplicates: 0,
      rejected: [
        { id: null, reason: "invalid" },
        { id: null, reason: "invalid" },
        { id: null, reason: "invalid" },
        { id: eventId(20), reason: "invalid" },
        { id: eventId(21), reason: "unknown_type" },
        { id: eventId(22), reason: "unknown_page" },
        { id: eventId(23), reason: "unknown_component" },
        { id: eventId(24), reason: "unknown_option" },
        { id: eventId(25), reason: "invalid" },
      ],
    });
    expect(answer.text).not.toContain("script");
    expect(await countRows(t, store, "session_events")).toBe(2);
  });

  it("opens no session for events of which none can be taken [storefront.bad-events]", async () => {
    const [first] = recently(t, [enter("skin")]);
    const before = await countRows(t, store, "changes");
    expect((await post([{ ...first, page_key: "gone" }])).body.rejected).toHaveLength(1);
    expect(await sessionRow(t, store, sessionId(1))).toBeUndefined();
    expect(await countRows(t, store, "changes")).toBe(before);
  });

  it("keeps a finish that is not met yet, answers it as incomplete, and completes once it is [sessions.waiting-finish]", async () => {
    const [open, skin, result, done, choice, years] = recently(t, [
      opened({ min: 0 }),
      enter("skin", "start"),
      enter("result", "next"),
      finish("result", { seq: 6 }),
      choose("skin", "skin_type", 1, { seq: 4 }),
      say("age", "years", 30, { seq: 5 }),
    ]);
    const early = await post([open, skin, result, done]);
    expect(early.body).toEqual({ accepted: 3, duplicates: 0, rejected: [{ id: eventId(3), reason: "incomplete" }] });
    expect((await post([done])).body.duplicates).toBe(1);
    const late = await post([choice, years]);
    expect(late.body).toEqual({ accepted: 2, duplicates: 0, rejected: [] });
    expect((await sessionRow(t, store, sessionId(1)))?.status).toBe("completed");
  });

  it("answers Back and Skip after 30 idle minutes as timed_out, and takes the rest [sessions.back-and-skip]", async () => {
    await post(recently(t, start));
    t.calendar.advance(45 * 60_000);
    const later = recently(
      t,
      [
        enter("skin", "back", { seq: 10, min: 0 }),
        enter("age", "skip", { seq: 11 }),
        say("age", "years", 30, { seq: 12 }),
        finish("result", { seq: 13 }),
      ],
      { minutesAgo: 0, firstId: 40 },
    );
    const answer = await post(later);
    expect(answer.body).toEqual({
      accepted: 2,
      duplicates: 0,
      rejected: [
        { id: eventId(40), reason: "timed_out" },
        { id: eventId(41), reason: "timed_out" },
      ],
    });
    expect((await sessionRow(t, store, sessionId(1)))?.status).toBe("completed");
  });

  it("strips NUL and mends half surrogates of texts, and keeps no field that the event lacks [storefront.texts, storefront.event-types]", async () => {
    const [open] = recently(t, start);
    const odd = {
      ...say("contact", "remark", "a\u0000b\ud800c"),
      id: eventId(9),
      seq: 9,
      at: new Date(t.calendar.now()).toISOString(),
    };
    const answer = await post([open, { ...odd, secret: "kept?", __proto__: null }], {
      session: { placement: "pop\u0000up\udfff", utm: { source: "a\u0000" } },
    });
    expect(answer.body.accepted).toBe(2);
    const row = await sessionRow(t, store, sessionId(1));
    expect(row?.placement).toBe("popup\ufffd");
    expect(row?.utm_source).toBe("a");
    expect(row?.state.answers[0]).toMatchObject({ value: "ab\ufffdc" });
    const stored = await t.database
      .reader()
      .forStore(store.uuid)
      .all(sql<object>`SELECT data FROM session_events WHERE store_id = ${ownStore}`);
    expect(JSON.stringify(stored)).not.toContain("kept?");
  });
});

describe("what is refused", () => {
  it("names what is wrong with the frame: 422 [storefront.request-shape]", async () => {
    const sound = batchOf(t, store, quiz, recently(t, start));
    const refused = async (body: unknown) => {
      const answer = await t.request("POST", "/storefront/v1/events", { body });
      expect(answer.status).toBe(422);
      expect(answer.headers["content-type"]).toContain("application/problem+json");
      return answer.body.errors.map((error: { field: string }) => error.field);
    };
    expect(await refused({})).toContain("body.store");
    expect(await refused({ ...sound, events: [] })).toEqual(["body.events"]);
    expect(await refused({ ...sound, events: Array(101).fill({}) })).toEqual(["body.events"]);
    expect(await refused({ ...sound, sent_at: "now" })).toEqual(["body.sent_at"]);
    expect(await refused({ ...sound, session: { ...sound.session, channel: undefined } })).toEqual([
      "body.session.channel",
    ]);
    expect(await refused("{")).toEqual(["body"]);
    expect(await refused(" ".repeat(1024 * 1024 + 1))).toEqual(["body"]);
  });

  it("answers 404 for an unknown publishable key [storefront.unknown-store]", async () => {
    const body = { ...batchOf(t, store, quiz, recently(t, start)), store: `pub_${"0".repeat(32)}` };
    const answer = await t.request("POST", "/storefront/v1/events", { body });
    expect(answer.status).toBe(404);
    expect(answer.body.title).toBe("not_found");
  });

  it("refuses versions that are not of the store's quiz, other stores' among them [storefront.quiz-version]", async () => {
    const other = await t.store();
    const foreign = await makeQuiz(t, other, { document: finderDocument, publish: true });
    const second = await makeQuiz(t, store, { document: finderDocument, publish: true });
    const foreignVersion = await post(recently(t, start), { session: { version_id: foreign.versionId } });
    expect(foreignVersion.status).toBe(422);
    expect(foreignVersion.body.errors[0].field).toBe("body.session.version_id");
    const mismatch = await post(recently(t, start), { session: { version_id: second.versionId } });
    expect(mismatch.body.errors[0].field).toBe("body.session.quiz_id");
    expect(await countRows(t, store, "sessions")).toBe(0);
  });

  it("keeps the sessions of two stores apart, whatever their ids [api.one-store]", async () => {
    const other = await t.store();
    const theirs = await makeQuiz(t, other, { document: finderDocument, publish: true });
    await post(recently(t, start));
    const answer = await send(t, other, theirs, recently(t, start));
    expect(answer.body).toEqual({ accepted: 3, duplicates: 0, rejected: [] });
    expect((await sessionRow(t, other, sessionId(1)))?.is_returning).toBe(false);
  });

  it("takes events of a store on a paused plan [storefront.paused-plan]", async () => {
    const paused = await t.store({ plan: "other" });
    const theirs = await makeQuiz(t, paused, { document: finderDocument, publish: true });
    expect((await send(t, paused, theirs, recently(t, start))).body.accepted).toBe(3);
  });
});

describe("what follows from a session", () => {
  it("puts quiz.started and, a minute after its arrival, quiz.finished into the outbox, once [webhooks.quiz-started, webhooks.quiz-finished]", async () => {
    await post(recently(t, [...shortWay, finish("result")]));
    const row = await sessionRow(t, store, sessionId(1));
    const events = await outbox(t, store);
    expect(events.map((event) => event.topic)).toEqual(["quiz.started", "quiz.finished"]);
    expect(events[0]?.created_at).toEqual(row?.started_at);
    expect(events[1]?.created_at).toEqual(row?.completed_at);
    expect(events[1]?.due_at.getTime()).toBe(t.calendar.now() + 60_000);
    await post(recently(t, [closed({ seq: 50 })], { firstId: 60, minutesAgo: 0 }));
    expect(await outbox(t, store)).toHaveLength(2);
  });

  it("counts credits for sessions that answered a question, previews aside [api.credits]", async () => {
    await post(recently(t, start));
    await post(recently(t, [opened({ min: 0 })]), { session: { id: sessionId(2) } });
    await post(recently(t, start), { session: { id: sessionId(3), preview: true } });
    const answer = await t.request("GET", "/v1/store", { key: store.key });
    expect(answer.body.credits.used).toBe(1);
  });

  it("makes no person, no event and no credit of a preview, on any saved version [sessions.previews]", async () => {
    const script = [...start, say("contact", "mail", "ann@example.com"), finish("result")];
    const answer = await post(recently(t, script), { session: { preview: true } });
    expect(answer.status).toBe(202);
    expect((await sessionRow(t, store, sessionId(1)))?.preview).toBe(true);
    expect(await outbox(t, store)).toEqual([]);
    for (const table of ["profiles", "identities", "captures"]) expect(await countRows(t, store, table)).toBe(0);
  });

  it("calls the visitor's first session by opening time new, whatever arrived first [figures.new-returning]", async () => {
    const returning = async (number: number) => (await sessionRow(t, store, sessionId(number)))?.is_returning;
    const at = (number: number, minutesAgo: number, more = {}) =>
      post(recently(t, [opened({ min: 0 })], { minutesAgo }), { session: { id: sessionId(number), ...more } });
    await at(1, 20);
    await at(2, 10);
    expect([await returning(1), await returning(2)]).toEqual([false, true]);
    await at(3, 40, { preview: true });
    expect([await returning(1), await returning(3)]).toEqual([false, false]);
    const before = await countRows(t, store, "changes");
    await at(4, 30);
    expect([await returning(4), await returning(1), await returning(2)]).toEqual([false, true, true]);
    // the one that arrived, and the one that it made a later visit
    expect((await countRows(t, store, "changes")) - before).toBe(2);
    await at(5, 50, { visitor_id: visitorId(2) });
    expect(await returning(5)).toBe(false);
  });

  it("fixes the session's facts by the first event to arrive [sessions.attributes, sessions.page-address]", async () => {
    const headers = {
      "user-agent":
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    };
    const facts = {
      placement: "popup",
      page_url: "https://shop.example.com/pages/quiz?email=ann@example.com#top",
      referrer: "https://www.Search.example/?q=x",
      utm: { source: "mail", term: "" },
    };
    await post(recently(t, start), { session: facts, headers });
    await post(recently(t, [closed({ seq: 9 })], { firstId: 9 }), {
      session: { channel: "other", visitor_id: visitorId(9) },
    });
    expect(await sessionRow(t, store, sessionId(1))).toMatchObject({
      channel: "online_store",
      placement: "popup",
      page_url: "https://shop.example.com/pages/quiz",
      referrer_host: "www.search.example",
      utm_source: "mail",
      device_class: "mobile",
      device: {
        class: "mobile",
        vendor: "Apple",
        model: "iPhone",
        family: "iPhone",
        browser: "Safari",
        os: "iOS",
        os_version: "18.5",
      },
      country: null,
      state: { end_reason: "closed" },
    });
  });

  it("corrects times by the browser's clock, never into the future, never long before the first [time.corrected, time.event-bounds]", async () => {
    const ahead = 5 * 3_600_000;
    const now = t.calendar.now();
    const event = (number: number, offset: number) => ({
      type: "quiz_opened",
      id: eventId(number),
      seq: number,
      at: new Date(now + ahead + offset).toISOString(),
    });
    await post([event(0, -60_000), event(1, 60_000)], { sentAt: now + ahead });
    const row = await sessionRow(t, store, sessionId(1));
    expect(row?.opened_at.getTime()).toBe(now - 60_000);
    expect(row?.last_event_at.getTime()).toBe(now);
    await post([event(2, -9 * 3_600_000)], { sentAt: now + ahead });
    const again = await sessionRow(t, store, sessionId(1));
    expect(again?.last_event_at.getTime()).toBe(now - 60_000 - 3_600_000);
  });

  it("stores the address of the shopper nowhere [storefront.no-address]", async () => {
    await post(recently(t, start), { headers: { "x-forwarded-for": "203.0.113.77" } });
    const row = await sessionRow(t, store, sessionId(1));
    expect(JSON.stringify(row)).not.toMatch(/203\.0\.113|127\.0\.0\.1/);
    expect(t.logged.join("")).not.toMatch(/203\.0\.113|127\.0\.0\.1/);
  });
});
