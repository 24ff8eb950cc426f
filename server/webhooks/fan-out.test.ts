import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { buildersOf, checkShape, deliveriesOf, handOverDue, insertEndpoint } from "../../testkit/deliveries.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, enter, finish, opened, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { batchOf, recently, send, sessionId } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import type { PayloadBuilder, PayloadBuilders } from "../platform/event-payloads.ts";
import { formatId } from "../platform/ids.ts";
import { appendEvents, type OutboxEvent } from "../platform/outbox.ts";
import { findStore } from "../stores/public.ts";
import { insertDeliveries, lockEndpoints } from "./deliveries.ts";
import { sweepOutbox } from "./fan-out.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true, name: "Finder" });
  await handOverDue(t);
});

const minute = 60_000;
const start = [opened({ min: 0 }), enter("skin", "start", { min: 0 }), choose("skin", "skin_type", 1, { min: 0 })];
const whole = [
  ...start,
  say("age", "years", 30, { min: 1 }),
  say("contact", "mail", "ann@x.example", { min: 1, consent: true }),
  finish("result", { min: 1 }),
];
let ids = 0;
const take = (script: Parameters<typeof recently>[1], number = 1, of = quiz) => {
  ids += script.length;
  const events = recently(t, script, { minutesAgo: 1, firstId: ids });
  return send(t, store, of, events, { session: { id: sessionId(number) } });
};
const topicsOf = async (endpoint: string) => (await deliveriesOf(t, store, endpoint)).map((row) => row.topic);

const event = (more: Partial<OutboxEvent> = {}): OutboxEvent => ({
  id: randomUUID(),
  topic: "quiz.published",
  created: new Date(t.calendar.now()),
  due: new Date(t.calendar.now()),
  quizId: null,
  sessionId: null,
  profileId: null,
  data: { quiz_name: "Any" },
  ...more,
});
const append = (...events: OutboxEvent[]) =>
  t.database.transaction((tx) => appendEvents(tx, store.uuid, t.calendar.now(), events));
const sweep = (builders: Partial<PayloadBuilders> = buildersOf(t)) => {
  const { random, log, calendar } = t.foundations;
  return sweepOutbox(t.database, { builders, now: () => calendar.now(), random, log });
};
const dueRows = async (): Promise<{ id: string; due_at: Date }[]> =>
  t.database
    .reader()
    .forStore(store.uuid)
    .all(sql`SELECT id, due_at FROM outbox WHERE store_id = ${ownStore} AND due_at IS NOT NULL`);
const endpointRow = async (id: string) =>
  t.database
    .reader()
    .forStore(store.uuid)
    .first(sql<{ next_due_at: Date | null }>`
      SELECT next_due_at FROM webhook_endpoints WHERE store_id = ${ownStore} AND id = ${id}`);

describe("handing events over [webhooks.hand-over]", () => {
  it("makes one delivery for each enabled endpoint that is subscribed, with the payload as it is signed [webhooks.hand-over, webhooks.envelope]", async () => {
    const all = await insertEndpoint(t, store);
    const some = await insertEndpoint(t, store, { topics: ["quiz.started"], includePii: false });
    const off = await insertEndpoint(t, store, { status: "disabled" });
    await take(whole);
    t.calendar.advance(minute);
    await handOverDue(t);
    expect((await topicsOf(all)).toSorted()).toEqual([
      "identity.captured",
      "profile.created",
      "quiz.finished",
      "quiz.started",
    ]);
    expect(await topicsOf(some)).toEqual(["quiz.started"]);
    expect(await topicsOf(off)).toEqual([]);
    const now = new Date(t.calendar.now());
    for (const row of await deliveriesOf(t, store)) {
      expect(row).toMatchObject({ status: "pending", attempts: 0, created_at: now, next_attempt_at: now });
      expect(row.envelope.id).toBe(formatId("evt", row.event_id));
      expect(Object.keys(row.envelope)).toEqual(["id", "type", "created", "api_version", "data"]);
      expect(row.payload).not.toContain(store.id.slice("store_".length));
      checkShape(row.envelope);
    }
    expect((await endpointRow(all))?.next_due_at).toEqual(now);
    expect((await endpointRow(off))?.next_due_at).toBeNull();
    expect(await dueRows()).toEqual([]);
    expect(await handOverDue(t)).toBe(0);
  });

  it("gives every endpoint the same event id", async () => {
    const endpoints = [await insertEndpoint(t, store), await insertEndpoint(t, store)];
    await take(start);
    await handOverDue(t);
    const [first, second] = await Promise.all(endpoints.map((id) => deliveriesOf(t, store, id)));
    expect(first?.[0]?.event_id).toBe(second?.[0]?.event_id);
    expect(first?.[0]?.payload).toBe(second?.[0]?.payload);
  });

  it("is done with events that nobody hears, without building anything [webhooks.hand-over]", async () => {
    await insertEndpoint(t, store, { topics: ["quiz.abandoned"] });
    await append(event(), event());
    expect(await sweep({})).toBe(2);
    expect([await dueRows(), await deliveriesOf(t, store)]).toEqual([[], []]);
  });

  it("takes events in the order in which they fell due, a hundred at once", async () => {
    const endpoint = await insertEndpoint(t, store);
    const now = t.calendar.now();
    const events = Array.from({ length: 150 }, (_, n) => event({ due: new Date(now - 1_000 + n), data: { n } }));
    await append(...events.toReversed());
    const woken: string[] = [];
    t.database.onAnnounced((work) => woken.push(work));
    expect(await sweep()).toBe(100);
    t.calendar.advance(1);
    expect(await sweep()).toBe(50);
    expect(await sweep()).toBe(0);
    const sent = (await deliveriesOf(t, store, endpoint)).map((row) => row.envelope.data.object.n);
    expect(sent).toEqual(events.map((_, n) => n));
    expect(woken).toHaveLength(2);
  });

  it("never moves an endpoint's next_due_at to a later time", async () => {
    const before = new Date(t.calendar.now() - 1_000);
    const busy = await insertEndpoint(t, store, { nextDueAt: before });
    const later = await insertEndpoint(t, store, { nextDueAt: new Date(t.calendar.now() + 1_000) });
    await append(event());
    await sweep();
    expect((await endpointRow(busy))?.next_due_at).toEqual(before);
    expect((await endpointRow(later))?.next_due_at).toEqual(new Date(t.calendar.now()));
  });

  it("goes by the endpoints that there are when an event is handed over, not when it happened", async () => {
    await take(whole);
    await handOverDue(t);
    const late = await insertEndpoint(t, store);
    t.calendar.advance(minute);
    await handOverDue(t);
    expect(await topicsOf(late)).toEqual(["quiz.finished"]);
  });

  it("keeps an event of another store from its endpoints", async () => {
    const other = await t.store();
    await insertEndpoint(t, other);
    await take(start);
    await handOverDue(t);
    expect(await deliveriesOf(t, other)).toEqual([]);
  });
});

describe("quiz_ids [webhooks.quiz-ids]", () => {
  it("keeps events of other quizzes away, and never filters events without a quiz", async () => {
    const other = await makeQuiz(t, store, { document: finderDocument, publish: true, name: "Other" });
    await handOverDue(t);
    const endpoint = await insertEndpoint(t, store, { quizIds: [other.uuid] });
    await take(start, 1);
    await take(start, 2, other);
    await append(event({ data: { quiz_name: "None" } }));
    await handOverDue(t);
    const told = await deliveriesOf(t, store, endpoint);
    expect(told.map((row) => [row.topic, row.envelope.data.object.quiz_name]).toSorted()).toEqual([
      ["quiz.published", "None"],
      ["quiz.started", "Other"],
    ]);
  });
});

describe("webhook.endpoint.disabled [webhooks.disabled-event]", () => {
  it("is told to the other endpoints, even when the one it is about was enabled again", async () => {
    const one = await insertEndpoint(t, store);
    const other = await insertEndpoint(t, store, { quizIds: [quiz.uuid] });
    const disabled_at = new Date(t.calendar.now()).toISOString();
    const data = {
      endpoint_id: formatId("whe", one),
      url: "https://hooks.example.com/1",
      reason: "gone",
      failing_since: null,
      disabled_at,
    };
    await append(event({ topic: "webhook.endpoint.disabled", data }));
    await handOverDue(t);
    expect(await topicsOf(one)).toEqual([]);
    const [delivery] = await deliveriesOf(t, store, other);
    checkShape(delivery?.envelope);
    expect(delivery?.envelope.data.object).toEqual(data);
  });
});

describe("what causes no events", () => {
  it("previews, and history brought in from elsewhere without emit [sessions.previews, sessions.imports]", async () => {
    const endpoint = await insertEndpoint(t, store);
    ids += whole.length;
    const events = recently(t, whole, { minutesAgo: 1, firstId: ids });
    await send(t, store, quiz, events, { session: { id: sessionId(1), preview: true } });
    const facts = await findStore(t.database.reader(), store.id);
    const { intake } = t.api;
    const importTake = async (number: number, emit: boolean) => {
      ids += whole.length;
      const batch = batchOf(t, store, quiz, recently(t, whole, { minutesAgo: 1, firstId: ids }), {
        session: { id: sessionId(number) },
      });
      const origin = { userAgent: null, country: null, region: null };
      if (facts)
        await intake.submit({
          store: facts,
          batch,
          origin,
          mode: { kind: "history", emit },
          sender: null,
        });
    };
    await importTake(2, false);
    t.calendar.advance(40 * minute);
    await handOverDue(t);
    expect(await deliveriesOf(t, store, endpoint)).toEqual([]);
    await importTake(3, true);
    t.calendar.advance(minute);
    await handOverDue(t);
    expect((await deliveriesOf(t, store, endpoint)).map((row) => row.topic)).toContain("quiz.finished");
  });
});

describe("several processes at once [webhooks.hand-over]", () => {
  it("hand each event over exactly once", async () => {
    const endpoints = [await insertEndpoint(t, store), await insertEndpoint(t, store)];
    const events = Array.from({ length: 240 }, () => event());
    await append(...events);
    const handedOver = { all: 0 };
    const worker = async () => {
      for (let idle = 0; idle < 3; ) {
        const some = await sweep();
        handedOver.all += some;
        idle = some === 0 ? idle + 1 : 0;
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    expect(handedOver.all).toBe(240);
    const expected = events.map(({ id }) => id).toSorted();
    for (const endpoint of endpoints) {
      const told = (await deliveriesOf(t, store, endpoint)).map((row) => row.event_id);
      expect(told.toSorted()).toEqual(expected);
    }
    expect(await dueRows()).toEqual([]);
  });

  it("wait for whoever rewrites payloads, and read what that left [webhooks.hand-over, webhooks.privacy-off]", async () => {
    const endpoint = await insertEndpoint(t, store, { topics: ["quiz.started", "profile.created"] });
    await take(whole);
    let sweeping: Promise<number> | undefined;
    await t.database.transaction(async (tx) => {
      await lockEndpoints(tx.forStore(store.uuid));
      sweeping = sweep();
      await new Promise((resolve) => setTimeout(resolve, 100));
      await tx
        .forStore(store.uuid)
        .all(sql`UPDATE webhook_endpoints SET include_pii = false WHERE store_id = ${ownStore} AND id = ${endpoint}`);
    });
    await sweeping;
    const told = await deliveriesOf(t, store, endpoint);
    expect(told.map((row) => row.topic).toSorted()).toEqual(["profile.created", "quiz.started"]);
    expect(told.map((row) => row.payload).join()).not.toContain("ann@");
  });
});

describe("an event that cannot be built", () => {
  const broken: PayloadBuilder = {
    build: async (_db, _storeId, events) => {
      if (events.some(({ data }) => data["broken"])) throw new Error("broken");
      return new Map(events.map(({ id, data }) => [id, { object: data }]));
    },
  };

  it("is put off, and keeps no other from its turn [webhooks.bad-event]", async () => {
    const endpoint = await insertEndpoint(t, store);
    const bad = event({ data: { broken: true } });
    await append(event(), bad, event({ topic: "of.a.later.release" }), event());
    expect(await sweep({ "quiz.published": broken })).toBe(4);
    expect(await deliveriesOf(t, store, endpoint)).toHaveLength(2);
    const [waiting, ...others] = await dueRows();
    expect([waiting, others]).toEqual([{ id: bad.id, due_at: new Date(t.calendar.now() + 10 * minute) }, []]);
    expect(t.logged.join("")).toContain("could not be handed to the webhooks");
    t.calendar.advance(10 * minute);
    await handOverDue(t);
    expect([await dueRows(), await topicsOf(endpoint)]).toEqual([[], Array(3).fill("quiz.published")]);
  });
});

describe("insertDeliveries", () => {
  it("makes a deliverer that is about to raise next_due_at wait for what it inserts", async () => {
    const endpoint = await insertEndpoint(t, store, { nextDueAt: new Date(t.calendar.now() - 1) });
    const row = {
      endpointId: endpoint,
      eventId: randomUUID(),
      topic: "ping",
      payload: "{}",
      sessionId: null,
      profileId: null,
    };
    let raising: Promise<void> | undefined;
    await t.database.transaction(async (tx) => {
      await insertDeliveries(tx.forStore(store.uuid), [{ id: randomUUID(), ...row }], new Date(t.calendar.now()));
      raising = t.database.transaction(async (other) => {
        await lockEndpoints(other.forStore(store.uuid));
        await other
          .forStore(store.uuid)
          .all(sql`UPDATE webhook_endpoints SET next_due_at = (SELECT min(d.next_attempt_at) FROM webhook_deliveries d
                  WHERE d.store_id = ${ownStore} AND d.endpoint_id = ${endpoint} AND d.status = 'pending')
                WHERE store_id = ${ownStore} AND id = ${endpoint}`);
      });
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
    await raising;
    expect((await endpointRow(endpoint))?.next_due_at).toEqual(new Date(t.calendar.now()));
  });
});
