import { randomInt } from "node:crypto";
import { globSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "../demo/random.ts";
import { thisCheckout } from "../testkit/real-processes.ts";
import type { HardRun, HardSuite } from "./suite.ts";

/**
 * `npm run test:hard -- [names...] [--seed N] [--short] [--scale X]`: runs the hard suites, one after another. The seed
 * is printed, and drawn for each run unless given. `--short` is the size for CI. `--only PART,PART` runs parts of a
 * suite that has some, `--program DIR` tests another checkout's program. The last line counts suites: `N passed, N
 * failed`.
 */

const write = (text: string): void => void process.stdout.write(`${text}\n`);

interface RunArguments {
  names: readonly string[];
  seed: number;
  short: boolean;
  scale: number | null;
  only: readonly string[];
  program: string | null;
}

function readArguments(): RunArguments {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...{ seed: { type: "string" }, short: { type: "boolean", default: false }, scale: { type: "string" } },
      ...{ only: { type: "string" }, program: { type: "string" } },
    },
  });
  const seed = values.seed === undefined ? randomInt(1, 2 ** 31) : Number(values.seed);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error("--seed takes a whole number");
  const scale = values.scale === undefined ? null : Number(values.scale);
  if (scale !== null && !(scale > 0)) throw new Error("--scale takes a number above 0");
  const only = values.only?.split(",") ?? [];
  const program = values.program === undefined ? null : resolve(values.program);
  return { names: positionals, seed, short: values.short, scale, only, program };
}

async function loadSuites(names: readonly string[]): Promise<HardSuite[]> {
  const files = globSync("*.hard.ts", { cwd: import.meta.dirname }).sort();
  const known = files.map((file) => basename(file, ".hard.ts"));
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no suite ${unknown.join(", ")}; there are ${known.join(", ")}`);
  const wanted = names.length === 0 ? known : names;
  return Promise.all(
    wanted.map(async (name) => {
      const module = (await import(join(import.meta.dirname, `${name}.hard.ts`))) as { suite: HardSuite };
      return module.suite;
    }),
  );
}

/** Runs a suite, and then its `atEnd` callbacks. */
async function runAndClose(suite: HardSuite, run: Omit<HardRun, "atEnd">): Promise<readonly string[]> {
  const closers: (() => unknown)[] = [];
  try {
    return await suite.run({ ...run, atEnd: (close) => void closers.push(close) });
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Returns whether the suite passed. */
async function runSuite(suite: HardSuite, asked: RunArguments): Promise<boolean> {
  const scale = asked.scale ?? (asked.short ? suite.short : 1);
  const { seed, only, program } = asked;
  if (!suite.inParts && (only.length > 0 || program !== null)) throw new Error(`${suite.name} has no parts`);
  write(`${suite.name}: ${suite.what} (seed ${seed}, scale ${scale})`);
  const started = performance.now();
  const say = (line: string): void => write(`  ${line}`);
  let failures: readonly string[];
  try {
    const random = createRandom(seed).next;
    failures = await runAndClose(suite, { seed, scale, say, random, only, program: program ?? thisCheckout });
  } catch (error) {
    failures = [`threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  for (const failure of failures) write(`  FAILED ${failure}`);
  const replay = `node hard/run.ts ${suite.name} --seed ${seed} --scale ${scale}`;
  write(failures.length === 0 ? `  ok (${seconds} s)` : `  ${failures.length} failures (${seconds} s): ${replay}`);
  return failures.length === 0;
}

async function main(): Promise<void> {
  const asked = readArguments();
  const suites = await loadSuites(asked.names);
  let failed = 0;
  for (const suite of suites) if (!(await runSuite(suite, asked))) failed += 1;
  write(`${suites.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
  // handles that a suite left open would keep the process alive forever
  setTimeout(() => {
    process.stderr.write(`still open: ${process.getActiveResourcesInfo().join(", ")}\n`);
    process.exit(1);
  }, 10_000).unref();
}

await main();
