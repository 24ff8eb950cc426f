import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Arrivals, watchArrivals } from "../testkit/arrivals.ts";
import { startRedis } from "../testkit/redis.ts";
import { timed } from "../testkit/timed.ts";
import { planVisit } from "./buyer.ts";
import { shortQuiz } from "./documents.ts";
import { type Answer, type Client, client, type ListOf, type Person, pagesOf } from "./http.ts";
import { askingAgain, at, inTurns, type Machines, openMachines, type Serve, type Shop } from "./machines.ts";
import { type Running, until } from "./program.ts";
import { openReceiver, type Receiver, subscribe } from "./receiver.ts";
import { type Live, Visit } from "./visit.ts";

/** What a service of several machines loses when one of them dies, or what they share does: nothing that was kept. */

const redis = await startRedis();

interface Export {
  id: string;
  status: string;
  download_url: string;
}

const perSecond = 10;

let machines: Machines;
let receiver: Receiver;
let shop: Shop;
let live: Live;
let api: Client;
let first: Running;
let arrivals: Arrivals;
let lostBuild: string;
/** How many events the endpoint is to be told. */
let events = 0;
let other: Client;

beforeAll(async () => {
  if (!redis) return;
  receiver = await openReceiver();
  arrivals = watchArrivals();
  receiver.behave("/told", () => {
    arrivals.note();
    return 200;
  });
  const settings = { WEBHOOK_ALLOW_HOSTS: receiver.host };
  machines = await openMachines({ serve: 3, work: 0, redis, settings });
  first = await machines.startWork();
  const limits = { capacity: 100_000, leak_per_second: 10_000, webhook_sends_per_second: perSecond };
  shop = await machines.openShop(limits);
  live = await machines.publish(shop, shortQuiz, serve(0));
  api = inTurns(machines.serves, shop.key);
  other = inTurns(machines.serves, (await machines.openShop()).key);
}, 120_000);

afterAll(async () => {
  redis?.resume();
  arrivals?.stop();
  await machines?.close();
  await receiver?.close();
  await redis?.stop();
}, 120_000);

function serve(index: number): Serve {
  const found = machines.serves[index];
  if (!found) throw new Error("no such process");
  return found;
}

const begins = (url: string): Promise<Answer<unknown>> => {
  const visit = new Visit({ ...live, url });
  return visit.send(visit.opened(), visit.entered("first", "start"), visit.chose("first", "pick", "one"));
};

async function beginMany(count: number): Promise<void> {
  events += count;
  const sent = await Promise.all(Array.from({ length: count }, (_, index) => begins(serve(index % 3).url)));
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([202]));
}

const exportOf = (of: Client, id: string) => of.get<Export>(`/v1/exports/${id}`);
async function completed(of: Client, id: string, seconds: number): Promise<Export> {
  const isDone = ({ body }: Answer<Export>): boolean => body.status === "completed";
  const { body } = await until(() => exportOf(of, id), isDone, seconds);
  expect([id, body.status]).toEqual([id, "completed"]);
  return body;
}

async function ask(of: Client, dataset: string): Promise<string> {
  const asked = await of.post<Export>("/v1/exports", { dataset });
  expect([dataset, asked.status], asked.text).toEqual([dataset, 202]);
  return asked.body.id;
}

/** What needs Redis, and what does not, while it is away. */
async function expectLimitsUnknown(): Promise<void> {
  const asked: [string, Answer<unknown>][] = [];
  for (const { url } of machines.serves) {
    const one = client(url, shop.key);
    const { result: read, ranMs } = await timed(() => one.get("/v1/quizzes"));
    expect([read.status, read.headers.get("ratelimit")]).toEqual([200, null]);
    expect(ranMs).toBeLessThan(2_000);
    expect((await begins(url)).status).toBe(202);
    asked.push(["write", await one.post(`/v1/quizzes/${live.quiz_id}/archive`)]);
    asked.push(["search", await one.post("/v1/profiles/search", {})]);
    asked.push(["analytics", await one.get("/v1/analytics/overview")]);
  }
  for (const [kind, { status, body, headers }] of asked) {
    const told = [kind, status, (body as { title: string }).title, headers.get("retry-after")];
    expect(told).toEqual([kind, 503, "limiter_unavailable", "2"]);
  }
}

/** Nobody is started again: every process finds Redis by itself. */
async function expectLimitsKnown(): Promise<void> {
  for (const { url } of machines.serves) {
    const one = askingAgain(client(url, shop.key));
    const back = await until(
      () => one.post(`/v1/quizzes/${live.quiz_id}/unarchive`),
      ({ status }) => status === 200,
      30,
    );
    expect([back.status, back.headers.get("ratelimit")]).toEqual([200, expect.stringContaining("limit=100000")]);
    const searched = await until(
      () => one.post("/v1/profiles/search", {}),
      ({ status }) => status === 200,
      30,
    );
    expect(searched.status).toBe(200);
    expect((await one.get("/v1/analytics/overview")).status).toBe(200);
  }
}

describe.runIf(redis)("several machines", { timeout: 120_000 }, () => {
  it("go on when a worker is killed while it builds and sends; what becomes of that is seen below", async () => {
    await begins(serve(0).url);
    machines.storage.hold();
    lostBuild = await ask(api, "profiles");
    await until(
      async () => machines.storage.puts(),
      (puts) => puts > 0,
    );
    expect((await exportOf(api, lostBuild)).body.status).toBe("running");
    await subscribe(api, receiver.address("/told"), ["quiz.started"]);
    await beginMany(200);
    // the one that has the lease goes on with it
    await machines.startWork();
    // on a busy machine that takes so long that hardly any are left
    if (events - receiver.at("/told").length < 100) await beginMany(150);
    await receiver.wait("/told", (all) => all.length >= 15, 30);
    await first.kill();
    machines.storage.release();
    expect(receiver.at("/told").length).toBeLessThan(events);
  });

  it("lose nothing that was answered 202 by one that is killed [storefront.accepted]", async () => {
    const victim = await machines.startServe();
    machines.serves.splice(machines.serves.indexOf(victim), 1);
    const kept: string[] = [];
    let ended = 0;
    const shopper = async (name: number): Promise<void> => {
      for (let visits = 0; ended === 0; visits += 1) {
        const mail = `shopper-${name}-${visits}@example.com`;
        const { shopper: one, events: all } = planVisit({ ...live, url: victim.url }, mail);
        const answer = await one.visit.send(...all).catch(() => null);
        if (answer === null) ended += 1;
        else if (answer.status === 202) kept.push(mail);
      }
    };
    const shoppers = Array.from({ length: 8 }, (_, name) => shopper(name));
    await until(
      async () => kept.length,
      (count) => count >= 40,
      15,
    );
    await victim.kill();
    await Promise.all(shoppers);
    expect(kept.length).toBeGreaterThanOrEqual(40);
    const people = (await pagesOf<Person>(api, "/v1/profiles?limit=100")).flat();
    const known = new Set(people.map(({ email }) => email));
    expect(kept.filter((mail) => !known.has(mail))).toEqual([]);
    const found = await api.post<ListOf<Person> & { total: number }>("/v1/profiles/search", { has_email: true });
    expect(found.body.total).toBe(known.size);
  });

  it("read on while Redis hangs, refuse what needs it, and come back by themselves [api.limiter-away]", async () => {
    redis?.pause();
    await expectLimitsUnknown();
    redis?.resume();
    await expectLimitsKnown();
  });

  it("read on while Redis is gone, and come back when it is there again, empty [api.limiter-away]", async () => {
    await redis?.kill();
    await expectLimitsUnknown();
    await redis?.restart();
    await expectLimitsKnown();
  });

  it("answer 502 while the storage is away, and build what was asked for when it is back [exports.storage-away]", async () => {
    const { download_url } = await completed(other, await ask(other, "profiles"), 60);
    expect((await fetch(at(serve(0), download_url))).status).toBe(200);
    await machines.storage.close();
    for (const one of machines.serves) {
      const answer = await fetch(at(one, download_url));
      expect([answer.status, ((await answer.json()) as { title: string }).title]).toEqual([502, "upstream_error"]);
    }
    const waiting = await ask(other, "profiles");
    const begun = await until(
      () => exportOf(other, waiting),
      ({ body }) => body.status === "running",
      5,
    );
    expect(["pending", "running"]).toContain(begun.body.status);
    await machines.storage.open();
    expect((await fetch(at(serve(1), download_url))).status).toBe(200);
    await completed(other, waiting, 60);
  });

  it("finish what a killed worker had begun, no faster than allowed, and each event at least once [webhooks.pace, webhooks.lease, exports.lost-worker]", async () => {
    const told = await receiver.wait(
      "/told",
      (all) => new Set(all.map(({ envelope }) => envelope.id)).size >= events,
      60,
    );
    const ids = told.map(({ envelope }) => envelope.id);
    expect(new Set(ids).size).toBeGreaterThanOrEqual(events);
    // only what was under way when it died may come twice
    const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
    expect(twice.length).toBeLessThanOrEqual(2 * perSecond);
    expect(arrivals.mostInASecond()).toBeLessThanOrEqual(perSecond);
    await completed(api, lostBuild, 60);
  });
});
