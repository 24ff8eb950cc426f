import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { type DeliveryRecord, deliveriesOf, handOverDue } from "../../testkit/deliveries.ts";
import { createEndpoint } from "../../testkit/endpoints.ts";
import { backUp, erasePersonIn, replayIn, restore, toolsOf, verifyIn } from "../../testkit/erasure.ts";
import type { ScriptedEvent } from "../../testkit/histories.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, finish, opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send, sessionId, visitorId } from "../../testkit/storefront.ts";
import { eraseStore } from "../erasure/erase-store.ts";
import { ownStore, raw, type Statement, sql } from "../platform/database/sql.ts";

/** What an erasure leaves of retained deliveries [erasure.events]. */

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
let endpoint: string;
const topics = [
  "quiz.started",
  "quiz.finished",
  "quiz.abandoned",
  "identity.captured",
  "profile.created",
  "profile.updated",
];
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  t.calendar.advance(60_000);
  await handOverDue(t);
  endpoint = (await createEndpoint(t, store, { topics, include_pii: true })).id;
});

async function take(number: number, script: ScriptedEvent[], { part = 0, page = "/" } = {}): Promise<void> {
  const start = [opened({ min: 0 }), enter("skin", "start", { min: 0 }), choose("skin", "skin_type", 1, { min: 0 })];
  const events = recently(t, part === 0 ? [...start, ...script] : script, {
    minutesAgo: 60,
    firstId: number * 100 + part * 10,
  });
  const page_url = `https://shop.example${page}`;
  const session = { id: sessionId(number), visitor_id: visitorId(number), page_url };
  expect((await send(t, store, quiz, events, { session })).body).toMatchObject({ rejected: [] });
}
const email = (value: string, more = {}) => say("contact", "mail", value, { consent: true, ...more });
const phone = (value: string, more = {}) => say("contact", "phone", value, more);
const remark = (value: string) => say("contact", "remark", value);

const personOf = async (address: string): Promise<string> => {
  const { body } = await t.request("GET", `/v1/profiles?q=${encodeURIComponent(address)}`, { key: store.key });
  return body.data[0]?.id;
};
const mark = (status: string, response: Statement<unknown> = raw("NULL")) =>
  t.database
    .reader()
    .forStore(store.uuid)
    .all(
      sql`UPDATE webhook_deliveries SET status = ${status}, last_response = ${response} WHERE store_id = ${ownStore}`,
    );
const ofSession = (rows: DeliveryRecord[], number: number, topic: string): Body =>
  rows.find((row) => row.topic === topic && row.session_id?.replaceAll("-", "") === sessionId(number).slice(5));

describe("an erasure", () => {
  it("takes contacts and free text out of what was sent and keeps the deliveries [erasure.events]", async () => {
    await take(1, [email("Ann@X.example"), phone("+4915112345678"), remark("my secret remark"), finish("result")]);
    await take(2, [email("bob@y.example"), remark("another remark"), finish("result")]);
    t.calendar.advance(60_000);
    await handOverDue(t);
    await mark("delivered", sql`CASE WHEN session_id = ${sessionId(1).slice(5)} THEN 'got ann@x.example' END`);
    const before = await deliveriesOf(t, store);
    expect(before.length).toBeGreaterThanOrEqual(8);
    const ann = await personOf("ann@x.example");
    await erasePersonIn(t, store, ann);

    const after = await deliveriesOf(t, store);
    expect(after.map(({ id, status }) => [id, status])).toEqual(before.map(({ id }) => [id, "delivered"]));
    const finished = ofSession(after, 1, "quiz.finished").envelope.data.object;
    expect(Object.keys(finished.answers)).toEqual(["skin_type"]);
    expect(finished.identities).toEqual([]);
    expect(ofSession(after, 1, "identity.captured").envelope.data.object.identity).toMatchObject({ value: null });
    expect(ofSession(after, 1, "profile.created").envelope.data.object).toMatchObject({ id: ann, identities: [] });
    for (const topic of topics) {
      expect(ofSession(after, 2, topic)?.payload).toBe(ofSession(before, 2, topic)?.payload);
    }
    const values = ["ann@x.example", "+4915112345678", "my secret remark"];
    expect(await verifyIn(t, store, ann, values)).toMatchObject({ ok: true, found: [] });
    const checked = (await verifyIn(t, store, ann, values)).checked.map(({ place }) => place);
    expect(checked).toEqual(expect.arrayContaining(["webhook_deliveries.payload", "webhook_deliveries.last_response"]));
  });

  it("ends what waits about the person, for good, and lets the visit be told without its texts [erasure.events]", async () => {
    await take(1, [email("ann@x.example"), remark("my secret remark"), finish("result")]);
    t.calendar.advance(60_000);
    await handOverDue(t);
    await mark("pending");
    const ann = await personOf("ann@x.example");
    await erasePersonIn(t, store, ann);
    const after = await deliveriesOf(t, store);
    for (const topic of ["identity.captured", "profile.created"]) {
      const delivery = ofSession(after, 1, topic);
      expect(delivery).toMatchObject({ status: "dead", last_error: "person_erased" });
      const path = `/v1/webhooks/${endpoint}/deliveries/whd_${delivery.id.replaceAll("-", "")}/redeliver`;
      expect((await t.request("POST", path, { key: store.key })).body.title).toBe("webhook_conflict");
    }
    expect(ofSession(after, 1, "quiz.finished").status).toBe("pending");
    const body = { since: "2020-01-01T00:00:00Z" };
    const failed = await t.request("POST", `/v1/webhooks/${endpoint}/redeliver-failed`, { key: store.key, body });
    expect(failed.body).toEqual({ queued: 0 });
  });

  it("takes the contact out of what others typed, and leaves the rest of theirs [erasure.other-sessions]", async () => {
    await take(1, [email("ann@x.example"), phone("+4915112345678")]);
    await take(2, [email("bob@y.example"), remark("tell Ann@X.example"), finish("result")], {
      page: "/for/ann@x.example",
    });
    await take(3, [email("ann@x.example"), finish("result")]);
    await take(3, [email("cid@z.example", { seq: 90 })], { part: 1 });
    t.calendar.advance(60_000);
    await handOverDue(t);
    const ann = await personOf("ann@x.example");
    await erasePersonIn(t, store, ann);
    const after = await deliveriesOf(t, store);
    expect(ofSession(after, 1, "quiz.started").envelope.data.object.page_url).toBe("https://shop.example/");
    const bob = ofSession(after, 2, "quiz.finished").envelope.data.object;
    expect(Object.keys(bob.answers)).toEqual(["skin_type", "mail"]);
    expect(bob.answers.mail.value).toBe("bob@y.example");
    expect(bob.identities).toHaveLength(1);
    expect(bob.page_url).toBeNull();
    expect(
      after
        .map(({ payload }) => payload)
        .join("")
        .toLowerCase(),
    ).not.toContain("ann@x.example");
    expect(await verifyIn(t, store, ann, ["ann@x.example"])).toMatchObject({ ok: true, found: [] });
  });

  it("finds a contact in payloads about somebody who had it before [erasure.events]", async () => {
    await take(1, [email("ann@x.example"), phone("+4915112345678")]);
    t.calendar.advance(60_000);
    await handOverDue(t);
    await t.database
      .reader()
      .forStore(store.uuid)
      .all(sql`
        UPDATE webhook_deliveries SET profile_id = '0198f2c4-a1b0-7c3e-9d5f-6a7b8c9d0e1f', session_id = NULL
        WHERE store_id = ${ownStore} AND profile_id IS NOT NULL`);
    await erasePersonIn(t, store, await personOf("ann@x.example"));
    const told = (await deliveriesOf(t, store)).filter(({ topic }) => topic === "profile.created");
    expect(told).toHaveLength(1);
    expect(told[0]?.payload).not.toMatch(/ann@|4915112345678/);
  });

  it("is repeated on a restored backup, deliveries included [erasure.restore]", async () => {
    await take(1, [email("ann@x.example"), remark("my secret remark"), finish("result")]);
    t.calendar.advance(60_000);
    await handOverDue(t);
    const ann = await personOf("ann@x.example");
    const backup = await backUp(t, store);
    await erasePersonIn(t, store, ann);
    await restore(t, store, backup);
    expect((await deliveriesOf(t, store)).some(({ payload }) => payload.includes("ann@x.example"))).toBe(true);
    await replayIn(t);
    const values = ["ann@x.example", "my secret remark"];
    expect(await verifyIn(t, store, ann, values)).toMatchObject({ ok: true, found: [] });
  });

  it("of a store takes its endpoints and deliveries [erasure.redacted-shop]", async () => {
    await take(1, [email("ann@x.example"), finish("result")]);
    t.calendar.advance(60_000);
    await handOverDue(t);
    await t.database.transaction((tx) => eraseStore(tx, store.uuid, toolsOf(t), { by: "test" }));
    expect(await deliveriesOf(t, store)).toEqual([]);
  });
});
