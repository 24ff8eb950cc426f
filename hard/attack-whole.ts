import { setTimeout as pause } from "node:timers/promises";
import { createRandom } from "../server/demo/random.ts";
import { allMs, costBetween, costLine, drained, readCost } from "./attack-cost.ts";
import type { Genome } from "./attack-genes.ts";
import { mixed } from "./attack-mix.ts";
import { Neighbours, neighbourFaults, neighbourLine } from "./attack-neighbours.ts";
import { askEverything } from "./attack-questions.ts";
import { must } from "./attack-script.ts";
import { Sender, tallyLine } from "./attack-send.ts";
import type { Ground } from "./attack-world.ts";
import { type HardRun, sized } from "./suite.ts";

/**
 * Everything at once: twenty connections of one address send scripted and searched requests for ten minutes, while honest
 * clients of other stores, and of the attacked one, ask at a fixed rate. Afterwards nothing may be left.
 */

const connections = 20;
const bounds = { p99: 150, timesAlone: 3 };
/** MB that a process holds itself (RssAnon), at any moment; `serve` has 512 of it for the columnar copies. */
const memoryBounds = { serve: 1_200, work: 500 };
/** A minute after the end each process holds at most this many times what it held before, and 100 MB. */
const backWithin = 1.5;
/** The calendar runs that much faster, so that idle sessions fall due within the run. */
export const clockSpeed = 60;

/** What `serve` and `work` hold, every second; the most of each. */
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

/** Once nobody sends any more: what is due is dealt with, memory is given back, questions are answered. */
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

export async function whole(ground: Ground, run: HardRun, dearest: readonly Genome[]): Promise<string[]> {
  const random = createRandom(`${run.seed}/whole`);
  const honest = new Neighbours(ground);
  const sender = new Sender(ground.url, { connections });
  const seconds = sized(run, 600, 20);
  try {
    await pause(3_000);
    await honest.report();
    const quiet = await readCost(ground);
    const calm = sized(run, 60, 8);
    await pause(calm * 1_000);
    const alone = await honest.report();
    const idle = allMs(costBetween(quiet, await readCost(ground))) / calm;
    const before = await memoryOf(ground);
    const memory = watchMemory(ground);
    const start = await readCost(ground);
    await sender.sendAll(mixed({ ground, random, dearest }), connections, performance.now() + seconds * 1_000);
    const during = await honest.report();
    const most = memory.stop();
    const cost = costBetween(start, await readCost(ground));
    honest.pause();
    const tally = sender.take();
    run.say(`| ${connections} connections for ${seconds} s | Bound | Measured |`);
    run.say("|---|---|---|");
    run.say(`| Sent | | ${tallyLine(tally)} |`);
    for (const [name, kind] of Object.entries(during.kinds)) {
      const wrong = Object.entries(kind.wrong)
        .map(([status, times]) => `, ${times} x ${status}`)
        .join("");
      const calmly = alone.kinds[name]?.p99.toFixed(0);
      run.say(
        `| Neighbours: ${name}, p99 | ${bounds.p99} ms, ${bounds.timesAlone} times alone | ${kind.p99.toFixed(0)} ms, alone ${calmly}; slowest ${kind.slowest.toFixed(0)}${wrong} |`,
      );
    }
    run.say(
      `| Memory at most | serve ${memoryBounds.serve}, work ${memoryBounds.work} MB | serve ${most.serve}, work ${most.work} MB |`,
    );
    const processor = ((allMs(cost) - idle * seconds) * 1e6) / tally.sent;
    const stored = cost.databaseBytes / tally.sent;
    run.say(
      `| Processor time and storage for each byte received, fixed costs and neighbours' storage included | | ${processor.toFixed(0)} ns, ${stored.toFixed(2)} bytes; ${costLine(cost)} |`,
    );
    run.say(`  alone: ${neighbourLine(alone)}`);
    const odd = [...tally.statuses].filter(([status]) => status >= 500);
    const faults = [
      ...neighbourFaults(alone, during, (calm) => Math.min(bounds.p99, bounds.timesAlone * calm)),
      ...odd.map(([status, times]) => `${times} requests of the attacker were answered ${status}`),
      ...must(most.serve <= memoryBounds.serve, `serve held ${most.serve} MB`),
      ...must(most.work <= memoryBounds.work, `work held ${most.work} MB`),
      ...(await aftermath(ground, run, before)),
    ];
    return faults.map((fault) => `whole: ${fault}`);
  } finally {
    honest.close();
    await sender.close();
  }
}
