import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { cleanUp, freshFolder } from "../journeys/program.ts";
import { subscribe } from "../journeys/receiver.ts";
import { openReceivers, type Receivers, repeatsOf } from "../testkit/receipts.ts";
import { KillClients } from "./kill-clients.ts";
import {
  drained,
  type Reconciling,
  reconcileExports,
  reconcileFigures,
  reconcileSessions,
  reconcileWrites,
  repeatNewest,
} from "./kill-reconcile.ts";
import { openTargets, type Target, type Targets } from "./kill-targets.ts";
import { clientOf, openHardShop, openOperator } from "./shops.ts";
import { type HardRun, type HardSuite, sized } from "./suite.ts";

/**
 * kill -9 of APIs, workers and PostgreSQL while clients write, with a ledger of their answers. The processes of two
 * machines share one embedded database; every fifth kill comes before the program has recovered from the previous one.
 */

/**
 * Recovery time, to which this multiple of the processes' initial start time is added: a busy machine starts them
 * slowly.
 */
const backWithinMs = 10_000;
const slowerStarts = 3;
const drainSeconds = 120;
const each = 100;

/** API, worker and PostgreSQL equally often; `start` is an API, a worker and PostgreSQL's parent in one. */
function planKills(run: HardRun): Target[] {
  const count = sized(run, each);
  const planned = Array.from({ length: count }, (_, n): Target[] => [
    n % 2 === 0 ? "start" : "serve",
    "work",
    n % 2 === 0 ? "postmaster" : "backend",
  ]).flat();
  for (let last = planned.length - 1; last > 0; last -= 1) {
    const other = Math.floor(run.random() * (last + 1));
    const [a, b] = [planned[last], planned[other]];
    if (a && b) [planned[last], planned[other]] = [b, a];
  }
  return planned;
}

/** Milliseconds from each kill to the next acknowledged write of both APIs. */
type Times = Map<Target, number[]>;

const limitMs = ({ startMs }: Targets): number => backWithinMs + slowerStarts * startMs;

async function untilBack(targets: Targets, clients: KillClients): Promise<number | null> {
  const began = performance.now();
  while (performance.now() - began < 3 * limitMs(targets)) {
    if (targets.allReady()) {
      const answered = await Promise.all(targets.urls.map((url) => clients.shop(url)));
      if (answered.every(Boolean)) return performance.now() - began;
    }
    await pause(20);
  }
  return null;
}

async function killAll(run: HardRun, targets: Targets, reconciling: Reconciling, took: Times): Promise<string[]> {
  const failures: string[] = [];
  const { clients } = reconciling;
  const plan = planKills(run);
  for (const [step, target] of plan.entries()) {
    if (step > 0 && step % 50 === 0) run.say(`${step} kills of ${plan.length}, ${failures.length} failures`);
    await pause(run.random() * 700);
    await targets.kill(target, run.random);
    // the next kill comes before the recovery from this one
    if (run.random() < 0.2 && step < plan.length - 1) continue;
    const back = await untilBack(targets, clients);
    took.set(target, [...(took.get(target) ?? []), back ?? Number.POSITIVE_INFINITY]);
    if (back === null || back > limitMs(targets)) failures.push(`kill ${step} of ${target}: not back after ${back} ms`);
    if (back === null) break;
    for (const failure of await repeatNewest(reconciling, 3)) failures.push(`kill ${step} of ${target}: ${failure}`);
  }
  return failures;
}

function sayTimes(run: HardRun, targets: Targets, { ledger }: KillClients, took: Times): void {
  run.say(
    `the first start took ${Math.round(targets.startMs)} ms; back within ${Math.round(limitMs(targets))} ms is good`,
  );
  for (const [target, all] of took) {
    const sorted = all.toSorted((a, b) => a - b);
    const [median, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    run.say(`${target}: back after ${Math.round(median ?? 0)} ms, at most ${Math.round(most ?? 0)} ms (${all.length})`);
  }
  const statuses = [...ledger.statuses].map(([status, count]) => `${count} of ${status}`).join(", ");
  run.say(`answers: ${statuses}; ${targets.failedStarts} starts while the database was away`);
}

/** Events of existing sessions were received, whatever was killed. */
async function reconcileReceived({ say }: Reconciling, receivers: Receivers, there: string[]): Promise<string[]> {
  await receivers.collect();
  const { distinct, duplicates, changed } = repeatsOf(receivers.at("/kills"));
  say(`${distinct} events of quiz.started received for ${there.length} sessions, ${duplicates} of them twice`);
  const failures = changed.map((id) => `${id} came with different bodies`);
  return distinct === there.length ? failures : [...failures, `${distinct} events for ${there.length} sessions`];
}

async function run(hard: HardRun): Promise<readonly string[]> {
  const data = await freshFolder();
  hard.atEnd(() => cleanUp(data));
  const receivers = await openReceivers();
  hard.atEnd(() => receivers.close());
  const targets = await openTargets(data, { WEBHOOK_ALLOW_HOSTS: receivers.host });
  hard.atEnd(() => targets.stop());
  const opened = await openOperator({ ...targets.settings, DATA_DIR: join(data, "operator") });
  hard.atEnd(() => opened.close());
  const shop = await openHardShop(opened, {
    limits: { analytics_soft_ttl_seconds: 1, webhook_sends_per_second: 1_000 },
  });
  const second = await openHardShop(opened, { limits: { webhook_endpoints: 1_000 } });
  const [url] = targets.urls;
  await subscribe(clientOf(shop, url), `http://${receivers.host}/kills`, ["quiz.started"]);
  const clients = new KillClients({ shop, second, urls: targets.urls, random: hard.random });
  hard.atEnd(() => clients.stop());
  const reconciling: Reconciling = { opened, shop, second, url, clients, say: hard.say };
  const took: Times = new Map();
  const killed = await killAll(hard, targets, reconciling, took);
  await clients.stop();
  sayTimes(hard, targets, clients, took);
  const undrained = await drained(reconciling, drainSeconds);
  const { there, failures } = await reconcileSessions(reconciling);
  return [
    ...killed,
    ...targets.died.map((log) => `a process ended by itself: ${log}`),
    ...clients.ledger.odd.slice(0, 5).map((odd) => `answered ${odd}`),
    ...undrained,
    ...failures,
    ...(await reconcileReceived(reconciling, receivers, there)),
    ...(await reconcileFigures(reconciling, there.length)),
    ...(await reconcileWrites(reconciling)),
    ...(await reconcileExports(reconciling)),
  ];
}

export const suite: HardSuite = {
  name: "kills",
  what: "what was acknowledged is there once after kill -9 of APIs, workers and PostgreSQL, and nothing is half there",
  short: 0.01,
  run,
};
