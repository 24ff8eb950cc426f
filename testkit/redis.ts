import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, onPath } from "./machine.ts";
import { patience } from "./slowness.ts";

/** A test's own Redis, on loopback, without persistence. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Freezes the process: connections stay open and nothing answers (SIGSTOP). */
  pause(): void;
  resume(): void;
  /** Kills it (SIGKILL); all its data is lost. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the `redis-server` found on PATH. If there is none: null and a message on a developer's machine, an error if
 * CI=true, so that no test is skipped there unnoticed. `more`: further settings, such as `--cluster-enabled yes`.
 */
export async function startRedis(...more: readonly string[]): Promise<TestRedis | null> {
  const binary = onPath("redis-server");
  if (binary === null) {
    const reason = "redis-server is not on PATH (Debian: apt-get install redis-server)";
    if (process.env["CI"] === "true") throw new Error(`${reason}; CI needs it`);
    console.warn(`Tests against Redis are skipped: ${reason}`);
    return null;
  }
  const directory = await mkdtemp(join(tmpdir(), "redis-"));
  const port = await freePort();
  let child = await launch(binary, port, directory, more);
  const killOnExit = () => child.kill("SIGKILL");
  process.once("exit", killOnExit);

  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    kill,
    restart: async () => {
      await kill();
      child = await launch(binary, port, directory, more);
    },
    stop: async () => {
      process.off("exit", killOnExit);
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function launch(binary: string, port: number, directory: string, more: readonly string[]): Promise<ChildProcess> {
  const settings = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    directory,
    ...more,
  ];
  const child = spawn(binary, settings, { stdio: "ignore" });
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = error;
  });
  for (let tries = 0; tries < 200 * patience; tries++) {
    if (failure) throw failure;
    if (child.exitCode !== null) throw new Error(`redis-server ended with status ${child.exitCode}`);
    if (await answersPing(port)) return child;
    await pause(25);
  }
  child.kill("SIGKILL");
  throw new Error("redis-server did not answer");
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("data", (data) => settle(data.toString().startsWith("+PONG")));
    socket.once("error", () => settle(false));
    socket.setTimeout(1_000, () => settle(false));
  });
}
