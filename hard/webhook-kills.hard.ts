import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { subscribe } from "../journeys/receiver.ts";
import { Visit } from "../journeys/visit.ts";
import type { Opened } from "../server/main/foundations.ts";
import { sql } from "../server/platform/database/sql.ts";
import { formatId } from "../server/platform/ids.ts";
import { freePort } from "../testkit/machine.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { databaseUrl, type RealProcess, startProcess } from "../testkit/real-processes.ts";
import { fastestSecond, openReceivers, type Receivers, repeatsOf } from "../testkit/receipts.ts";
import { clientOf, type HardSettings, type HardShop, liveOf, openHardShop, openOperator } from "./shops.ts";
import { type HardRun, type HardSuite, sized } from "./suite.ts";

/**
 * Shoppers at a real `quizstore serve`, a real `quizstore work` that is killed and restarted, and receivers in separate
 * processes. The first run is without kills, to measure the worker's memory.
 */

/** Each session causes one event of each, at once. */
const topics = ["quiz.started", "identity.captured", "profile.created"];
const drainSeconds = 150;
/** Maximum growth of the worker between a tenth of the events and all of them. */
const growsAtMostMb = 64;
/** With plenty of memory, Node collects so rarely that its size says nothing; a leak would exceed this heap. */
const smallHeap = "--max-semi-space-size=4 --max-old-space-size=160";

interface Ground {
  run: HardRun;
  opened: Opened;
  settings: HardSettings;
  receivers: Receivers;
  url: string;
}

interface Target {
  path: string;
  perSecond: number;
}

/** A shop with visits, and the receiver of its events. */
interface Visited {
  shop: HardShop;
  targets: Target[];
  sessions: number;
}

async function openVisited({ opened, receivers, url }: Ground, name: string, perSecond: number): Promise<Visited> {
  const shop = await openHardShop(opened, { limits: { webhook_sends_per_second: perSecond } });
  const targets = ["a", "b"].map((each) => ({ path: `/${name}-${each}`, perSecond }));
  for (const { path } of targets) {
    await subscribe(clientOf(shop, url), `http://${receivers.host}${path}`, topics, { include_pii: true });
  }
  return { shop, targets, sessions: 0 };
}

/** One shopper who answers and leaves an email: three events, if it was answered 202. */
async function visit(visited: Visited, url: string): Promise<void> {
  const one = new Visit(liveOf(visited.shop, url), { from: Date.now(), step: 1 });
  const mail = `${randomBytes(8).toString("hex")}@example.com`;
  const answer = await one.send(one.opened(), one.chose("first", "pick", "one"), one.wrote("contact", "mail", mail));
  if (answer.status !== 202 || answer.body.accepted !== 3) throw new Error(`${answer.status} ${answer.text}`);
  visited.sessions += 1;
}

const startWorker = ({ settings }: Ground, more: HardSettings = {}): RealProcess =>
  startProcess(["work"], { ...settings, ...more });

async function receivedAtLeast({ receivers }: Ground, count: number, seconds: number): Promise<void> {
  const last = performance.now() + seconds * 1_000;
  while ((await receivers.collect()) < count) {
    if (performance.now() > last) return;
    await pause(25);
  }
}

/** Without kills: the worker's memory after a tenth of the events, and after all of them. */
async function watchMemory(ground: Ground): Promise<string[]> {
  const { run, url } = ground;
  const visited = await openVisited(ground, "calm", 2_000);
  const before = await ground.receivers.collect();
  const sessions = Math.ceil(sized(run, 20_000, 300) / topics.length);
  const worker = startWorker(ground, { NODE_OPTIONS: smallHeap });
  try {
    await worker.untilReady();
    const started = performance.now();
    let left = sessions;
    const shopper = async () => {
      while (left > 0) {
        left -= 1;
        await visit(visited, url);
      }
    };
    const shopping = Promise.all(Array.from({ length: 4 }, shopper));
    const each = topics.length * visited.targets.length;
    await receivedAtLeast(ground, before + Math.ceil((sessions * each) / 10), drainSeconds);
    const early = await worker.memory();
    await shopping;
    await receivedAtLeast(ground, before + sessions * each, drainSeconds);
    const late = await worker.memory();
    const events = sessions * topics.length;
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    run.say(
      `without kills: ${events} events to ${visited.targets.length} endpoints in ${seconds} s; the worker held ` +
        `${early} MB after ${Math.ceil(events / 10)} events and ${late} MB after ${events}`,
    );
    const failures = await reconcile(ground, [visited], 0);
    return late - early > growsAtMostMb ? [...failures, `the worker grew from ${early} to ${late} MB`] : failures;
  } finally {
    await worker.stop();
  }
}

/** Milliseconds between kills: some hit the start, some the wait for the previous worker's lease, some the sending. */
const gapMs = (run: HardRun, kills: number): number => 300 + run.random() * (kills < 5 ? 700 : 15_000);

async function killWorkers(ground: Ground): Promise<string[]> {
  const { run, url } = ground;
  const kills = sized(run, 100);
  const sessions = Math.ceil(sized(run, 20_000, 300) / topics.length);
  const all = [await openVisited(ground, "slow", 50), await openVisited(ground, "fast", 200)];
  const gaps = Array.from({ length: kills }, () => gapMs(run, kills));
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  const before = await ground.receivers.collect();
  let worker = startWorker(ground);
  const started = performance.now();
  const shopping = shop();
  let unready = 0;
  try {
    // a single kill should hit the sending
    if (kills < 5) await receivedAtLeast(ground, before + 20, 30);
    for (const gap of gaps) {
      await pause(gap);
      if (!worker.ready()) unready += 1;
      await worker.kill();
      worker = startWorker(ground);
    }
    await shopping;
    const drained = await drain(ground, all);
    const seconds = Math.round((performance.now() - started) / 1_000);
    run.say(`${kills} kills in ${seconds} s, ${unready} of them while the worker was starting`);
    return [...drained, ...(await reconcile(ground, all, kills))];
  } finally {
    await shopping.catch(() => undefined);
    await worker.stop();
  }

  /** Spread over the kills, so that each hits work in progress. */
  async function shop(): Promise<void> {
    for (let n = 0; n < sessions; n += 1) {
      const wait = started + (n * total) / sessions - performance.now();
      if (wait > 1) await pause(wait);
      const visited = all[n % all.length];
      if (visited) await visit(visited, url);
    }
  }
}

interface Open {
  outbox: number;
  deliveries: number;
}

async function stillOpen({ opened }: Ground, { shop }: Visited): Promise<Open> {
  const row = await opened.database
    .reader()
    .first<Open>(sql`SELECT (SELECT count(*) FROM outbox WHERE store_id = ${shop.uuid} AND due_at IS NOT NULL)::int AS outbox,
            (SELECT count(*) FROM webhook_deliveries WHERE store_id = ${shop.uuid} AND status <> 'delivered')::int AS deliveries`);
  return row ?? { outbox: 0, deliveries: 0 };
}

/** Waits until nothing is left to be handed over or sent. */
async function drain(ground: Ground, all: readonly Visited[]): Promise<string[]> {
  const last = performance.now() + drainSeconds * 1_000;
  for (;;) {
    const open = await Promise.all(all.map((each) => stillOpen(ground, each)));
    if (open.every(({ outbox, deliveries }) => outbox + deliveries === 0)) return [];
    if (performance.now() > last) return [`not drained ${drainSeconds} s after the last kill: ${JSON.stringify(open)}`];
    await ground.receivers.collect();
    await pause(250);
  }
}

/** Compares the events caused with those received. */
async function reconcile(ground: Ground, all: readonly Visited[], kills: number): Promise<string[]> {
  const { opened, receivers, run } = ground;
  const failures: string[] = [];
  await receivers.collect();
  const sums = { events: 0, deliveries: 0, lost: 0, duplicates: 0 };
  for (const { shop, targets, sessions } of all) {
    const rows = await opened.database
      .reader()
      .all<{ id: string }>(
        sql`SELECT id FROM outbox WHERE store_id = ${shop.uuid} AND topic = ANY (${topics}::text[])`,
      );
    const caused = new Set(rows.map(({ id }) => formatId("evt", id)));
    sums.events += caused.size;
    if (caused.size !== sessions * topics.length)
      failures.push(`${sessions} sessions were answered 202 and caused ${caused.size} events`);
    for (const { path, perSecond } of targets) {
      const receipts = receivers.at(path);
      const heard = new Set(receipts.map(({ id }) => id));
      const lost = [...caused].filter((id) => !heard.has(id)).length;
      const foreign = [...heard].filter((id) => !caused.has(id)).length;
      const { duplicates, changed } = repeatsOf(receipts);
      const { seen, certain } = fastestSecond(receipts);
      sums.deliveries += caused.size;
      sums.lost += lost;
      sums.duplicates += duplicates;
      run.say(
        `${path}: ${receipts.length} received of ${caused.size} events, ${lost} lost, ${duplicates} twice; ` +
          `at most ${seen} in a second of ${perSecond} allowed (${certain} for certain)`,
      );
      if (lost > 0) failures.push(`${path}: ${lost} events never came`);
      if (foreign > 0) failures.push(`${path}: ${foreign} requests of events that nobody caused`);
      if (changed.length > 0) failures.push(`${path}: ${changed.length} events came with different bodies`);
      if (certain > perSecond) failures.push(`${path}: ${certain} in one second, ${perSecond} are allowed`);
    }
  }
  const share = (100 * sums.duplicates) / Math.max(1, sums.deliveries);
  if (kills > 0)
    run.say(`${sums.events} events, ${sums.lost} lost, ${sums.duplicates} duplicates: ${share.toFixed(2)} %`);
  // a share is meaningless with a few events and a kill among them
  if (kills >= 20 && share >= 1) failures.push(`${share.toFixed(2)} % duplicates; less than 1 % is promised`);
  if (kills === 0 && sums.duplicates > 0) failures.push(`${sums.duplicates} duplicates though nothing was killed`);
  return failures;
}

async function run(hard: HardRun): Promise<readonly string[]> {
  const data = await mkdtemp(join(tmpdir(), "quizstore-hard-"));
  hard.atEnd(() => rm(data, { recursive: true, force: true }));
  const database = await openOwnDatabase();
  hard.atEnd(() => database.close());
  const receivers = await openReceivers();
  hard.atEnd(() => receivers.close());
  const port = await freePort();
  const settings = {
    DATABASE_URL: databaseUrl(database.connection),
    SECRET_KEY: randomBytes(32).toString("hex"),
    DATA_DIR: data,
    PORT: String(port),
    WEBHOOK_ALLOW_HOSTS: receivers.host,
    LOG_LEVEL: "info",
  };
  const opened = await openOperator(settings);
  hard.atEnd(() => opened.close());
  const serve = startProcess(["serve"], settings);
  hard.atEnd(() => serve.stop());
  await serve.untilReady();
  const ground = { run: hard, opened, settings, receivers, url: `http://127.0.0.1:${port}` };
  return [...(await watchMemory(ground)), ...(await killWorkers(ground))];
}

export const suite: HardSuite = {
  name: "webhook-kills",
  what: "events reach their endpoints, at their rate, while the worker is killed and started again and again",
  short: 0.01,
  run,
};
