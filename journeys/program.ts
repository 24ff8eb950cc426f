import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../testkit/machine.ts";
import { patience } from "../testkit/slowness.ts";
import { operate } from "./operator.ts";

/** The real program as an operator sees it: a process, its standard streams, its signals. */

const root = join(import.meta.dirname, "..");

/**
 * The variable with the address where the processes of a run of tests find what they share; unset in other processes.
 */
export const tellerOfJourneys = "QUIZSTORE_TEST_JOURNEYS";

let entry: Promise<string> | undefined;

/**
 * The file to pass to node. A run of tests uses the bundled program, since a start from the sources spends a third of
 * its processor time on finding and reading two thousand files; journeys with `npm start` and `npx quizstore` start
 * from the sources.
 */
export function programFile(): Promise<string> {
  const teller = process.env[tellerOfJourneys];
  entry ??= teller === undefined ? Promise.resolve(join(root, "server/main/quizstore.ts")) : bundleOf(teller);
  return entry;
}

async function bundleOf(teller: string): Promise<string> {
  const answer = await fetch(`${teller}/bundle`);
  if (!answer.ok) throw new Error(`the program was not bundled: ${await answer.text()}`);
  return (await answer.json()) as string;
}

export type Settings = Readonly<Record<string, string>>;

/** V8's compile cache for the program's many starts, in the same place as the program's own. */
const compileCache = join(root, "node_modules/.cache/quizstore");

/** The tests' environment is not passed to the program: each journey gives its settings. */
export function environment(settings: Settings = {}): NodeJS.ProcessEnv {
  const inherited = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "/",
    TZ: "UTC",
    NODE_COMPILE_CACHE: compileCache,
  };
  return { ...inherited, PATH: `${join(root, "node_modules/.bin")}:${inherited.PATH}`, ...settings };
}

export interface Outcome {
  stdout: string;
  stderr: string;
  status: number | null;
  /** Standard output parsed as one JSON document; undefined if it is not one. */
  json: unknown;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function gather(child: ChildProcess): { stdout: () => string; stderr: () => string } {
  const texts = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    texts.stdout += chunk;
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    texts.stderr += chunk;
  });
  return { stdout: () => texts.stdout, stderr: () => texts.stderr };
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once("close", (code) => resolve(code));
  });

/** Runs `quizstore ...args` to its end, as long as patience lasts; `program`: another checkout's. */
export async function run(args: readonly string[], settings: Settings = {}, program?: string): Promise<Outcome> {
  const file = program ?? (await programFile());
  const child = spawn("node", [file, ...args], { env: environment(settings), stdio: ["ignore", "pipe", "pipe"] });
  const texts = gather(child);
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000 * patience);
  const status = await ended(child);
  clearTimeout(timer);
  return { stdout: texts.stdout(), stderr: texts.stderr(), status, json: parsed(texts.stdout()) };
}

/**
 * Runs `quizstore ...args` like `run`, but in the process that runs one command after another: for commands whose own
 * process does not matter.
 */
export async function perform(args: readonly string[], settings: Settings = {}): Promise<Outcome> {
  const { status, stdout, stderr } = await operate(args, environment(settings));
  return { stdout, stderr, status, json: parsed(stdout) };
}

/** Runs a command with `--json` that has to succeed; returns its output document. */
export const command = <T>(data: string, ...args: readonly string[]): Promise<T> => documentOf<T>(data, args);

export async function documentOf<T>(data: string, args: readonly string[], settings: Settings = {}): Promise<T> {
  const { status, stdout, stderr, json } = await perform([...args, "--data", data, "--json"], settings);
  if (status !== 0 || json === undefined)
    throw new Error(`quizstore ${args.join(" ")}: ${status}\n${stdout}\n${stderr}`);
  return json as T;
}

export const freshFolder = (): Promise<string> => mkdtemp(join(tmpdir(), "quizstore-journey-"));

/** A process of the program that runs until it is asked to end. */
export interface Running {
  pid: number;
  stdout: () => string;
  stderr: () => string;
  exited: Promise<number | null>;
  /** Sends SIGTERM; returns the exit status. */
  stop: () => Promise<number | null>;
  /** Sends kill -9 to the program alone. */
  kill: () => Promise<void>;
}

/** Where a program runs. */
export interface Place {
  url: string;
  port: number;
  data: string;
}

export interface Program extends Running, Place {}

/**
 * Runs `quizstore ...args` and waits until it is ready: `looks` is called repeatedly, as long as patience lasts.
 * `program`: another checkout's.
 */
export async function launch(
  args: readonly string[],
  settings: Settings,
  looks: (texts: { stderr: () => string }) => Promise<boolean> | boolean,
  program?: string,
): Promise<Running> {
  const file = program ?? (await programFile());
  const child = spawn("node", [file, ...args], { env: environment(settings), stdio: ["ignore", "pipe", "pipe"] });
  const texts = gather(child);
  const exited = ended(child);
  for (let tries = 0; !(await looks(texts)); tries += 1) {
    if (child.exitCode !== null || tries > 600 * patience) {
      throw new Error(`did not start (${child.exitCode}): ${texts.stdout()}\n${texts.stderr()}`);
    }
    await pause(50);
  }
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  const kill = async (): Promise<void> => {
    await end("SIGKILL");
  };
  return { pid: child.pid ?? 0, ...texts, exited, stop: () => end("SIGTERM"), kill };
}

/** Whether a server answers at this address. */
export async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1000) })).text();
    return true;
  } catch {
    return false;
  }
}

/** Starts the program on its own port and waits until it answers. */
export async function start(data: string, settings: Settings = {}, port?: number): Promise<Program> {
  const chosen = port ?? (await freePort());
  const url = `http://127.0.0.1:${chosen}`;
  const args = ["start", "--data", data, "--port", String(chosen), "--no-demo"];
  return { url, port: chosen, data, ...(await launch(args, settings, () => answers(url))) };
}

export interface Demo extends Running {
  url: string;
  /** of the demo shop */
  key: string;
  /** a link with which its owner signs in to the dashboard */
  ownersLink: string;
}

/** Starts the program with its demo shop, and waits until it has printed what a newcomer needs. */
export async function startDemo(data: string, settings: Settings = {}): Promise<Demo> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const program = await launch(["start", "--data", data, "--port", String(port)], settings, () => answers(url));
  const printed = await until(
    async () => program.stdout(),
    (text) => text.includes("Try it:"),
  );
  const found = (what: RegExp): string => what.exec(printed)?.[0] ?? "";
  return { ...program, url, key: found(/svc_live_\w+/), ownersLink: found(/http\S+\/dashboard\/link\/\S+/) };
}

/** The pid of the embedded database in a data directory, from PostgreSQL's own pid file. */
export async function postmasterPid(data: string): Promise<number | null> {
  const files = await readdir(data, { recursive: true }).catch(() => []);
  const found = files.find((name) => name.endsWith("postmaster.pid"));
  if (found === undefined) return null;
  const text = await readFile(join(data, found), "utf8").catch(() => "");
  const pid = Number(text.split("\n")[0]);
  return Number.isInteger(pid) && pid > 1 ? pid : null;
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Removes a data directory, after ending a database that a killed program may have left running in it. */
export async function cleanUp(data: string): Promise<void> {
  const pid = await postmasterPid(data);
  if (pid !== null && alive(pid)) process.kill(pid, "SIGINT");
  for (let tries = 0; pid !== null && alive(pid) && tries < 100 * patience; tries += 1) await pause(50);
  // what it started may end a little later
  await rm(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
}

/** Repeats `ask` until the answer suits, at most `seconds` on an idle machine; returns the last answer in any case. */
export async function until<T>(ask: () => Promise<T>, suits: (answer: T) => boolean, seconds = 20): Promise<T> {
  const last = performance.now() + seconds * 1000 * patience;
  for (;;) {
    const answer = await ask();
    if (suits(answer) || performance.now() > last) return answer;
    await pause(250);
  }
}
