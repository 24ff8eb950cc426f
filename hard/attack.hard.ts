import { setTimeout as pause } from "node:timers/promises";
import { bodyAttacks } from "./attack-bodies.ts";
import { costBetween, costLine, readCost } from "./attack-cost.ts";
import { figureAttacks } from "./attack-figures.ts";
import { type NeighbourReport, Neighbours, neighbourFaults, neighbourLine } from "./attack-neighbours.ts";
import { passwordAttacks } from "./attack-passwords.ts";
import { peopleAttacks } from "./attack-people.ts";
import { askEverything } from "./attack-questions.ts";
import { type Attack, type Finding, must } from "./attack-script.ts";
import { nextAddress, Sender } from "./attack-send.ts";
import { sessionAttacks } from "./attack-sessions.ts";
import { clockSpeed, whole } from "./attack-whole.ts";
import { type Ground, openWorld, type World } from "./attack-world.ts";
import type { HardRun, HardSuite } from "./suite.ts";

/**
 * An attacker without a key, against the real program: scripted attacks, each separately, alongside honest clients. The
 * same can be sent to another checkout: `node hard/run.ts attack --only finish --program DIR`.
 */

export const suite: HardSuite = {
  name: "attack",
  what: "senders without a key: whatever they send, neighbours are served, questions answered, nothing is left",
  short: 0.05,
  inParts: true,
  run: runAttacks,
};

const attacks: readonly Attack[] = [
  ...sessionAttacks,
  ...figureAttacks,
  ...bodyAttacks,
  ...peopleAttacks,
  ...passwordAttacks,
];

/**
 * The neighbours' limit during a single attack: a few seconds say little about a 99th percentile, so it only detects
 * stalls.
 */
const beside = (alone: number): number => 500 + 10 * alone;

const calmOf = ({ kinds }: NeighbourReport): number => kinds["others' reads"]?.p99 ?? 0;

interface Row {
  name: string;
  what: string;
  measured: string;
  neighbours: string;
  questions: string;
  failed: number;
}

/** Ends an attack that exceeds its time: the program is killed, so that the next one can begin. */
async function bounded(attack: Attack, ground: Ground, work: () => Promise<Finding>): Promise<Finding> {
  const over = new AbortController();
  const late = pause(attack.seconds * 1_000, null, { signal: over.signal }).catch(() => null);
  const working = work().catch((error) => ({ measured: "", faults: [`it threw ${String(error)}`] }));
  const found = await Promise.race([working, late]);
  over.abort();
  if (found !== null) return found;
  await Promise.all([ground.serve.kill(), ground.work.kill()]);
  return { measured: "no end", faults: [`not over after ${attack.seconds} s`] };
}

interface Watched {
  finding: Finding;
  neighbours: string;
  questions: string;
}

async function attackGround(attack: Attack, ground: Ground, run: HardRun): Promise<Watched> {
  const honest = new Neighbours(ground);
  const sender = new Sender(ground.url, { connections: 16 });
  try {
    await pause(2_000);
    await honest.report();
    await pause(run.scale >= 0.5 ? 6_000 : 3_000);
    const alone = await honest.report();
    const before = await readCost(ground);
    const from = performance.now();
    const finding = await bounded(attack, ground, () =>
      attack.run({ ground, sender, scale: run.scale, calmMs: calmOf(alone) }),
    );
    const seconds = (performance.now() - from) / 1_000;
    const during: NeighbourReport = await honest.report();
    const cost = ground.serve.ended() ? "" : costLine(costBetween(before, await readCost(ground)));
    const [serve, work] = await Promise.all([ground.serve.memory(), ground.work.memory()]);
    run.say(`  ${finding.measured}`);
    run.say(`  in ${seconds.toFixed(1)} s: ${cost}; memory serve ${serve}, work ${work} MB`);
    run.say(`  alone: ${neighbourLine(alone)}`);
    run.say(`  beside: ${neighbourLine(during)}`);
    const faults = [...finding.faults, ...neighbourFaults(alone, during, beside)];
    const slowest = Math.max(...Object.values(during.kinds).map((kind) => kind.slowest));
    const wrong = Object.values(during.kinds).flatMap((kind) => Object.entries(kind.wrong));
    const odd = wrong.map(([status, times]) => `, ${times} x ${status}`).join("");
    const neighbours = `slowest ${slowest.toFixed(0)} ms${odd}`;
    if (ground.serve.ended()) return { finding: { ...finding, faults }, neighbours, questions: "nobody answers" };
    honest.pause();
    const asked = await askEverything(ground);
    const answered = asked.asked - asked.faults.length;
    const questions = `${answered} of ${asked.asked}, slowest ${asked.slowestMs.toFixed(0)} ms`;
    run.say(`  questions answered: ${questions} (${asked.slowest})`);
    faults.push(
      ...asked.faults.slice(0, 8),
      ...must(asked.faults.length <= 8, `${asked.faults.length} questions in all`),
    );
    return { finding: { ...finding, faults }, neighbours, questions };
  } finally {
    honest.close();
    await sender.close();
  }
}

/** Log lines of level error: an attacker's requests are not failures of the program. */
function logFaults({ serve, work }: Ground): string[] {
  const lines = `${serve.log()}\n${work.log()}`.split("\n");
  const bad = lines.filter((line) => /"level":"(error|fatal)"/.test(line));
  const first = bad[0] === undefined ? "" : `, such as ${bad[0].slice(0, 500)}`;
  return must(bad.length === 0, `the log has ${bad.length} errors${first}`);
}

async function runAttack(world: World, attack: Attack, run: HardRun): Promise<{ row: Row; faults: string[] }> {
  run.say(`${attack.name}: ${attack.what}`);
  const speed = attack.clockSpeed ?? 1;
  const ground = await world.open(speed === 1 ? {} : { CLOCK_SPEED: String(speed) });
  const faults: string[] = [];
  let watched: Watched;
  try {
    watched = await attackGround(attack, ground, run);
    faults.push(...watched.finding.faults, ...logFaults(ground));
  } finally {
    faults.push(...(await ground.close()));
  }
  const { finding, neighbours, questions } = watched;
  const { name, what } = attack;
  const row = { name, what, measured: finding.measured, neighbours, questions, failed: faults.length };
  for (const fault of faults) run.say(`  - ${fault}`);
  return { row, faults: faults.map((fault) => `${attack.name}: ${fault}`) };
}

function printTable(rows: readonly Row[], run: HardRun): void {
  run.say("| Attack | Measured | Neighbours | Questions answered afterwards | |");
  run.say("|---|---|---|---|---|");
  for (const { what, measured, neighbours, questions, failed } of rows) {
    run.say(
      `| ${what} | ${measured} | ${neighbours} | ${questions} | ${failed === 0 ? "holds" : `${failed} faults`} |`,
    );
  }
}

/** Runs all parts: the attacks, each with a new program, and everything at once. */
async function runAttacks(run: HardRun): Promise<readonly string[]> {
  const names = [...attacks.map(({ name }) => name), "whole"];
  const unknown = run.only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`no attack ${unknown.join(", ")}; there are ${names.join(", ")}`);
  const asked = (name: string) => run.only.length === 0 || run.only.includes(name);
  const world = await openWorld(run.program);
  const failures: string[] = [];
  try {
    failures.push(
      ...(await runScripted(
        world,
        attacks.filter(({ name }) => asked(name)),
        run,
      )),
    );
    if (asked("whole")) failures.push(...(await onGround(world, "whole", (ground) => whole(ground, run))));
  } finally {
    await world.close();
  }
  return failures;
}

async function runScripted(world: World, chosen: readonly Attack[], run: HardRun): Promise<string[]> {
  // starting the program and asking all questions once takes a short run's minute; failures are rerun separately
  if (run.scale < 0.5 && run.only.length === 0) {
    return onGround(world, "attacks", (ground) => allOnOne(ground, chosen, run));
  }
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const attack of chosen) {
    const { row, faults } = await runAttack(world, attack, run);
    rows.push(row);
    failures.push(...faults);
  }
  if (rows.length > 0) printTable(rows, run);
  return failures;
}

/** All attacks on one program, each from its own address. */
async function allOnOne(ground: Ground, chosen: readonly Attack[], run: HardRun): Promise<string[]> {
  const failures: string[] = [];
  const honest = new Neighbours(ground, 15);
  try {
    await pause(2_000);
    const alone = await honest.report();
    for (const attack of chosen) {
      const sender = new Sender(ground.url, { connections: 16, from: nextAddress() });
      const from = performance.now();
      const finding = await bounded(attack, ground, () =>
        attack.run({ ground, sender, scale: run.scale, calmMs: calmOf(alone) }),
      );
      await sender.close();
      const during = await honest.report();
      const faults = [...finding.faults, ...neighbourFaults(alone, during, beside)];
      run.say(`${attack.name}, ${((performance.now() - from) / 1_000).toFixed(1)} s: ${finding.measured}`);
      failures.push(...faults.map((fault) => `${attack.name}: ${fault}`));
      if (ground.serve.ended()) return failures;
    }
    const asked = await askEverything(ground);
    run.say(`questions answered: ${asked.asked - asked.faults.length} of ${asked.asked}`);
    return [...failures, ...asked.faults.slice(0, 8)];
  } finally {
    honest.close();
  }
}

/** Starts a program for one part. */
async function onGround(
  world: World,
  name: string,
  part: (ground: Ground) => Promise<string[]>,
  speed = clockSpeed,
): Promise<string[]> {
  const ground = await world.open(speed === 1 ? {} : { CLOCK_SPEED: String(speed) });
  const faults: string[] = [];
  try {
    faults.push(...(await part(ground)));
    faults.push(...logFaults(ground).map((fault) => `${name}: ${fault}`));
  } finally {
    faults.push(...(await ground.close()).map((fault) => `${name}: ${fault}`));
  }
  return faults;
}
