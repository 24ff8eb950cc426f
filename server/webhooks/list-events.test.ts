import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventTopics } from "../../contract/events.ts";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { handOverDue } from "../../testkit/deliveries.ts";
import { createEndpoint } from "../../testkit/endpoints.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { noDeadline } from "../platform/deadline.ts";
import { formatId } from "../platform/ids.ts";
import { appendEvents } from "../platform/outbox.ts";
import { forgetOldRows } from "../platform/retention.ts";

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

/** Answers the public id. */
async function happened(topic: string, age = 0): Promise<string> {
  const id = randomUUID();
  const created = new Date(t.calendar.now() - age);
  const about = { quizId: null, sessionId: null, profileId: null };
  const event = { id, topic, created, due: new Date(t.calendar.now() + 3_600_000), ...about, data: {} };
  await t.database.transaction(noDeadline, (tx) => appendEvents(tx, store.uuid, [event]));
  return formatId("evt", id);
}

describe("GET /v1/events", () => {
  it("lists each event once with its deliveries, whatever became of them, and no ping (4.6, F)", async () => {
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

  it("lists newest first, a page at a time, of all topics or of one (8.3, F)", async () => {
    const made: { id: string; topic: string }[] = [];
    for (const [index, topic] of [...eventTopics, ...eventTopics].entries()) {
      made.push({ id: await happened(topic, index < 9 ? index * 1_000 : 20_000), topic });
    }
    const other = await t.store();
    await makeQuiz(t, other, { publish: true });
    const ids = async (query: string): Promise<string[]> => {
      const seen: string[] = [];
      let cursor = "";
      for (;;) {
        const page = await feed(`?limit=4${query}${cursor}`);
        seen.push(...page.data.map(({ id }: Body) => id));
        await happened("quiz.published");
        if (!page.has_more) return seen;
        cursor = `&cursor=${page.next_cursor}`;
      }
    };
    const all = await ids("");
    expect(all.slice(0, 9)).toEqual(made.slice(0, 9).map(({ id }) => id));
    expect(all.toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    const ofOne = made.filter(({ topic }) => topic === "profile.created").map(({ id }) => id);
    expect(await ids("&type=profile.created")).toEqual(ofOne);
    expect(await ids("&type=export.completed")).toHaveLength(2);
  });

  it.for(["?type=ping", "?type=none", "?type=", "?limit=0", "?cursor=", "?cursor=x", "?status=dead"])(
    "refuses %s (A4)",
    async (query) => {
      const answer = await t.request("GET", `/v1/events${query}`, { key: store.key });
      const field = `query.${query.slice(1).split("=")[0]}`;
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, field]);
    },
  );

  it("takes a cursor for the same type only (A7)", async () => {
    for (let n = 0; n < 2; n += 1) await happened("quiz.started");
    const { next_cursor } = await feed("?limit=1&type=quiz.started");
    const answer = await t.request("GET", `/v1/events?limit=1&cursor=${next_cursor}`, { key: store.key });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "query.cursor"]);
    expect((await feed(`?limit=1&type=quiz.started&cursor=${next_cursor}`)).data).toHaveLength(1);
  });

  it("and deliveries are kept for 30 days (8.4)", async () => {
    const { id } = await createEndpoint(t, store);
    await makeQuiz(t, store, { publish: true });
    await handOverDue(t);
    const deliveries = async () =>
      (await t.request("GET", `/v1/webhooks/${id}/deliveries`, { key: store.key })).body.data.length;
    t.calendar.advance(30 * 24 * 3_600_000);
    await forgetOldRows(t.database, t.calendar);
    expect([(await feed()).data.length, await deliveries()]).toEqual([1, 1]);
    t.calendar.advance(1);
    await forgetOldRows(t.database, t.calendar);
    expect([(await feed()).data.length, await deliveries()]).toEqual([0, 0]);
  });
});
