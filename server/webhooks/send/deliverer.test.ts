import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answers, openReceiver, type Receiver } from "../../../testkit/receiver.ts";
import { Delivering, eventually, openSending, type Sending, type SentEndpoint } from "../../../testkit/sending.ts";
import { ownStore, sql } from "../../platform/database/sql.ts";
import { sealSecret } from "../secrets.ts";

let t: Sending;
let delivering: Delivering;
let receiver: Receiver;

beforeAll(async () => {
  t = await openSending();
});
beforeEach(async () => {
  delivering = await Delivering.open(t);
  ({ receiver } = delivering);
});
afterEach(() => delivering.end());
afterAll(() => t.close());

const deliver: Delivering["deliver"] = (options) => delivering.deliver(options);
const anEndpoint = async (more: Record<string, unknown> = {}, limits = {}): Promise<SentEndpoint> =>
  t.endpoint(await t.store({ limits }), receiver.url(), more);

const minute = 60_000;
const hour = 60 * minute;

describe("deliveries [webhooks.attempt]", () => {
  it("are sent as they are stored, signed for this moment, and recorded as delivered", async () => {
    receiver.answer(answers.status(202, {}, "thanks"));
    const endpoint = await anEndpoint();
    const body = '{"id":"evt_0","type":"quiz.finished","data":{"object":{"name":"Zoë"}}}';
    const [id] = await t.add(endpoint, 1, () => body);
    deliver();
    await eventually(async () => (await t.deliveries(endpoint))[0]?.status === "delivered");
    const [row] = await t.deliveries(endpoint);
    const outcome = { id, attempts: 1, last_status_code: 202, last_response: "thanks", last_error: null };
    expect(row).toMatchObject({ ...outcome, delivered_at: new Date(t.calendar.now()) });
    const [request] = receiver.received;
    expect(request?.body.toString()).toBe(body);
    const headers = request?.headers as Record<string, string>;
    expect(headers["webhook-id"]).toBe(`evt_${row?.event_id.replaceAll("-", "")}`);
    // real time, whatever the calendar says
    expect(new Webhook(endpoint.secret).verify(body, headers)).toEqual(JSON.parse(body));
    await eventually(async () => (await t.state(endpoint)).lease_id === null);
    expect(await t.state(endpoint)).toMatchObject({ next_due_at: null, lease_until: null, failing_since: null });
  });

  it("that arrived are written down at once, whatever the endpoint's transaction waits for", async () => {
    receiver.answer(answers.after(200));
    const endpoint = await anEndpoint();
    await t.add(endpoint, 5);
    deliver();
    await receiver.until(5);
    await t.database.transaction(async (tx) => {
      await tx.forStore(endpoint.storeId).all(sql`
        SELECT id FROM webhook_endpoints WHERE store_id = ${ownStore} AND id = ${endpoint.id} FOR UPDATE`);
      await eventually(async () => (await t.deliveries(endpoint)).every(({ status }) => status === "delivered"), 1_500);
    });
    expect(receiver.received).toHaveLength(5);
  });

  it("are tried eight times by the schedule, with the same id, and are dead then with the last reason [webhooks.schedule]", async () => {
    receiver.answer(answers.status(500, {}, "broken"));
    const endpoint = await anEndpoint();
    await t.add(endpoint);
    deliver();
    const waits = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
    for (const [made, wait] of waits.entries()) {
      await eventually(async () => (await t.deliveries(endpoint))[0]?.status === "retrying");
      const [row] = await t.deliveries(endpoint);
      expect(row).toMatchObject({ attempts: made + 1, last_error: "HTTP 500", last_response: "broken" });
      const waits = (row?.next_attempt_at.getTime() ?? 0) - t.calendar.now();
      expect(waits).toBeGreaterThanOrEqual(wait * 0.8);
      expect(waits).toBeLessThanOrEqual(wait * 1.2);
      t.calendar.advance(waits - 1);
      await new Promise((resolve) => setTimeout(resolve, 70));
      expect(receiver.received).toHaveLength(made + 1);
      t.calendar.advance(1);
      await receiver.until(made + 2);
    }
    await eventually(async () => (await t.deliveries(endpoint))[0]?.status === "dead");
    expect((await t.deliveries(endpoint))[0]).toMatchObject({
      // the time of the eighth
      next_attempt_at: new Date(t.calendar.now()),
      attempts: 8,
      last_error: "HTTP 500; no attempts left of 8",
      last_status_code: 500,
    });
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect((await t.state(endpoint)).failing_since).not.toBeNull();
  });

  it("go to where nobody listens, and nothing is lost when somebody does again [webhooks.down]", async () => {
    const endpoint = await anEndpoint();
    const { host } = receiver;
    await receiver.close();
    await t.add(endpoint, 20);
    const running = deliver({ allowHosts: [host] });
    await eventually(async () => (await t.deliveries(endpoint)).every(({ status }) => status === "retrying"));
    expect((await t.deliveries(endpoint)).every(({ last_error }) => last_error === "connection refused")).toBe(true);
    await running.stop();
    receiver = await openReceiver();
    delivering.receiver = receiver;
    await t.change(endpoint, { url: receiver.url() });
    t.calendar.advance(6_100);
    deliver();
    await eventually(async () => (await t.deliveries(endpoint)).every(({ status }) => status === "delivered"));
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(20);
  });

  it("are signed twice during a rotation's overlap, the newest secret first, once after it [webhooks.rotation, webhooks.signature]", async () => {
    const endpoint = await anEndpoint();
    const previous = "whsec_cHJldmlvdXMgc2VjcmV0IG9mIDMyIGJ5dGVzIC4uLi4=";
    await t.change(endpoint, {
      previous_secret: sealSecret(t.secrets, endpoint.storeId, endpoint.id, previous),
      previous_secret_expires_at: new Date(t.calendar.now() + 24 * hour),
    });
    deliver();
    await t.add(endpoint);
    await receiver.until(1);
    t.calendar.advance(24 * hour);
    await t.add(endpoint);
    await receiver.until(2);
    const [during, after] = receiver.received.map(({ headers, body }) => ({
      headers: headers as Record<string, string>,
      body: body.toString(),
    }));
    expect(during?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    for (const secret of [endpoint.secret, previous]) {
      expect(new Webhook(secret).verify(during?.body ?? "", during?.headers ?? {})).toEqual({ n: 0 });
    }
    expect(after?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    expect(new Webhook(endpoint.secret).verify(after?.body ?? "", after?.headers ?? {})).toEqual({ n: 0 });
  });

  it("keep to the endpoint as it was changed: another address, while others are under way [webhooks.changed-endpoint]", async () => {
    const { answer, release } = answers.held(410);
    receiver.answer(answer);
    const second = await openReceiver();
    delivering.atEnd(() => second.close());
    const endpoint = await anEndpoint();
    deliver({ allowHosts: [receiver.host, second.host] });
    await t.add(endpoint);
    await receiver.until(1);
    await t.change(endpoint, { url: second.url() });
    await t.add(endpoint, 3);
    await second.until(3);
    release();
    await eventually(async () => (await t.deliveries(endpoint)).some(({ status }) => status === "retrying"));
    // the 410 was the old address's
    expect(await t.state(endpoint)).toMatchObject({ status: "enabled" });
    t.calendar.advance(6_100);
    await second.until(4);
    await eventually(async () => (await t.deliveries(endpoint)).every(({ status }) => status === "delivered"));
    expect((await t.deliveries(endpoint)).map(({ attempts }) => attempts).sort()).toEqual([1, 1, 1, 2]);
  });

  it("of an endpoint that is deleted come to nothing, also those under way [webhooks.delete]", async () => {
    receiver.answer(answers.after(200));
    const endpoint = await anEndpoint();
    const running = deliver();
    await t.add(endpoint, 40);
    await receiver.until(5);
    const db = t.database.reader({ remaining: () => 1e9, expired: false, onExpiry: () => () => undefined });
    await db
      .forStore(endpoint.storeId)
      .all(sql`DELETE FROM webhook_endpoints WHERE store_id = ${ownStore} AND id = ${endpoint.id}`);
    const sent = receiver.received.length;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(receiver.received.length - sent).toBeLessThan(35);
    await running.stop();
  });
});

describe("endpoints that fail [webhooks.disable]", () => {
  const disabledEvents = async (storeId: string) => {
    const db = t.database.reader({ remaining: () => 1e9, expired: false, onExpiry: () => () => undefined });
    return db
      .forStore(storeId)
      .all<{ data: Record<string, unknown>; due_at: Date; topic: string }>(
        sql`SELECT topic, data, due_at FROM outbox WHERE store_id = ${ownStore}`,
      );
  };

  it("are disabled at once by a 410, exactly once, however many are under way", async () => {
    receiver.answer(answers.after(50, 410));
    const endpoint = await anEndpoint();
    const announced: string[] = [];
    t.database.onAnnounced((work) => announced.push(work));
    deliver({});
    await t.add(endpoint, 60);
    await eventually(async () => (await t.deliveries(endpoint)).every(({ status }) => status === "dead"));
    const at = new Date(t.calendar.now());
    const state = await t.state(endpoint);
    expect(state).toMatchObject({ status: "disabled", disabled_reason: "gone", disabled_at: at, failing_since: at });
    expect(state.next_due_at).toBeNull();
    const rows = await t.deliveries(endpoint);
    // what was tried says what came of it, and no row names a time at which nothing will happen
    expect(
      new Set(rows.map((row) => `${row.attempts} ${row.last_error} ${row.next_attempt_at.toISOString()}`)),
    ).toEqual(
      new Set([`1 HTTP 410; endpoint_disabled ${at.toISOString()}`, `0 endpoint_disabled ${at.toISOString()}`]),
    );
    const events = await disabledEvents(endpoint.storeId);
    expect(events).toHaveLength(1);
    expect(announced.filter((work) => work === "outbox")).toHaveLength(1);
    expect(events[0]).toMatchObject({
      topic: "webhook.endpoint.disabled",
      due_at: at,
      data: {
        endpoint_id: `whe_${endpoint.id.replaceAll("-", "")}`,
        url: receiver.url(),
        reason: "gone",
        failing_since: at.toISOString(),
        disabled_at: at.toISOString(),
      },
    });
  });

  it("that somebody enabled in the database, what had disabled them left in the row, are told of by no event", async () => {
    const at = new Date(t.calendar.now() - hour);
    const endpoint = await anEndpoint({ disabled_reason: "failing", disabled_at: at });
    deliver();
    await t.add(endpoint);
    await eventually(async () => (await t.deliveries(endpoint)).every(({ status }) => status === "delivered"));
    expect(await t.state(endpoint)).toMatchObject({ status: "enabled", disabled_reason: "failing", disabled_at: at });
    expect(await disabledEvents(endpoint.storeId)).toEqual([]);
  });

  it("are disabled by a failure 120 hours after the first, not before, and a success in between starts anew", async () => {
    receiver.answer(answers.status(500));
    const endpoint = await anEndpoint();
    deliver();
    // an older delivery may fall due and be received first: each that is due has to be tried and written down
    const fail = async () => {
      await t.add(endpoint);
      await eventually(async () => {
        const rows = await t.deliveries(endpoint);
        const isDue = (row: (typeof rows)[number]) =>
          row.status === "pending" || (row.status === "retrying" && row.next_attempt_at.getTime() <= t.calendar.now());
        return rows.every((row) => row.status !== "delivering" && !isDue(row));
      });
    };
    await fail();
    const first = (await t.state(endpoint)).failing_since;
    t.calendar.advance(120 * hour - 1);
    receiver.answer(answers.status(200));
    await t.add(endpoint);
    await eventually(async () => (await t.state(endpoint)).failing_since === null);
    // the first one, which is due again, too
    await eventually(async () => (await t.deliveries(endpoint)).every(({ status }) => status === "delivered"));
    receiver.answer(answers.status(500));
    await fail();
    const again = (await t.state(endpoint)).failing_since;
    expect(again?.getTime()).toBeGreaterThan(first?.getTime() ?? 0);
    t.calendar.advance(120 * hour - 1);
    await fail();
    expect(await t.state(endpoint)).toMatchObject({ status: "enabled", failing_since: again });
    t.calendar.advance(1);
    await t.add(endpoint);
    await eventually(async () => (await t.state(endpoint)).status === "disabled");
    expect(await t.state(endpoint)).toMatchObject({ disabled_reason: "failing", failing_since: again });
    expect(await disabledEvents(endpoint.storeId)).toHaveLength(1);
    // what waits is dead a moment after its endpoint is disabled
    await eventually(async () =>
      (await t.deliveries(endpoint)).every(({ status }) => status === "delivered" || status === "dead"),
    );
  });

  it.each([429, 503])(
    "are left alone as Retry-After asks (%i), all of their deliveries [webhooks.retry-after]",
    async (status) => {
      receiver.answer(answers.status(status, { "retry-after": "60" }));
      const endpoint = await anEndpoint();
      const running = deliver();
      await t.add(endpoint);
      await receiver.until(1);
      await eventually(async () => (await t.state(endpoint)).paused_until !== null);
      expect((await t.state(endpoint)).paused_until).toEqual(new Date(t.calendar.now() + minute));
      receiver.answer(answers.status(200));
      await t.add(endpoint, 5);
      t.calendar.advance(minute - 1);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(receiver.received).toHaveLength(1);
      t.calendar.advance(1);
      await receiver.until(7);
      await running.stop();
      expect(await t.state(endpoint)).toMatchObject({ paused_until: null, failing_since: null });
    },
  );

  it("that are down are found to be up by one request, and only then get the flood [webhooks.down]", async () => {
    receiver.answer(answers.status(503));
    const endpoint = await anEndpoint({}, { webhook_sends_per_second: 1_000 });
    const running = deliver();
    await t.add(endpoint, 40);
    await eventually(async () => (await t.deliveries(endpoint)).every(({ status }) => status === "retrying"));
    await running.stop();
    const before = receiver.received.length;
    t.calendar.advance(2 * hour);
    const { answer, release } = answers.held();
    let together = 0;
    receiver.answer((...first) => {
      together = receiver.open;
      receiver.answer(answers.after(20));
      answer(...first);
    });
    deliver();
    await receiver.until(before + 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(receiver.received).toHaveLength(before + 1);
    expect(together).toBe(1);
    release();
    await eventually(async () => (await t.deliveries(endpoint)).every(({ status }) => status === "delivered"));
    expect(receiver.mostOpen).toBeGreaterThan(3);
  });

  it("that refuse one event are not taken for down [webhooks.down]", async () => {
    const endpoint = await anEndpoint({}, { webhook_sends_per_second: 1_000 });
    receiver.answer((request, response) => {
      const bad = JSON.parse(request.body.toString()).n % 2 === 0;
      setTimeout(() => response.writeHead(bad ? 400 : 200).end(), 100);
    });
    await t.add(endpoint, 60);
    deliver();
    await receiver.until(60, 2_000);
    expect(receiver.mostOpen).toBeGreaterThan(10);
  });
});

describe("deliveries that are never sent", () => {
  it("those of a store whose plan is paused, as they fall due [webhooks.paused-plan]", async () => {
    receiver.answer(answers.status(500));
    const endpoint = await anEndpoint();
    const running = deliver();
    await t.add(endpoint);
    await eventually(async () => (await t.deliveries(endpoint))[0]?.status === "retrying");
    await t.update(endpoint.storeId, { plan: "other" });
    await t.add(endpoint, 3);
    await eventually(async () => (await t.deliveries(endpoint)).filter(({ status }) => status === "dead").length === 3);
    const rows = await t.deliveries(endpoint);
    expect(rows.filter(({ status, attempts }) => status === "retrying" && attempts === 1)).toHaveLength(1);
    const paused = ({ attempts, last_error }: { attempts: number; last_error: string | null }) =>
      attempts === 0 && last_error === "plan_paused";
    expect(rows.filter(paused)).toHaveLength(3);
    t.calendar.advance(6_100);
    await eventually(async () => (await t.deliveries(endpoint)).every(({ status }) => status === "dead"));
    const retried = (await t.deliveries(endpoint)).find(({ attempts }) => attempts === 1);
    expect(retried).toMatchObject({ last_error: "plan_paused", last_status_code: 500 });
    expect(receiver.received).toHaveLength(1);
    expect((await t.state(endpoint)).status).toBe("enabled");
    await running.stop();
  });

  it("those that wait when their endpoint is disabled; what is under way may still arrive [webhooks.disabled-endpoint]", async () => {
    const { answer, release } = answers.held();
    receiver.answer(answer);
    const endpoint = await anEndpoint({}, { webhook_sends_per_second: 20 });
    deliver({ limits: { perEndpoint: 3 } });
    await t.add(endpoint, 60);
    await receiver.until(3);
    await t.change(endpoint, {
      status: "disabled",
      disabled_reason: "manual",
      next_due_at: new Date(t.calendar.now()),
    });
    await eventually(async () => (await t.deliveries(endpoint)).some(({ status }) => status === "dead"));
    release();
    await eventually(async () =>
      (await t.deliveries(endpoint)).every(({ status }) => status === "dead" || status === "delivered"),
    );
    const dead = (await t.deliveries(endpoint)).filter(({ status }) => status === "dead");
    expect(dead.length).toBeGreaterThan(30);
    for (const row of dead) expect(row).toMatchObject({ attempts: 0, last_error: "endpoint_disabled" });
    expect(receiver.received.length).toBe(60 - dead.length);
  });

  it("those whose address has become unsafe [webhooks.safe-connections]", async () => {
    const endpoint = await anEndpoint();
    await t.add(endpoint);
    deliver({ allowHosts: [] });
    await eventually(async () => (await t.deliveries(endpoint))[0]?.status === "retrying");
    expect((await t.deliveries(endpoint))[0]?.last_error).toMatch(/unsafe address/);
    expect(receiver.received).toHaveLength(0);
  });
});
