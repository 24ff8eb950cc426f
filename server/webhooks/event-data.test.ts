import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { allScopes } from "../../contract/scopes.ts";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { checkShape, deliveriesOf, handOverDue } from "../../testkit/deliveries.ts";
import { createEndpoint } from "../../testkit/endpoints.ts";
import { erasePersonIn } from "../../testkit/erasure.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, finish, opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send, sessionId, visitorId } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";

/** Payloads of events by the API, whether or not an endpoint received them. */

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
  t.calendar.advance(60_000);
});

const ann = "ann@x.example";
const topicsOfAll = ["quiz.started", "quiz.finished", "identity.captured", "profile.created", "quiz.published"];

/** A finished session that left a contact; its events are handed over a minute later. */
async function take(): Promise<void> {
  const script = [opened({ min: 0 }), enter("skin", "start", { min: 0 }), choose("skin", "skin_type", 1, { min: 0 })];
  const contact = say("contact", "mail", ann, { consent: true });
  const events = recently(t, [...script, contact, finish("result")], { minutesAgo: 60, firstId: 100 });
  const session = { id: sessionId(1), visitor_id: visitorId(1), page_url: "https://shop.example/" };
  expect((await send(t, store, quiz, events, { session })).body).toMatchObject({ rejected: [] });
  t.calendar.advance(60_000);
  await handOverDue(t);
}

const get = (path: string, key = store.key) => t.request("GET", path, { key });
const feed = async (query = ""): Promise<Body[]> => {
  const { status, body } = await get(`/v1/events?include=payload${query}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.data;
};
const byTopic = (events: Body[]): Record<string, Body> =>
  Object.fromEntries(events.map((event) => [event.type, event]));

describe("payloads of the event feed [webhooks.feed-payloads]", () => {
  it("are the same whether an endpoint received them or none did, with contacts and without", async () => {
    await take();
    const built = { hidden: byTopic(await feed()), shown: byTopic(await feed("&include_pii=true")) };
    expect(Object.keys(built.hidden).toSorted()).toEqual(topicsOfAll.toSorted());
    for (const { deliveries, ...envelope } of Object.values(built.shown)) {
      expect(deliveries).toEqual([]);
      checkShape(envelope);
    }
    expect(JSON.stringify(built.hidden)).not.toContain(ann);
    expect(built.shown["quiz.finished"].data.object.identities[0].value).toBe(ann);
    // as endpoints would have been sent them
    await createEndpoint(t, store, { topics: topicsOfAll, include_pii: true });
    await t.database
      .reader()
      .forStore(store.uuid)
      .all(sql`UPDATE outbox SET due_at = created_at WHERE store_id = ${ownStore}`);
    await handOverDue(t);
    const sent = await deliveriesOf(t, store);
    expect(sent).toHaveLength(topicsOfAll.length);
    for (const { topic, envelope } of sent) expect([topic, built.shown[topic].data]).toEqual([topic, envelope.data]);
    const kept = { hidden: byTopic(await feed()), shown: byTopic(await feed("&include_pii=true")) };
    for (const topic of topicsOfAll) {
      expect(kept.hidden[topic].deliveries).toHaveLength(1);
      expect([topic, kept.hidden[topic].data]).toEqual([topic, built.hidden[topic].data]);
      expect([topic, kept.shown[topic].data]).toEqual([topic, built.shown[topic].data]);
    }
  });

  it("are as a delivery kept them, not as what they tell of is now", async () => {
    await createEndpoint(t, store, { topics: ["quiz.started"] });
    await take();
    await t.request("PATCH", `/v1/quizzes/${quiz.id}`, { key: store.key, body: { name: "Another name" } });
    const events = byTopic(await feed());
    const names = ["quiz.started", "quiz.finished"].map((topic) => events[topic].data.object.quiz_name);
    expect(names[0]).not.toBe("Another name");
    const { body } = await get(`/v1/events/${events["quiz.finished"].id}`);
    expect(body).toEqual(events["quiz.finished"]);
  });

  it("lose what an erasure removed, and are null where nothing is left", async () => {
    await take();
    const { id } = byTopic(await feed())["identity.captured"];
    const person = (await get(`/v1/profiles?q=${encodeURIComponent(ann)}`)).body.data[0].id;
    await erasePersonIn(t, store, person);
    const left = await feed("&include_pii=true");
    expect(JSON.stringify(left)).not.toContain(ann);
    const topics = byTopic(left);
    expect([topics["identity.captured"].data, topics["profile.created"].data]).toEqual([null, null]);
    expect(topics["quiz.finished"].data.object).toMatchObject({ identities: [] });
    expect((await get(`/v1/events/${id}?include_pii=true`)).body.data).toBeNull();
  });

  it("hold contacts only for keys that may read people, and no other store's", async () => {
    await take();
    const { id } = byTopic(await feed())["quiz.finished"];
    const scopes = allScopes.filter((scope) => scope !== "profiles:read");
    const key = await t.key(store, scopes);
    for (const path of [`/v1/events/${id}?include_pii=true`, "/v1/events?include=payload&include_pii=true"]) {
      const refused = await get(path, key);
      expect([refused.status, refused.body.title]).toEqual([403, "insufficient_scope"]);
    }
    const shown = await get(`/v1/events/${id}`, key);
    expect([shown.status, shown.text.includes(ann)]).toEqual([200, false]);
    const other = await t.store();
    expect((await get(`/v1/events/${id}`, other.key)).status).toBe(404);
    expect((await get("/v1/events/evt_nonsense")).status).toBe(404);
  });
});
