import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { watchArrivals } from "../../../testkit/arrivals.ts";
import { openProxiedDatabase } from "../../../testkit/proxied-database.ts";
import { answers, openReceiver, type Receiver } from "../../../testkit/receiver.ts";
import {
  eventually,
  going,
  openSending,
  type Sending,
  type SentEndpoint,
  sendingSecretKey,
} from "../../../testkit/sending.ts";
import { patience } from "../../../testkit/slowness.ts";
import { ownStore, raw, sql } from "../../platform/database/sql.ts";

/** Several processes, lost leases, lost databases: nothing is lost, nobody is sent too much. */

let t: Sending;
let receiver: Receiver;
let closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  t = await openSending();
});
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
  await receiver.close();
});
afterAll(() => t.close());

function deliver(options: Partial<Parameters<Sending["deliverer"]>[0]> = {}) {
  const running = t.deliverer({ allowHosts: [receiver.host], ...options });
  closing.push(() => running.stop(0));
  return running;
}

const endpointOf = async (perSecond: number, url = receiver.url()): Promise<SentEndpoint> =>
  t.endpoint(await t.store({ limits: { webhook_sends_per_second: perSecond } }), url);

const allDelivered = async (endpoint: SentEndpoint) =>
  (await t.deliveries(endpoint)).every(({ status }) => status === "delivered");

const idsOf = ({ received }: Receiver) => received.map(({ headers }) => headers["webhook-id"]);

async function startProcess(hosts: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL("../../../testkit/deliverer-process.ts", import.meta.url));
  const words = [JSON.stringify(t.connection), sendingSecretKey, String(t.calendar.now()), hosts];
  const child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

describe("a holder that is killed [webhooks.lease]", () => {
  it("loses nothing: its lease runs out, and what was between sending and recording is sent again", async () => {
    const endpoint = await endpointOf(1_000);
    receiver.answer(answers.after(60));
    await t.add(endpoint, 200);
    for (let round = 0; round < 3; round += 1) {
      const before = receiver.received.length;
      const child = await startProcess(receiver.host);
      await receiver.until(before + 30);
      await kill(child);
      // to the end of its lease
      t.calendar.advance(30_000);
    }
    const interrupted = await t.deliveries(endpoint);
    expect(interrupted.filter(({ status }) => status === "delivering").length).toBeGreaterThan(0);
    const before = receiver.received.length;
    const looked = performance.now();
    deliver();
    await receiver.until(before + 1);
    expect(performance.now() - looked).toBeGreaterThan(1_000);
    await eventually(() => allDelivered(endpoint));
    const ids = idsOf(receiver);
    const known = (await t.deliveries(endpoint)).map(({ event_id }) => `evt_${event_id.replaceAll("-", "")}`);
    expect(new Set(ids)).toEqual(new Set(known));
    // the claims in hand, three times, and no more
    expect(ids.length - 200).toBeLessThan(3 * 64);
    const again = (await t.deliveries(endpoint)).filter(({ attempts }) => attempts > 1);
    expect(again.length).toBeGreaterThan(0);
  }, 30_000);

  it("never has the next one exceed the rate, nor does one that stops [webhooks.pace]", async () => {
    const endpoint = await endpointOf(20);
    const arrivals = watchArrivals();
    closing.push(async () => arrivals.stop());
    receiver.answer((_, response) => {
      arrivals.note();
      response.writeHead(204).end();
    });
    await t.add(endpoint, 120);
    const child = await startProcess(receiver.host);
    await receiver.until(25);
    await kill(child);
    t.calendar.advance(20_000);
    const calendar = going(t.calendar);
    const second = deliver({ calendar });
    await receiver.until(55);
    await second.stop();
    const third = deliver({ calendar });
    await receiver.until(80);
    await third.stop();
    expect(arrivals.mostInASecond()).toBeLessThanOrEqual(20);
  }, 30_000);
});

describe("several deliverers at once [webhooks.lease]", () => {
  it("send each delivery once, each endpoint by one of them", async () => {
    const endpoints = await Promise.all(Array.from({ length: 8 }, (_, n) => endpointOf(1_000, receiver.url(`/${n}`))));
    const running = [deliver(), deliver(), deliver()];
    for (let round = 0; round < 5; round += 1) for (const endpoint of endpoints) await t.add(endpoint, 8);
    await receiver.until(320);
    for (const endpoint of endpoints) await eventually(() => allDelivered(endpoint));
    expect(new Set(idsOf(receiver)).size).toBe(320);
    expect(receiver.received).toHaveLength(320);
    for (const one of running) await one.stop();
    for (const endpoint of endpoints) expect((await t.state(endpoint)).lease_id).toBeNull();
  });

  it("record what came late only where nobody has taken the delivery since [webhooks.lease]", async () => {
    const endpoint = await endpointOf(50);
    const { answer, release } = answers.held();
    receiver.answer(answer);
    deliver();
    const [kept, retried, redelivered] = await t.add(endpoint, 3);
    await receiver.until(3);
    const db = t.database.reader().forStore(endpoint.storeId);
    const change = (id: string | undefined, columns: string) =>
      db.all(sql`
        UPDATE webhook_deliveries SET ${raw(columns)}, next_attempt_at = ${new Date(t.calendar.now() + 60_000)}
        WHERE store_id = ${ownStore} AND id = ${id}`);
    await db.all(sql`
      UPDATE webhook_endpoints SET lease_id = ${endpoint.id}, lease_until = ${new Date(t.calendar.now() + 10_000)}
      WHERE store_id = ${ownStore} AND id = ${endpoint.id}`);
    await change(retried, "status = 'retrying'");
    await change(redelivered, "status = status");
    release();
    await eventually(async () => (await t.deliveries(endpoint)).some(({ status }) => status === "delivered"));
    await pause(200);
    const states = new Map((await t.deliveries(endpoint)).map(({ id, status }) => [id, status]));
    expect(states.get(kept ?? "")).toBe("delivered");
    expect(states.get(retried ?? "")).toBe("retrying");
    expect(states.get(redelivered ?? "")).toBe("delivering");
    expect(await t.state(endpoint)).toMatchObject({ lease_id: endpoint.id });
  });
});

describe("a deliverer that stops", () => {
  it("waits for what is under way, and gives the rest back as it was [webhooks.stop]", async () => {
    const endpoint = await endpointOf(10);
    receiver.answer(answers.after(400));
    await t.add(endpoint, 30);
    const running = deliver();
    await receiver.until(2);
    await running.stop(5_000 * patience);
    const rows = await t.deliveries(endpoint);
    const sent = receiver.received.length;
    expect(rows.filter(({ status }) => status === "delivered")).toHaveLength(sent);
    const others = rows.filter(({ status }) => status !== "delivered");
    for (const row of others) expect(row).toMatchObject({ status: "pending", attempts: 0, last_error: null });
    expect(await t.state(endpoint)).toMatchObject({ lease_id: null });
    expect((await t.state(endpoint)).next_due_at).not.toBeNull();
  });

  it("interrupts what takes too long, which is then sent again and does not count as the receiver's failure [webhooks.stop]", async () => {
    const endpoint = await endpointOf(10);
    receiver.answer(answers.hang);
    await t.add(endpoint);
    const running = deliver();
    await receiver.until(1);
    await running.stop(100);
    expect((await t.deliveries(endpoint))[0]).toMatchObject({ status: "retrying", last_error: "interrupted" });
    expect((await t.state(endpoint)).failing_since).toBeNull();
    t.calendar.advance(2_000);
    receiver.answer(answers.status(200));
    deliver();
    await eventually(() => allDelivered(endpoint));
    expect(new Set(idsOf(receiver)).size).toBe(1);
  });
});

describe("a database that goes away", () => {
  it("costs no delivery when its connections are cut: all is sent when it is back [webhooks.lease]", async () => {
    const { proxy, database, close } = await openProxiedDatabase(t.connection);
    closing.push(close);
    const endpoint = await endpointOf(200);
    receiver.answer(answers.after(20));
    await t.add(endpoint, 300);
    deliver({ database });
    await receiver.until(60);
    await proxy.cut();
    await pause(700);
    await proxy.restore();
    await eventually(() => allDelivered(endpoint), 20_000);
    expect(new Set(idsOf(receiver)).size).toBe(300);
    // only what was claimed and not recorded when the connection broke can come twice
    expect(receiver.received.length - 300).toBeLessThan(64);
  });

  it("costs no delivery when the network swallows everything: a transaction that hangs is given up", async () => {
    const { proxy, database, close } = await openProxiedDatabase(t.connection);
    closing.push(close);
    const endpoint = await endpointOf(50);
    await t.add(endpoint, 60);
    // ten times as fast, so that a transaction's seven seconds pass in one
    const start = performance.now();
    deliver({ database, elapsed: () => start + (performance.now() - start) * 10 });
    await receiver.until(20);
    const [logged, told] = [t.logged.length, "a webhook endpoint's transaction failed"];
    proxy.swallow(true);
    // what is on its way still arrives
    let sent = 0;
    while (sent !== receiver.received.length) {
      sent = receiver.received.length;
      await pause(50);
      await nextTurn();
    }
    await eventually(() => t.logged.slice(logged).some((line) => line.includes(told)));
    await pause(1_500);
    expect(receiver.received.length - sent).toBeLessThan(5);
    proxy.swallow(false);
    await eventually(() => allDelivered(endpoint), 20_000);
    expect(new Set(idsOf(receiver)).size).toBe(60);
  }, 40_000);
});

describe("receivers that hang or are down [webhooks.fair-turns]", () => {
  it("hold up nobody else, of the same store or another", async () => {
    const limits = { total: 24, perEndpoint: 16, failing: 6 };
    const silent = await openReceiver();
    closing.push(() => silent.close());
    silent.answer(answers.hang);
    const storeId = await t.store({ limits: { webhook_sends_per_second: 1_000 } });
    const hanging = await Promise.all([1, 2, 3].map((n) => t.endpoint(storeId, silent.url(`/${n}`))));
    const down = await t.endpoint(storeId, "http://127.0.0.1:1/");
    for (const endpoint of [...hanging, down]) await t.add(endpoint, 100);
    const allowHosts = [receiver.host, silent.host, "127.0.0.1:1"];
    const attemptMs = 8_000 * patience;
    deliver({ limits, allowHosts, sender: { attemptMs } });
    await silent.until(10);
    const own = await t.endpoint(storeId, receiver.url("/own"));
    const other = await endpointOf(1_000, receiver.url("/other"));
    const before = performance.now();
    for (const endpoint of [own, other]) await t.add(endpoint, 50);
    await receiver.until(100);
    // none of those that hang has ended meanwhile
    expect(performance.now() - before).toBeLessThan(attemptMs / 2);
    expect(silent.open).toBeLessThan(limits.total);
  });

  it("that hang get one request at a time after they have been found out [webhooks.down]", async () => {
    receiver.answer(answers.hang);
    const endpoint = await endpointOf(1_000);
    await t.add(endpoint, 100);
    deliver({ sender: { attemptMs: 300 }, limits: { perEndpoint: 8 } });
    await receiver.until(8);
    await pause(400);
    const found = receiver.received.length;
    await pause(1_000);
    expect(receiver.open).toBeLessThanOrEqual(1);
    expect(receiver.received.length - found).toBeLessThanOrEqual(4);
    await eventually(async () => {
      const inHand = (await t.deliveries(endpoint)).filter(({ status }) => status === "delivering");
      return inHand.length <= 1;
    });
  });
});
