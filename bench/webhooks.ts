import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, request } from "undici";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import { formatId, uuidAt } from "../server/platform/ids.ts";
import { insertDeliveries } from "../server/webhooks/deliveries.ts";
import { newSecret, sealSecret } from "../server/webhooks/secrets.ts";
import { Deliverer } from "../server/webhooks/send/deliverer.ts";
import { openOwnApi } from "../testkit/own-api.ts";
import { openReceivers } from "../testkit/receipts.ts";
import { seedStores } from "../testkit/seeded/stores.ts";
import { median, percentile, printRow } from "./support.ts";

/**
 * Measures the time from a delivery's commit to its receipt, at 50 and 200 per second to one endpoint; deliveries per
 * second to ten endpoints, compared with a bare undici loop that posts the same bytes; and how a receiver that hangs
 * and one that is down affect the others (at most 1.2 times their p95 without). Receivers run in separate processes.
 *
 *   node bench/webhooks.ts [seconds a phase, 6] [deliveries to each of ten, 1000]
 */

const seconds = Number(process.argv[2] ?? 6);
const each = Number(process.argv[3] ?? 1_000);
const perEndpoint = 32;

const api = await openOwnApi();
const { database, calendar, secrets, log, wakeUp } = api.opened;
const deps = { calendar, random: randomBytes, secrets };
const receivers = await openReceivers();
const { host } = receivers;

interface Endpoint {
  storeId: string;
  id: string;
  url: string;
}

async function makeStores(count: number): Promise<string[]> {
  const limits = { webhook_sends_per_second: 10_000 };
  const plan = { sessions: 0, quizzes: 0, plan: "enterprise" as const, limits };
  const stores = await seedStores(
    api,
    Array.from({ length: count }, () => plan),
  );
  return stores.map(({ id }) => id);
}

async function makeEndpoint(storeId: string, url: string): Promise<Endpoint> {
  const endpoint = { storeId, id: uuidAt(calendar.now(), randomBytes), url };
  const sealed = sealSecret(secrets, storeId, endpoint.id, newSecret(randomBytes));
  await database
    .reader()
    .forStore(storeId)
    .all(sql`INSERT INTO webhook_endpoints (store_id, id, url, topics, include_pii, status, secret, created_at, updated_at)
          VALUES (${ownStore}, ${endpoint.id}, ${url}, '{quiz.finished}', false, 'enabled', ${sealed}, ${new Date(calendar.now())}, ${new Date(calendar.now())})`);
  return endpoint;
}

const payload = JSON.stringify({ type: "quiz.finished", data: { object: { answers: "x".repeat(1_500) } } });

/** Commits deliveries; returns their `webhook-id`s. */
async function commit(endpoint: Endpoint, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, () => ({
    id: uuidAt(calendar.now(), randomBytes),
    endpointId: endpoint.id,
    eventId: uuidAt(calendar.now(), randomBytes),
    topic: "quiz.finished",
    payload,
    sessionId: null,
    profileId: null,
  }));
  await database.transaction(async (tx) => {
    await insertDeliveries(tx.forStore(endpoint.storeId), rows, new Date(calendar.now()));
    tx.afterCommit(() => wakeUp.signal("deliveries"));
  });
  return rows.map((row) => formatId("evt", row.eventId));
}

interface Running {
  stop(): Promise<void>;
}

function startDeliverer(): Running {
  const deliverer = new Deliverer({
    database,
    ...deps,
    elapsed: () => performance.now(),
    unixNow: () => Date.now(),
    log,
    allowHosts: [host, "127.0.0.1:1"],
  });
  const forget = wakeUp.on("deliveries", () => void deliverer.sweep());
  const timer = setInterval(() => void deliverer.sweep(), 1_000);
  void deliverer.sweep();
  const stop = async () => {
    forget();
    clearInterval(timer);
    await deliverer.stop(100);
  };
  return { stop };
}

/**
 * Commits this many deliveries per second to each endpoint, evenly; returns ms from commit to receipt, for those of
 * `good`.
 */
async function latencies(good: readonly Endpoint[], bad: readonly Endpoint[], perSecond: number): Promise<number[]> {
  const committed = new Map<string, number>();
  const commits: Promise<void>[] = [];
  const started = performance.now();
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const wait = started + (n * 1_000) / perSecond - performance.now();
    if (wait > 1) await pause(wait);
    for (const endpoint of [...good, ...bad]) {
      commits.push(
        commit(endpoint, 1).then(([id]) => {
          if (good.includes(endpoint)) committed.set(id ?? "", Date.now());
        }),
      );
    }
  }
  await Promise.all(commits);
  await pause(1_000);
  await receivers.collect();
  const receipts = good.flatMap(({ url }) => receivers.at(new URL(url).pathname));
  const found = receipts.flatMap(({ id, latest }) => {
    const since = committed.get(id);
    return since === undefined ? [] : [latest - since];
  });
  if (found.length !== committed.size)
    log.error(`${committed.size - found.length} deliveries were not received in time`);
  return found;
}

async function measureLatency(perSecond: number): Promise<void> {
  const [store = ""] = await makeStores(1);
  const endpoint = await makeEndpoint(store, `http://${host}/one-${perSecond}`);
  const running = startDeliverer();
  const found = await latencies([endpoint], [], perSecond);
  printRow(
    `${perSecond}/s to one endpoint`,
    `p50 ${percentile(found, 0.5).toFixed(0)} ms`,
    `p95 ${percentile(found, 0.95).toFixed(0)} ms`,
  );
  await running.stop();
}

async function untilReceived(count: number): Promise<void> {
  while ((await receivers.collect()) < count) await pause(20);
}

async function bareLoop(count: number): Promise<number> {
  const agent = new Agent({ connections: null });
  const headers = {
    "content-type": "application/json",
    "webhook-id": "evt_bench",
    "webhook-signature": "x".repeat(48),
  };
  let left = count * 10;
  const started = performance.now();
  const loop = async (url: string) => {
    while (left > 0) {
      left -= 1;
      const answer = await request(url, { method: "POST", body: payload, headers, dispatcher: agent });
      await answer.body.dump();
    }
  };
  const loops = Array.from({ length: perEndpoint * 10 }, (_, n) => loop(`http://${host}/bare-${n % 10}`));
  await Promise.all(loops);
  const took = performance.now() - started;
  await agent.destroy();
  await receivers.collect();
  return (count * 10_000) / took;
}

async function measureThroughput(): Promise<void> {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const stores = await makeStores(2);
    const made = Array.from({ length: 10 }, (_, n) =>
      makeEndpoint(stores[n % 2] ?? "", `http://${host}/ten-${turn}-${n}`),
    );
    const endpoints = await Promise.all(made);
    for (const endpoint of endpoints)
      for (let n = 0; n < each; n += 500) await commit(endpoint, Math.min(500, each - n));
    await database.reader().all(sql`VACUUM ANALYZE webhook_deliveries`);
    const before = await receivers.collect();
    const started = performance.now();
    const running = startDeliverer();
    await untilReceived(before + each * 10);
    ours.push((each * 10_000) / (performance.now() - started));
    await running.stop();
    bare.push(await bareLoop(each));
  }
  const [own, loop] = [median(ours), median(bare)];
  printRow(
    "to ten endpoints, a second",
    Math.round(own),
    `bare ${Math.round(loop)}`,
    `${(own / loop).toFixed(2)} of it`,
  );
}

async function measureOthers(): Promise<void> {
  const without: number[] = [];
  const beside: number[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    for (const bad of [false, true]) {
      const stores = await makeStores(4);
      const good = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          makeEndpoint(stores[n % 4] ?? "", `http://${host}/good-${turn}-${bad}-${n}`),
        ),
      );
      const [hanging, down] = await Promise.all([
        makeEndpoint(stores[0] ?? "", `http://${host}/hang-${turn}`),
        makeEndpoint(stores[1] ?? "", "http://127.0.0.1:1/"),
      ]);
      const running = startDeliverer();
      const found = await latencies(good, bad && hanging && down ? [hanging, down] : [], 15);
      (bad ? beside : without).push(percentile(found, 0.95));
      await running.stop();
    }
  }
  const [alone, together] = [median(without), median(beside)];
  printRow(
    "eight endpoints, 15/s each, p95",
    `${alone.toFixed(0)} ms`,
    `${together.toFixed(0)} ms`,
    `${(together / alone).toFixed(2)} times`,
  );
}

printRow("", "", "", "");
await measureLatency(50);
await measureLatency(200);
await measureThroughput();
await measureOthers();
receivers.close();
await api.close();
