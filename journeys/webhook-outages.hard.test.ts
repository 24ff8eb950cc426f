import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../testkit/slowness.ts";
import { shortQuiz } from "./documents.ts";
import { type Client, client } from "./http.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, command, type Program, start, until } from "./program.ts";
import {
  type Delivery,
  deliveriesOf,
  type Endpoint,
  type Envelope,
  endpointOf,
  openReceiver,
  ping,
  type Receiver,
  subscribe,
  verified,
} from "./receiver.ts";
import { newKey, openShop, publishQuiz, type Shop } from "./shop.ts";
import { type Live, Visit } from "./visit.ts";

/** Receivers and the program itself fail for a while; five days are 22 s. */

const speed = 20_000;
const generous = { limits: { capacity: 100_000, leak_per_second: 10_000 } };

let data: string;
let receiver: Receiver;
let program: Program;
let settings: Record<string, string>;
let api: Client;
let watch: Endpoint;
let failing: Endpoint;
let live: Live;

async function open(): Promise<{ shop: Shop; api: Client; live: Live }> {
  const shop = await openShop(data, generous);
  const { key } = await newKey(data, shop.store_id);
  return { shop, api: client(program.url, key), live: await publishQuiz(program, shop, shortQuiz) };
}

beforeAll(async () => {
  data = await installedFolder();
  receiver = await openReceiver();
  settings = { CLOCK_SPEED: String(speed), WEBHOOK_ALLOW_HOSTS: receiver.host };
  program = await start(data, settings);
  ({ api, live } = await open());
  // fails from the first shopper of this file on, so that its five days pass beside the other stories
  watch = await subscribe(api, receiver.address("/watch"), ["webhook.endpoint.disabled"]);
  failing = await subscribe(api, receiver.address("/failing"), ["quiz.started"]);
  receiver.behave("/failing", () => 500);
}, 120_000);

afterAll(async () => {
  await program?.stop();
  await receiver?.close();
  await cleanUp(data);
});

/** A shopper who takes the quiz to its end at once; gives the session's id. */
async function takes(at: Live): Promise<string> {
  const visit = new Visit(at, { from: Date.now(), step: 1 });
  const events = [visit.opened(), visit.chose("first", "pick", "one"), visit.entered("result")];
  const answer = await visit.send(...events, visit.finished("result"));
  expect(answer.body).toEqual({ accepted: 4, duplicates: 0, rejected: [] });
  return visit.session.id;
}

const settledAs = (status: string, endpoint: { id: string }, among = 1, seconds = 25): Promise<Delivery[]> =>
  until(
    () => deliveriesOf(api, endpoint),
    (all) => all.length >= among && all.every((one) => one.status === status),
    seconds,
  );

const statuses = (all: Delivery[]): string[] => all.map(({ status }) => status);

/** The program's own time, from the row that it has just written. */
const programTime = async (endpoint: { id: string }): Promise<string> => (await ping(api, endpoint)).created_at;

describe("a receiver that answers 500, then 200", () => {
  it("gets the same event again, signed anew under the same id [webhooks.signature, webhooks.schedule]", async () => {
    const endpoint = await subscribe(api, receiver.address("/twice"), ["quiz.started"]);
    receiver.behave("/twice", (_, before) => (before < 2 ? 500 : 200));
    const session = await takes(live);
    const all = await receiver.wait("/twice", (some) => some.length >= 3);
    expect(all.map(({ status }) => status)).toEqual([500, 500, 200]);
    expect(new Set(all.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([all[0]?.envelope.id]));
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    for (const one of all) expect(verified(endpoint.secret, one).data.object).toMatchObject({ id: session });
    const [delivery] = await settledAs("delivered", endpoint);
    expect(delivery).toMatchObject({ attempts: 3, last_status_code: 200, last_error: null, topic: "quiz.started" });
    expect(await endpointOf(api, endpoint)).toMatchObject({ status: "enabled", failing_since: null });
    await api.delete(`/v1/webhooks/${endpoint.id}`);
  });
});

describe("a receiver that is away for longer than eight attempts", () => {
  let endpoint: Endpoint & { secret: string };
  let sessions: string[];
  let before: string;

  beforeAll(async () => {
    endpoint = await subscribe(api, receiver.address("/away"), ["quiz.started", "quiz.finished"]);
    before = await programTime(endpoint);
    await settledAs("delivered", endpoint);
    receiver.behave("/away", () => 500);
    sessions = [await takes(live), await takes(live)];
    await until(
      () => deliveriesOf(api, endpoint),
      (all) => all.filter(({ status }) => status === "dead").length === 4,
      30,
    );
  }, 60_000);

  it("leaves dead deliveries after eight attempts [webhooks.schedule]", async () => {
    const all = (await deliveriesOf(api, endpoint)).filter(({ topic }) => topic !== "ping");
    expect(statuses(all)).toEqual(["dead", "dead", "dead", "dead"]);
    for (const one of all) {
      expect(one).toMatchObject({ attempts: 8, delivered_at: null, last_status_code: 500, last_response: "thank you" });
      expect(one.last_error).toEqual(expect.stringMatching(/./));
    }
    const perEvent = new Map<string, number>();
    for (const { envelope } of receiver.at("/away")) {
      perEvent.set(envelope.id, (perEvent.get(envelope.id) ?? 0) + 1);
    }
    expect([...perEvent.values()].sort()).toEqual([1, 8, 8, 8, 8]);
    expect((await endpointOf(api, endpoint)).failing_since).toEqual(expect.any(String));
  });

  it("gets one of them redelivered, the same event in the same row [webhooks.redeliver]", async () => {
    receiver.behave("/away", () => 200);
    const dead = (await deliveriesOf(api, endpoint)).find(({ status }) => status === "dead");
    const path = `/v1/webhooks/${endpoint.id}/deliveries/${dead?.id}/redeliver`;
    const again = await api.post<Delivery>(path);
    expect([again.status, again.body.id, again.body.event_id]).toEqual([202, dead?.id, dead?.event_id]);
    expect(again.body.attempts).toBeLessThanOrEqual(1);
    const row = await until(
      async () => (await deliveriesOf(api, endpoint)).find(({ id }) => id === dead?.id),
      (one) => one?.status === "delivered",
    );
    expect(row).toMatchObject({ status: "delivered", attempts: 1, last_status_code: 200, last_error: null });
    expect(row?.payload).toEqual(dead?.payload);
    expect(receiver.at("/away").filter(({ envelope }) => envelope.id === dead?.event_id)).toHaveLength(9);
    expect(await endpointOf(api, endpoint)).toMatchObject({ failing_since: null });
  });

  it("gets all the others with redeliver-failed, and nothing the second time [webhooks.redeliver-failed]", async () => {
    const path = `/v1/webhooks/${endpoint.id}/redeliver-failed`;
    const queued = await api.post<{ queued: number }>(path, { since: before });
    expect([queued.status, queued.body]).toEqual([202, { queued: 3 }]);
    const all = await settledAs("delivered", endpoint, 5);
    expect(statuses(all)).toEqual(Array(5).fill("delivered"));
    expect((await api.post(path, { since: before })).body).toEqual({ queued: 0 });
    const good = receiver.at("/away").filter(({ status, envelope }) => status === 200 && envelope.type !== "ping");
    const heard = good.map((one) => `${verified(endpoint.secret, one).type} ${one.envelope.data.object["id"]}`);
    const told = sessions.flatMap((id) => [`quiz.started ${id}`, `quiz.finished ${id}`]);
    expect(heard.sort()).toEqual(told.sort());
    await api.delete(`/v1/webhooks/${endpoint.id}`);
  });
});

describe("an endpoint that its owner disables", () => {
  it("buries what is queued, takes nothing, and works again once enabled [webhooks.disabled-endpoint]", async () => {
    const endpoint = await subscribe(api, receiver.address("/off"), ["quiz.started"]);
    receiver.behave("/off", () => 503);
    const queued = await takes(live);
    await receiver.wait("/off", (all) => all.length >= 1);
    const off = await api.ask<Endpoint>("PATCH", `/v1/webhooks/${endpoint.id}`, { status: "disabled" });
    expect([off.status, off.body]).toMatchObject([200, { status: "disabled", disabled_reason: "manual" }]);
    const [dead] = await settledAs("dead", endpoint);
    expect(dead).toMatchObject({ status: "dead", last_error: expect.stringMatching(/disabled/) });
    const missed = await takes(live);
    const refused = await api.post(`/v1/webhooks/${endpoint.id}/ping`);
    expect([refused.status, refused.body.title]).toEqual([409, "webhook_conflict"]);
    const again = await api.post(`/v1/webhooks/${endpoint.id}/deliveries/${dead?.id}/redeliver`);
    expect([again.status, again.body.title]).toEqual([409, "webhook_conflict"]);
    receiver.behave("/off", () => 200);
    const on = await api.ask<Endpoint>("PATCH", `/v1/webhooks/${endpoint.id}`, { status: "enabled" });
    expect(on.body).toMatchObject({ status: "enabled", disabled_reason: null, disabled_at: null, failing_since: null });
    const heard = await takes(live);
    const all = await receiver.wait("/off", (some) => some.some(({ status }) => status === 200));
    const sessionsOf = (status: number) =>
      all.filter((one) => one.status === status).map(({ envelope }) => envelope.data.object["id"]);
    expect(sessionsOf(200)).toEqual([heard]);
    expect(new Set(sessionsOf(503))).toEqual(new Set([queued]));
    expect(JSON.stringify(await deliveriesOf(api, endpoint))).not.toContain(missed);
    await api.delete(`/v1/webhooks/${endpoint.id}`);
  });
});

describe("an endpoint that the platform disables", () => {
  const heardOf = (path: string, about: { id: string }) => (): Envelope[] =>
    receiver
      .at(path)
      .filter(({ envelope: { data: payload } }) => payload.object["endpoint_id"] === about.id)
      .filter(({ envelope }) => envelope.type === "webhook.endpoint.disabled")
      .map(({ envelope }) => envelope);

  it("after a 410 at once, and the other endpoint hears of it once [webhooks.disable, webhooks.disabled-event]", async () => {
    const topics = ["quiz.started", "webhook.endpoint.disabled"];
    const gone = await subscribe(api, receiver.address("/gone"), topics);
    receiver.behave("/gone", () => 410);
    await takes(live);
    const heard = heardOf("/watch", gone);
    await receiver.wait("/watch", () => heard().length > 0);
    await takes(live);
    await pause(500);
    const now = await endpointOf(api, gone);
    expect(now).toMatchObject({ status: "disabled", disabled_reason: "gone", disabled_at: expect.any(String) });
    expect(heard().map(({ data: { object } }) => object)).toEqual([
      {
        ...{ endpoint_id: gone.id, url: gone.url, reason: "gone", disabled_at: now.disabled_at },
        failing_since: now.failing_since,
      },
    ]);
    expect(receiver.at("/gone")).toHaveLength(1);
    expect(statuses(await deliveriesOf(api, gone))).toEqual(["dead"]);
    await api.delete(`/v1/webhooks/${gone.id}`);
  });

  /** Between two requests at a path, in hours of the program's time. */
  const longestPause = (path: string): number => {
    const times = receiver.at(path).map(({ arrivedAt }) => arrivedAt);
    return (Math.max(...times.map((at, index) => at - (times[index - 1] ?? at))) * speed) / 3_600_000;
  };

  it("after five days of failures, not before [webhooks.disable]", async () => {
    const heard = heardOf("/watch", failing);
    const began = performance.now();
    while (heard().length === 0 && performance.now() - began < 40_000 * patience) {
      await takes(live);
      await pause(1500);
    }
    const { failing_since, disabled_at, ...now } = await endpointOf(api, failing);
    expect(now).toMatchObject({ status: "disabled", disabled_reason: "failing" });
    const hours = (Date.parse(disabled_at ?? "") - Date.parse(failing_since ?? "")) / 3_600_000;
    expect(hours).toBeGreaterThanOrEqual(120);
    // the first attempt that fails from then on; on a busy machine it may be the program that pauses
    expect(hours).toBeLessThan(120 + Math.max(20, longestPause("/failing")));
    expect(heard()).toHaveLength(1);
    expect(heard()[0]?.data.object).toMatchObject({ reason: "failing", failing_since, disabled_at });
    await api.delete(`/v1/webhooks/${watch.id}`);
    await api.delete(`/v1/webhooks/${failing.id}`);
  }, 60_000);
});

describe("kill -9 of the program with deliveries on their way", () => {
  it("loses none of them [webhooks.lease]", async () => {
    const endpoint = await subscribe(api, receiver.address("/killed"), ["quiz.started", "quiz.finished"]);
    receiver.behave("/killed", ({ envelope }) => (Number.parseInt(envelope.id.at(-1) ?? "0", 16) % 2 ? 500 : null));
    const sessions: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      sessions.push(...(await Promise.all(Array.from({ length: 8 }, () => takes(live)))));
    }
    await program.kill();
    const seen = receiver.at("/killed").length;
    receiver.behave("/killed", () => 200);
    program = await start(data, settings, program.port);
    const told = sessions.flatMap((id) => [`quiz.started ${id}`, `quiz.finished ${id}`]).sort();
    const heard = (): string[] => {
      const good = receiver.at("/killed").filter(({ status }) => status === 200);
      return [
        ...new Set(
          good.map(
            ({
              envelope: {
                type,
                data: { object },
              },
            }) => `${type} ${object["id"]}`,
          ),
        ),
      ].sort();
    };
    await receiver.wait("/killed", () => heard().length === told.length, 35);
    expect(heard()).toEqual(told);
    // each event kept its id over the kill
    expect(new Set(receiver.at("/killed").map(({ envelope }) => envelope.id)).size).toBe(told.length);
    expect(statuses(await settledAs("delivered", endpoint, told.length))).toEqual(told.map(() => "delivered"));
    expect(seen).toBeGreaterThan(0);
    await api.delete(`/v1/webhooks/${endpoint.id}`);
  }, 60_000);
});

describe("a store that leaves its plan", () => {
  /** A plan counts for at most a minute longer where it is remembered: a new process remembers none. */
  async function moveTo(plan: string, store: string): Promise<void> {
    await command(data, "store", "update", store, "--plan", plan);
    await program.stop();
    program = await start(data, settings, program.port);
  }

  it("has deliveries die unsent, readable still, and not redelivered later [webhooks.paused-plan]", async () => {
    const paused = await open();
    const endpoint = await subscribe(paused.api, receiver.address("/paused"), ["quiz.started"]);
    await moveTo("other", paused.shop.store_id);
    const session = await takes(paused.live);
    const [dead] = await until(
      () => deliveriesOf(paused.api, endpoint),
      ([one]) => one?.status === "dead",
    );
    expect(dead).toMatchObject({ status: "dead", attempts: 0, last_error: "plan_paused", last_status_code: null });
    expect(dead?.payload?.data.object["id"]).toBe(session);
    expect((await paused.api.get("/v1/webhooks")).status).toBe(200);
    const path = `/v1/webhooks/${endpoint.id}`;
    for (const shut of ["/v1/store", "/v1/events", path]) {
      const answer = await paused.api.get(shut);
      expect([shut, answer.status, answer.body.title]).toEqual([shut, 403, "plan_required"]);
    }
    expect((await paused.api.post(`${path}/deliveries/${dead?.id}/redeliver`)).status).toBe(403);
    await moveTo("plus", paused.shop.store_id);
    const again = await paused.api.post(`${path}/deliveries/${dead?.id}/redeliver`);
    expect([again.status, again.body.title]).toEqual([409, "webhook_conflict"]);
    const failed = await paused.api.post(`${path}/redeliver-failed`, { since: dead?.created_at });
    expect([failed.status, failed.body]).toEqual([202, { queued: 0 }]);
    expect(receiver.at("/paused")).toEqual([]);
    await takes(paused.live);
    expect(await receiver.wait("/paused", (all) => all.length > 0)).toHaveLength(1);
  }, 60_000);
});
