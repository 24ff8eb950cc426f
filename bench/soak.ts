import { type ChildProcess, execFile, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { finderDocument } from "../testkit/small-quizzes.ts";
import type { LoadPlan, LoadResult, Target } from "./events-load.ts";

/**
 * The real program under shopper events at a steady rate: how long it takes to answer on an existing data directory, and
 * how its resident memory goes.
 *
 *   node bench/soak.ts [seconds, 600] [events a second, 2500]
 */

const seconds = Number(process.argv[2] ?? 600);
const eventsPerSecond = Number(process.argv[3] ?? 2_500);
const settledAfterSeconds = Math.min(60, seconds / 2);
const program = join(import.meta.dirname, "../server/main/quizstore.ts");
const flags = ["--max-semi-space-size=64"];
const port = 20_000 + (process.pid % 20_000);
const folder = await mkdtemp(join(tmpdir(), "quizstore-soak-"));

async function command(...words: string[]): Promise<Record<string, string>> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words, "--data", folder, "--json"]);
  return JSON.parse(stdout) as Record<string, string>;
}

async function start(): Promise<{ child: ChildProcess; milliseconds: number }> {
  const begun = performance.now();
  const words = [...flags, program, "start", "--data", folder, "--port", String(port), "--no-demo"];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] });
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/store`).catch(() => null);
    if (answer?.status === 401) return { child, milliseconds: performance.now() - begun };
    if (child.exitCode !== null) throw new Error("the program ended before it answered");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

async function memoryOf(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

async function makeTarget(): Promise<Target> {
  const store = await command(
    ...["store", "create", "--name", "Soak", "--shop-domain", "soak.example.com"],
    ...["--plan", "plus", "--timezone", "UTC", "--currency", "USD"],
  );
  const file = join(folder, "quiz.json");
  await writeFile(file, JSON.stringify(finderDocument));
  const quiz = await command("quiz", "import", file, "--store", "soak.example.com", "--publish");
  return { store: store["publishable_key"] ?? "", quiz: quiz["quiz_id"] ?? "", version: quiz["version_id"] ?? "" };
}

async function soak(child: ChildProcess, target: Target): Promise<void> {
  const plan: LoadPlan = {
    port,
    targets: [target],
    connections: 64,
    milliseconds: seconds * 1_000,
    phase: 1,
    eventsPerSecond,
  };
  const load = fork(new URL("./events-load.ts", import.meta.url));
  const readings: { at: number; megabytes: number }[] = [];
  const begun = performance.now();
  const sample = setInterval(async () => {
    const at = Math.round((performance.now() - begun) / 1000);
    readings.push({ at, megabytes: await memoryOf(child) });
    if (at % 60 < 5) console.log(`${at} s: ${readings.at(-1)?.megabytes} MB`);
  }, 5_000);
  load.send(plan);
  const [result] = (await once(load, "message")) as [LoadResult];
  clearInterval(sample);
  const settled = readings.find((reading) => reading.at >= settledAfterSeconds)?.megabytes ?? 0;
  const last = readings.at(-1)?.megabytes ?? 0;
  const rate = Math.round((result.events / result.milliseconds) * 1000);
  console.log(
    `${rate} events/s over ${seconds} s, p50 ${result.p50.toFixed(0)} ms, p99 ${result.p99.toFixed(0)} ms, failed ${result.failures}`,
  );
  console.log(
    `resident memory ${settled} MB after ${settledAfterSeconds} s, ${last} MB at the end: ${(((last - settled) / settled) * 100).toFixed(1)} %`,
  );
}

let running: ChildProcess | undefined;
try {
  const target = await makeTarget();
  const first = await start();
  await stop(first.child);
  const again = await start();
  running = again.child;
  console.log(`start to first answer on an existing data directory: ${Math.round(again.milliseconds)} ms`);
  await soak(running, target);
} finally {
  if (running) await stop(running);
  await rm(folder, { recursive: true, force: true });
}
