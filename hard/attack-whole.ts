import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { costLine, drained } from "./attack-cost.ts";
import {
  beyond,
  type FixedCost,
  fixedCost,
  idleRate,
  priced,
  processorNsBeyond,
  type Spent,
  storedBeyond,
} from "./attack-fixed.ts";
import { type NeighbourReport, Neighbours, neighbourFaults } from "./attack-neighbours.ts";
import { askEverything } from "./attack-questions.ts";
import { must } from "./attack-script.ts";
import { type Tally, tallyLine } from "./attack-send.ts";
import type { AttackPlan } from "./attack-sender-process.ts";
import type { Ground } from "./attack-world.ts";
import { type HardRun, sized } from "./suite.ts";

/**
 * Everything at once: for ten minutes, twenty connections from one address send the requests of the scripted attacks, while
 * honest clients of other stores, and of the attacked one, send requests at a fixed rate. Afterwards no work may be
 * left.
 */

const connections = 20;
/** ms */
const p99Bound = 150;
const timesAlone = 3;
/** MB of a process's own memory (RssAnon), at any moment; of `serve`'s, 512 are for the columnar copies. */
const memoryBounds = { serve: 1_200, work: 500 };
/** A minute after the end, each process may hold at most this many times its earlier memory, plus 100 MB. */
const backWithin = 1.5;
/** of a byte received, beyond what a request stores in any case */
const storedAtMost = 3;
/** The calendar runs this much faster, so that idle sessions fall due within the run. */
export const clockSpeed = 60;

/** Measures the memory of `serve` and `work` every second; returns each one's maximum. */
function watchMemory({ serve, work }: Ground): { stop(): { serve: number; work: number } } {
  const most = { serve: 0, work: 0 };
  const timer = setInterval(async () => {
    most.serve = Math.max(most.serve, await serve.memory());
    most.work = Math.max(most.work, await work.memory());
  }, 1_000);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}

const memoryOf = async ({ serve, work }: Ground) => ({ serve: await serve.memory(), work: await work.memory() });

/** After the attack: due work is done, memory is released, and questions are answered. */
async function aftermath(ground: Ground, run: HardRun, before: { serve: number; work: number }): Promise<string[]> {
  const left = await drained(ground, 1_800 / clockSpeed + 120);
  const { sessions, events, deliveries, exports } = left;
  run.say(
    `| Left after ${left.seconds.toFixed(0)} s: due sessions, outbox, deliveries, exports | none | ${sessions}, ${events}, ${deliveries}, ${exports} |`,
  );
  const asked = await askEverything(ground, ["short", "full", "numbers", "branching"]);
  run.say(
    `| Questions of the attacked store that answer 200 | all | ${asked.asked - asked.faults.length} of ${asked.asked}, slowest ${asked.slowestMs.toFixed(0)} ms |`,
  );
  await pause(sized(run, 60_000, 5_000));
  const after = await memoryOf(ground);
  run.say(
    `| Memory a while after | ${backWithin} times that before and 100 MB | serve ${before.serve}, then ${after.serve} MB; work ${before.work}, then ${after.work} MB |`,
  );
  const grown = (["serve", "work"] as const).filter((name) => after[name] > backWithin * before[name] + 100);
  return [
    ...must(sessions + events + deliveries + exports === 0, `left behind: ${JSON.stringify(left)}`),
    ...asked.faults.slice(0, 8),
    ...must(asked.faults.length <= 8, `${asked.faults.length} questions are not answered`),
    ...grown.map((name) => `${name} held ${before[name]} MB before and ${after[name]} after`),
  ];
}

interface Run {
  alone: NeighbourReport;
  during: NeighbourReport;
  /** maximum, in MB */
  memory: { serve: number; work: number };
  before: { serve: number; work: number };
  fixed: FixedCost;
  spent: Spent;
  seconds: number;
}

/** Runs the attack in a separate process. */
async function attacked(plan: AttackPlan): Promise<Tally> {
  const child = fork(join(import.meta.dirname, "attack-sender-process.ts"), { serialization: "advanced" });
  try {
    const ended = once(child, "exit").then(() => Promise.reject(new Error("the attacker's process ended")));
    ended.catch(() => undefined);
    child.send(plan);
    const [tally] = (await Promise.race([once(child, "message"), ended])) as [Tally];
    return tally;
  } finally {
    if (child.connected) child.disconnect();
  }
}

/** Measures the neighbours alone, then together with twenty attacking connections. */
async function attackAll(ground: Ground, run: HardRun, honest: Neighbours): Promise<Run> {
  const calmMs = sized(run, 60_000, 8_000);
  const seconds = sized(run, 600, 20);
  await pause(3_000);
  await honest.report();
  const idle = await idleRate(ground, calmMs);
  const alone = await honest.report();
  const before = await memoryOf(ground);
  const fixed = await fixedCost(ground, idle, calmMs / 4);
  await honest.report();
  const watch = watchMemory(ground);
  const plan = { url: ground.url, victim: ground.victim, seed: `${run.seed}/whole`, connections };
  const spent = await priced(ground, idle, () => attacked({ ...plan, from: "127.0.0.1", ms: seconds * 1_000 }));
  const during = await honest.report();
  honest.pause();
  return { alone, during, memory: watch.stop(), before, fixed, spent, seconds };
}

/** Prints the results as lines of a table. */
function printRun(run: HardRun, { alone, during, memory, fixed, spent, seconds }: Run): void {
  run.say(`| ${connections} connections for ${seconds} s | Bound | Measured |`);
  run.say("|---|---|---|");
  run.say(`| Sent | | ${tallyLine(spent.tally)} |`);
  for (const [name, kind] of Object.entries(during.kinds)) {
    const wrong = Object.entries(kind.wrong).map(([status, times]) => `, ${times} x ${status}`);
    const times = `${kind.p99.toFixed(0)} ms, alone ${alone.kinds[name]?.p99.toFixed(0)}; slowest ${kind.slowest.toFixed(0)}`;
    run.say(`| p99 of ${name} | ${p99Bound} ms, ${timesAlone} times alone | ${times}${wrong.join("")} |`);
  }
  const most = `serve ${memoryBounds.serve}, work ${memoryBounds.work} MB`;
  run.say(`| Memory at most | ${most} | serve ${memory.serve}, work ${memory.work} MB |`);
  const [processorNs, storedBytes] = [processorNsBeyond(beyond(spent), fixed), storedBeyond(beyond(spent), fixed)];
  run.say(
    `| Processor time of a byte received, beyond ${fixed.processorMs.toFixed(2)} ms a request that is taken and ${fixed.refusedMs.toFixed(2)} a refused one | | ${processorNs.toFixed(0)} ns |`,
  );
  run.say(
    `| Stored of a byte received, beyond ${fixed.storedBytes.toFixed(0)} bytes a request that is taken | ${storedAtMost} bytes | ${storedBytes.toFixed(2)} bytes |`,
  );
  run.say(`| In all | | ${costLine(spent.cost)} |`);
  for (const [label, { requests, ms, slowestMs }] of spent.tally.kinds) {
    run.say(
      `  ${label}: ${requests} requests, ${(ms / requests).toFixed(0)} ms each, slowest ${slowestMs.toFixed(0)} ms`,
    );
  }
}

/** A short run on a small, busy machine only distinguishes hangs from waits; the full run also limits the waits. */
const p99Within = ({ scale }: HardRun, calm: number): number =>
  scale < 1 ? Math.max(3_000, 10 * calm) : Math.min(p99Bound, timesAlone * calm);

export async function whole(ground: Ground, run: HardRun): Promise<string[]> {
  const honest = new Neighbours(ground);
  try {
    const ran = await attackAll(ground, run, honest);
    printRun(run, ran);
    const { alone, during, memory, before, fixed, spent } = ran;
    // includes the neighbours' events, which count as the attacker's
    const storedBytes = storedBeyond(beyond(spent), fixed);
    const odd = [...spent.tally.statuses].filter(([status]) => status >= 500);
    const faults = [
      ...neighbourFaults(alone, during, (calm) => p99Within(run, calm)),
      ...odd.map(([status, times]) => `${times} requests of the attacker were answered ${status}`),
      ...must(memory.serve <= memoryBounds.serve, `serve held ${memory.serve} MB`),
      ...must(memory.work <= memoryBounds.work, `work held ${memory.work} MB`),
      ...must(storedBytes <= storedAtMost, `${storedBytes.toFixed(2)} bytes stored for a byte`),
      ...(await aftermath(ground, run, before)),
    ];
    return faults.map((fault) => `whole: ${fault}`);
  } finally {
    honest.close();
  }
}
