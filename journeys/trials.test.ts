import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shortQuiz } from "./documents.ts";
import { type Client, client, type ListOf, type Person, type PersonDetail } from "./http.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, type Program, start, until } from "./program.ts";
import { deliveriesOf, type Endpoint, openReceiver, type Receiver, subscribe, verified } from "./receiver.ts";
import { everyScope, importQuiz, newKey, openShopWithKey, type Shop } from "./shop.ts";
import { type Live, Visit } from "./visit.ts";

/** An integrator tries out what takes days, in a store's test twin, while the store itself goes on. */

interface Clock {
  now: string;
  ahead_seconds: number;
  store_id: string;
  publishable_key: string;
  shop_domain: string;
}

let data: string;
let receiver: Receiver;
let program: Program;
let shop: Shop;
let real: Client;
let trial: Client;
let twin: Clock;
let live: Live;

beforeAll(async () => {
  data = await installedFolder();
  receiver = await openReceiver();
  program = await start(data, { WEBHOOK_ALLOW_HOSTS: receiver.host });
  ({ shop, api: real } = await openShopWithKey(program, { limits: { capacity: 100_000, leak_per_second: 10_000 } }));
  const { key } = await newKey(data, shop.store_id, everyScope, "--test");
  trial = client(program.url, key);
  twin = (await trial.get<Clock>("/v1/test/clock")).body;
  const made = await importQuiz(data, twin.store_id, shortQuiz, "--name", "Tried out", "--publish");
  const { publishable_key: store } = twin;
  live = { url: program.url, store, quiz_id: made.quiz_id, version_id: made.version_id ?? "" };
}, 120_000);

afterAll(async () => {
  await program?.stop();
  await receiver?.close();
  await cleanUp(data);
});

const hours = (count: number) => ({ advance_seconds: count * 3_600 });
const move = async (body: object): Promise<Clock> => (await trial.post<Clock>("/v1/test/clock", body)).body;

async function left(mail: string): Promise<Visit> {
  const visit = new Visit(live, { from: Date.now(), step: 1 });
  await visit.send(visit.opened(), visit.chose("first", "pick", "one"), visit.wrote("contact", "mail", mail));
  return visit;
}

describe("a trial of days", () => {
  let broken: Endpoint & { secret: string };
  let fine: Endpoint & { secret: string };

  it("ends a visit that is left, and tells of it, a second after half an hour [test-stores.due]", async () => {
    fine = await subscribe(trial, receiver.address("/fine"), ["quiz.abandoned"]);
    broken = await subscribe(trial, receiver.address("/broken"), ["quiz.abandoned"]);
    receiver.behave("/broken", () => 500);
    const visit = await left("tried@example.com");
    const sessions = async () => {
      const [person] = (await trial.get<ListOf<Person>>("/v1/profiles?q=tried@example.com")).body.data;
      return (await trial.get<PersonDetail>(`/v1/profiles/${person?.id}`)).body.sessions;
    };
    expect((await sessions()).map(({ status }) => status)).toEqual(["in_progress"]);
    await move(hours(1));
    const [told] = await receiver.wait("/fine", (all) => all.length > 0);
    if (!told) throw new Error("nobody was told");
    expect(verified(fine.secret, told).data.object["id"]).toBe(visit.session.id);
    expect((await sessions()).map(({ status }) => status)).toEqual(["left"]);
  }, 60_000);

  it("tries a webhook for days until it arrives [test-stores.due, test-stores.clock]", async () => {
    await receiver.wait("/broken", (all) => all.length > 0);
    for (let tries = 2; tries <= 5; tries += 1) {
      await move(hours(12));
      const all = await receiver.wait("/broken", (some) => some.length >= tries);
      expect(all.length).toBeGreaterThanOrEqual(tries);
    }
    receiver.behave("/broken", () => 200);
    const before = (await trial.get<Clock>("/v1/test/clock")).body;
    await move(hours(12));
    const delivered = await until(
      () => deliveriesOf(trial, broken),
      ([one]) => one?.status === "delivered" || one?.status === "dead",
    );
    expect(delivered.map(({ status }) => status)).toEqual(["delivered"]);
    expect(Date.parse(delivered[0]?.delivered_at ?? "")).toBeGreaterThan(Date.parse(before.now) + 11 * 3_600_000);
  }, 120_000);

  it("ends the secret that was replaced, and an export that is old [test-stores.due]", async () => {
    await trial.post(`/v1/webhooks/${fine.id}/rotate-secret`, {});
    const signatures = async () => {
      const count = receiver.at("/fine").length;
      await trial.post(`/v1/webhooks/${fine.id}/ping`);
      const all = await receiver.wait("/fine", (some) => some.length > count);
      return String(all.at(-1)?.headers["webhook-signature"]).split(" ").length;
    };
    expect(await signatures()).toBe(2);
    const asked = await trial.post<{ id: string }>("/v1/exports", { dataset: "responses", format: "csv" });
    const file = () => trial.get<{ status: string; download_url?: string }>(`/v1/exports/${asked.body.id}`);
    const done = await until(file, ({ body }) => body.status === "completed");
    expect((await fetch(String(done.body.download_url))).status).toBe(200);
    await move(hours(24 * 30));
    expect(await signatures()).toBe(1);
    expect((await until(file, ({ status }) => status === 404)).status).toBe(404);
    expect((await fetch(String(done.body.download_url))).status).toBe(404);
  }, 120_000);

  it("answers figures of the days that passed", async () => {
    await left("later@example.com");
    const { now } = (await trial.get<Clock>("/v1/test/clock")).body;
    const today = now.slice(0, 10);
    type Overview = { totals: { starts: number } };
    const path = `/v1/analytics/overview?from=${today}&to=${today}`;
    const figures = await until(
      () => trial.get<Overview>(path),
      ({ body }) => body.totals?.starts === 1,
    );
    expect(figures.body.totals).toMatchObject({ starts: 1 });
  }, 60_000);

  it("outlives a kill, and reaches nothing of the store [test-stores.apart, test-stores.clock]", async () => {
    const { ahead_seconds } = (await trial.get<Clock>("/v1/test/clock")).body;
    await program.kill();
    program = await start(data, { WEBHOOK_ALLOW_HOSTS: receiver.host }, program.port);
    expect((await trial.get<Clock>("/v1/test/clock")).body.ahead_seconds).toBe(ahead_seconds);
    for (const path of ["/v1/quizzes", "/v1/profiles", "/v1/events", "/v1/webhooks", "/v1/exports"])
      expect([path, (await real.get<ListOf<unknown>>(path)).body.data]).toEqual([path, []]);
    expect((await real.get("/v1/test/clock")).body.title).toBe("test_key_required");
  }, 120_000);

  it("is emptied at once [test-stores.emptied]", async () => {
    expect((await trial.delete("/v1/test/data")).status).toBe(204);
    for (const path of ["/v1/quizzes", "/v1/profiles", "/v1/webhooks", "/v1/exports"])
      expect([path, (await trial.get<ListOf<unknown>>(path)).body.data]).toEqual([path, []]);
    const after = (await trial.get<Clock>("/v1/test/clock")).body;
    expect(after).toMatchObject({ ahead_seconds: 0, publishable_key: twin.publishable_key });
  });
});
