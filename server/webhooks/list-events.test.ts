import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventTopics } from "../../contract/events.ts";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { handOverDue } from "../../testkit/deliveries.ts";
import { createEndpoint } from "../../testkit/endpoints.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { ownStore, raw, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";
import { appendEvents } from "../platform/outbox.ts";
import { forgetOldRows } from "../platform/retention.ts";
import { placeEvents } from "./feed-places.ts";
import { webhookRetention } from "./retention.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  t.calendar.advance(60_000);
});

const feed = async (query = ""): Promise<Body> =>
  (await t.request("GET", `/v1/events${query}`, { key: store.key })).body;

/** `age`: ms since it happened */
function eventOf(topic: string, age: number) {
  const about = { quizId: null, sessionId: null, profileId: null, data: {} };
  const created = new Date(t.calendar.now() - age);
  return { id: randomUUID(), topic, created, due: new Date(t.calendar.now() + 3_600_000), ...about };
}

/** Answers the public id. */
async function happened(topic: string, age = 0): Promise<string> {
  const event = eventOf(topic, age);
  await t.database.transaction((tx) => appendEvents(tx, store.uuid, t.calendar.now(), [event]));
  return formatId("evt", event.id);
}

describe("GET /v1/events", () => {
  it("lists each event once with its deliveries, whatever became of them, and no ping [webhooks.feed]", async () => {
    const one = await createEndpoint(t, store);
    const two = await createEndpoint(t, store);
    await makeQuiz(t, store, { publish: true });
    await t.request("POST", `/v1/webhooks/${one.id}/ping`, { key: store.key });
    const { data: waiting } = await feed();
    const entry = {
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: "quiz.published",
      created: new Date(t.calendar.now()).toISOString(),
      api_version: "v1",
      deliveries: [],
    };
    expect(waiting).toEqual([entry]);
    await handOverDue(t);
    const { data, has_more, next_cursor } = await feed();
    expect([has_more, next_cursor]).toEqual([false, null]);
    const delivery = (endpoint: Body) => ({
      id: expect.stringMatching(/^whd_[0-9a-f]{32}$/),
      endpoint_id: endpoint.id,
      status: "pending",
    });
    expect(data).toEqual([{ ...waiting[0], deliveries: expect.arrayContaining([delivery(one), delivery(two)]) }]);
    expect(data[0].deliveries).toHaveLength(2);
    const list = await t.request("GET", `/v1/webhooks/${one.id}/deliveries`, { key: store.key });
    expect(list.body.data.map((each: Body) => each.event_id)).toContain(data[0].id);
    await t.request("DELETE", `/v1/webhooks/${one.id}`, { key: store.key });
    expect((await feed()).data[0].deliveries).toEqual([delivery(two)]);
  });

  it("lists what entered last first, however long ago it happened, a page at a time, of all topics or of one [webhooks.feed, api.paging]", async () => {
    const made: { id: string; topic: string }[] = [];
    for (const [index, topic] of [...eventTopics, ...eventTopics].entries()) {
      made.unshift({ id: await happened(topic, ((index * 7) % 11) * 86_400_000), topic });
    }
    const other = await t.store();
    await makeQuiz(t, other, { publish: true });
    const ids = async (query: string): Promise<string[]> => {
      const seen: string[] = [];
      let cursor = "";
      for (;;) {
        const page = await feed(`?limit=4${query}${cursor}`);
        seen.push(...page.data.map(({ id }: Body) => id));
        // one that happened before any of them: never mid-walk
        await happened("quiz.published", 40 * 86_400_000);
        if (!page.has_more) return seen;
        cursor = `&cursor=${page.next_cursor}`;
      }
    };
    expect(await ids("")).toEqual(made.map(({ id }) => id));
    const ofOne = made.filter(({ topic }) => topic === "profile.created").map(({ id }) => id);
    expect(await ids("&type=profile.created")).toEqual(ofOne);
    expect(await ids("&type=export.completed")).toHaveLength(2);
  });

  it("lets a reader who goes from the newest to what is known miss nothing that others write meanwhile [webhooks.feed]", async () => {
    await t.update(store, { limits: { capacity: 100_000, leak_per_second: 10_000 } });
    const known: string[] = [];
    const poll = async (): Promise<void> => {
      const fresh: string[] = [];
      for (let cursor = ""; ; ) {
        const page = await feed(`?limit=7${cursor}`);
        const ids: string[] = page.data.map(({ id }: Body) => id);
        const at = known[0] === undefined ? -1 : ids.indexOf(known[0]);
        fresh.push(...(at < 0 ? ids : ids.slice(0, at)));
        if (at >= 0 || !page.has_more) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
      known.unshift(...fresh);
    };
    let writing = true;
    // transactions of any length, that begin before and commit after others
    const writer = async (n: number): Promise<string[]> => {
      const ids: string[] = [];
      for (let turn = 0; turn < 12; turn += 1) {
        const events = Array.from({ length: 1 + ((n + turn) % 3) }, (_, index) =>
          eventOf("quiz.started", ((n * 5 + turn * 3 + index) % 9) * 3_600_000),
        );
        await t.database.transaction(async (tx) => {
          await pause((n * 7 + turn * 11) % 23);
          await appendEvents(tx, store.uuid, t.calendar.now(), events);
          await pause((n * 13 + turn * 5) % 17);
        });
        ids.push(...events.map(({ id }) => formatId("evt", id)));
      }
      return ids;
    };
    const writers = Promise.all([0, 1, 2].map(writer)).finally(() => {
      writing = false;
    });
    while (writing) await poll();
    await poll();
    expect(known.toSorted()).toEqual((await writers).flat().toSorted());
  });

  it("takes in, as new, what a program of the release before writes, and keeps what it had written last [webhooks.feed]", async () => {
    const write = async (column: string, value: string, age: number): Promise<string> => {
      const id = randomUUID();
      await t.database
        .reader()
        .forStore(store.uuid)
        .all(sql`INSERT INTO outbox (store_id, id, topic, created_at, data${raw(column)})
              VALUES (${ownStore}, ${id}, 'quiz.started', ${new Date(t.calendar.now() - age)}, '{}'${raw(value)})`);
      return formatId("evt", id);
    };
    const before = [
      await write(", feed_position", ", NULL", 1_000),
      await write(", feed_position", ", NULL", 2_000),
      await write(", feed_position", ", NULL", 3_000),
    ];
    const first = await happened("quiz.started", 60_000);
    const late = await write("", "", 86_400_000);
    const ids = async (): Promise<string[]> => {
      const { data, next_cursor } = await feed("?limit=3&type=quiz.started");
      const { data: rest } = await feed(`?limit=3&type=quiz.started&cursor=${next_cursor}`);
      return [...data, ...rest].map(({ id }: Body) => id);
    };
    expect(await ids()).toEqual([first, ...before]);
    while ((await placeEvents(t.database, { now: t.calendar.now, log: t.foundations.log })) > 0);
    expect(await ids()).toEqual([late, first, ...before]);
  });

  it.for(["?type=ping", "?type=none", "?type=", "?limit=0", "?cursor=", "?cursor=x", "?status=dead"])(
    "refuses %s [api.parameters]",
    async (query) => {
      const answer = await t.request("GET", `/v1/events${query}`, { key: store.key });
      const field = `query.${query.slice(1).split("=")[0]}`;
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, field]);
    },
  );

  it("takes a cursor for the same type only [api.cursors]", async () => {
    for (let n = 0; n < 2; n += 1) await happened("quiz.started");
    const { next_cursor } = await feed("?limit=1&type=quiz.started");
    const answer = await t.request("GET", `/v1/events?limit=1&cursor=${next_cursor}`, { key: store.key });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "query.cursor"]);
    expect((await feed(`?limit=1&type=quiz.started&cursor=${next_cursor}`)).data).toHaveLength(1);
  });

  it("and deliveries are kept for 30 days [webhooks.kept]", async () => {
    const { id } = await createEndpoint(t, store);
    await makeQuiz(t, store, { publish: true });
    await handOverDue(t);
    const deliveries = async () =>
      (await t.request("GET", `/v1/webhooks/${id}/deliveries`, { key: store.key })).body.data.length;
    t.calendar.advance(30 * 24 * 3_600_000);
    await forgetOldRows(t.database, t.calendar, webhookRetention);
    expect([(await feed()).data.length, await deliveries()]).toEqual([1, 1]);
    t.calendar.advance(1);
    await forgetOldRows(t.database, t.calendar, webhookRetention);
    expect([(await feed()).data.length, await deliveries()]).toEqual([0, 0]);
  });

  it("keeps an event for 30 days from when it entered, while its deliveries are kept, and until it was handed over [webhooks.kept]", async () => {
    const day = 24 * 3_600_000;
    const listed = async () => (await feed()).data.map(({ id }: Body) => id);
    const forget = () => forgetOldRows(t.database, t.calendar, webhookRetention);
    const old = await happened("quiz.abandoned", 100 * day);
    t.calendar.advance(20 * day);
    await forget();
    expect(await listed()).toEqual([old]);
    t.calendar.advance(20 * day);
    await forget();
    // nobody has handed it over yet
    expect(await listed()).toEqual([old]);
    await createEndpoint(t, store, { topics: ["quiz.published"] });
    const { id: quizId } = await makeQuiz(t, store);
    const published = eventOf("quiz.published", 0);
    const data = { quiz_id: quizId, quiz_name: "Late", version_id: null, version_number: 1, published_at: null };
    await t.database.transaction((tx) => appendEvents(tx, store.uuid, t.calendar.now(), [{ ...published, data }]));
    t.calendar.advance(10 * day);
    await t.database
      .reader()
      .forStore(store.uuid)
      .all(sql`UPDATE outbox SET due_at = NULL WHERE store_id = ${ownStore} AND topic = 'quiz.abandoned'`);
    await handOverDue(t);
    t.calendar.advance(25 * day);
    await forget();
    // entered 35 days ago, its delivery is 25 days old
    expect(await listed()).toEqual([formatId("evt", published.id)]);
    t.calendar.advance(6 * day);
    await forget();
    expect(await listed()).toEqual([]);
  });
});
