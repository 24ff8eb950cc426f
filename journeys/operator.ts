import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

/**
 * An operator's commands for stories about something else: the program's command line in a process that stays, since most of
 * what a command costs is the start of its process. What a process says and how it ends is shown by `run`.
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

/** One for the whole process of tests, which ends with it. */
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

/** Whether the process of tests lives on for the sake of an answer. */
function keepWaiting(child: ChildProcess, waits: boolean): void {
  for (const handle of [child, child.channel]) handle?.[waits ? "ref" : "unref"]();
}

/** Performs `quizstore ...args` after what was asked before it. */
export function operate(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Done> {
  const child = opened(env);
  const id = ++asked;
  keepWaiting(child, true);
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    child.send({ id, args, env } satisfies Asked);
  });
}
