import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../testkit/machine.ts";
import { installedFolder } from "./installed.ts";
import { answers, cleanUp, postmasterPid, until } from "./program.ts";

/** The program is stopped as people and systems stop it: through npm, in a terminal, by its process group. */

const root = join(import.meta.dirname, "..");
/** Gives what it runs a terminal of its own, and passes on what is typed into it. */
const terminal = "/usr/bin/script";

let data: string;
let port: number;
let child: ChildProcess;
let said: string;
let exited: Promise<number | null>;

beforeEach(async () => {
  data = await installedFolder();
  port = await freePort();
});

afterEach(async () => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // gone already
  }
  await cleanUp(data);
});

/** Starts a process group of its own and waits until the program answers; the pid of its PostgreSQL. */
async function started(command: string, ...args: string[]): Promise<number> {
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], TERM: "dumb" };
  child = spawn(command, args, { cwd: root, detached: true, env, stdio: "pipe" });
  said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
    });
  }
  exited = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  expect(await until(() => answers(`http://127.0.0.1:${port}`), Boolean, 60), said).toBe(true);
  const postmaster = await postmasterPid(data);
  if (postmaster === null) throw new Error(said);
  return postmaster;
}

const options = () => ["--data", data, "--port", String(port), "--no-demo"];
const npmStart = () => ["start", "--", ...options()];
const toGroup = (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal);

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const stopped = (pid: number, seconds = 30): Promise<boolean> =>
  until(
    async () => !runs(pid),
    (gone) => gone,
    seconds,
  );

describe("a program that is told to stop through npm", () => {
  // npm sends on to its child what the child has received already
  it.for(["SIGINT", "SIGTERM"] as const)(
    "takes %s to its whole process group for one, and stops PostgreSQL too [operations.stop]",
    { timeout: 90_000 },
    async (signal) => {
      const postmaster = await started("npm", ...npmStart());
      toGroup(signal);
      expect(await exited, said).toBe(0);
      expect(said).toContain("stopping");
      expect([await postmasterPid(data), runs(postmaster)]).toEqual([null, false]);
    },
  );

  it("stops with its PostgreSQL when npx alone is ended [operations.stop]", async () => {
    const postmaster = await started("npx", "quizstore", "start", ...options());
    child.kill("SIGTERM");
    expect(await stopped(postmaster), said).toBe(true);
  }, 90_000);
});

describe("a program that has stopped", () => {
  // npm sends on what it received, on a busy machine only when its child is nearly gone
  it("catches signals until it is gone, so that none makes its end look like a kill [operations.stop]", async () => {
    const postmaster = await started("node", "server/main/quizstore.ts", "start", ...options());
    child.kill("SIGTERM");
    expect(await stopped(postmaster), said).toBe(true);
    const sendsOn = setInterval(() => child.kill("SIGINT"), 1);
    const code = await exited;
    clearInterval(sendsOn);
    // 130: over a second after the first, they ask to stop at once
    expect([0, 130], said).toContain(code);
  }, 90_000);
});

describe.skipIf(process.platform !== "linux" || !existsSync(terminal))("a program in a terminal", () => {
  it.for([
    ["npm start", () => `npm ${npmStart().join(" ")}`],
    ["npx quizstore start", () => `npx quizstore start ${options().join(" ")}`],
  ] as const)(
    "that was started by %s stops gracefully at Ctrl-C, PostgreSQL included [operations.stop]",
    { timeout: 90_000 },
    async ([, line]) => {
      const postmaster = await started(terminal, "-qec", line(), "/dev/null");
      child.stdin?.write("\x03");
      await exited;
      expect(await stopped(postmaster), said).toBe(true);
      expect(said).toContain("stopping");
    },
  );

  it("stops with its PostgreSQL when the terminal is closed [operations.stop]", async () => {
    const postmaster = await started(terminal, "-qec", `npm ${npmStart().join(" ")}`, "/dev/null");
    child.kill("SIGKILL");
    expect(await stopped(postmaster), said).toBe(true);
  }, 90_000);
});

describe("a second request to stop", () => {
  it("does not wait for requests under way, and leaves no PostgreSQL behind [operations.stop]", async () => {
    const postmaster = await started("node", "server/main/quizstore.ts", "start", ...options(), "--json");
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      "POST /storefront/v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n{",
    );
    // the program goes on with it
    await once(socket, "data");
    child.kill("SIGTERM");
    await pause(1_500);
    expect(runs(postmaster)).toBe(true);
    child.kill("SIGTERM");
    expect(await exited, said).toBe(130);
    expect([await postmasterPid(data), runs(postmaster)]).toEqual([null, false]);
    socket.destroy();
  }, 90_000);
});

describe("quizstore start --json", () => {
  it("prints one JSON document, with the demo shop's key and storefront where there is one [command-line.output, demo.announced]", async () => {
    let printed = "";
    const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] };
    const args = ["server/main/quizstore.ts", "start", "--data", data, "--port", String(port), "--json"];
    child = spawn("node", args, { cwd: root, detached: true, env, stdio: ["ignore", "pipe", "ignore"] });
    exited = new Promise((resolve) => child.once("close", (code) => resolve(code)));
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
    await until(
      async () => printed,
      (text) => text.endsWith("}\n"),
      60,
    );
    const { demo, ...rest } = JSON.parse(printed);
    expect(rest).toEqual({ parts: ["api", "worker"], url: `http://localhost:${port}`, data_dir: data });
    const answer = await fetch(`${rest.url}/v1/store`, { headers: { authorization: `Bearer ${demo.key}` } });
    expect(answer.status).toBe(200);
    expect(Object.keys(demo)[0]).toBe("storefront_url");
    const storefront = await fetch(demo.storefront_url);
    expect([storefront.status, await storefront.text()]).toEqual([200, expect.stringContaining(demo.quiz_ids[0])]);
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    expect(JSON.parse(printed).demo).toEqual(demo);
  }, 90_000);
});
