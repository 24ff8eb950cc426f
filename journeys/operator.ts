import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

/**
 * An operator's commands for journeys about something else: the program's command line in a process that stays alive,
 * since most of a command's cost is starting its process. `run` shows the output and end of a real process.
 */

export interface Asked {
  id: number;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
}

export interface Done {
  id: number;
  status: number;
  stdout: string;
  stderr: string;
}

let operator: ChildProcess | undefined;
let asked = 0;
const waiting = new Map<number, { resolve: (done: Done) => void; reject: (error: Error) => void }>();

/** One for the whole test process, which ends with it. */
function opened(env: NodeJS.ProcessEnv): ChildProcess {
  if (operator) return operator;
  const child = fork(join(import.meta.dirname, "operator-process.ts"), {
    ...{ env, execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] },
  });
  operator = child;
  child.on("message", (done: Done) => {
    waiting.get(done.id)?.resolve(done);
    waiting.delete(done.id);
    if (waiting.size === 0) keepWaiting(child, false);
  });
  child.once("exit", (code) => {
    operator = undefined;
    for (const { reject } of waiting.values()) reject(new Error(`the operator's process ended with ${code}`));
    waiting.clear();
  });
  return child;
}

/** Whether an expected answer keeps the test process alive. */
function keepWaiting(child: ChildProcess, waits: boolean): void {
  for (const handle of [child, child.channel]) handle?.[waits ? "ref" : "unref"]();
}

/** Runs `quizstore ...args` after all commands requested before. */
export function operate(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Done> {
  const child = opened(env);
  const id = ++asked;
  keepWaiting(child, true);
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    child.send({ id, args, env } satisfies Asked);
  });
}
