import { Histogram } from "prom-client";
import type { Log } from "../platform/log.ts";
import { workSeconds } from "../platform/metrics/metrics.ts";

/**
 * Work that falls due, checked repeatedly by every worker [operations.due-work]. A failed task is logged and tried
 * again.
 */
export interface DueTask {
  name: string;
  everyMs: number;
  run: () => Promise<unknown>;
}

const runs = new Histogram({
  name: "quizstore_worker_run_seconds",
  help: "Runs of a task on due work, by task and whether they were done or failed",
  labelNames: ["task", "outcome"],
  buckets: workSeconds,
});

export class Worker {
  readonly #log: Log;
  readonly #tasks: ReadonlyMap<string, DueTask>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();
  readonly #timers: NodeJS.Timeout[] = [];
  #stopped = false;

  constructor(tasks: readonly DueTask[], log: Log) {
    this.#log = log;
    this.#tasks = new Map(tasks.map((task) => [task.name, task]));
    for (const { name, everyMs } of tasks) this.#timers.push(setInterval(() => this.#start(name), everyMs));
  }

  /** Runs the task now, or once more after the current run, which may have missed recent work. */
  wake(name: string): void {
    if (this.#running.has(name)) this.#again.add(name);
    else this.#start(name);
  }

  /** Starts nothing new and waits for running tasks. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#running.values());
  }

  #start(name: string): void {
    const task = this.#tasks.get(name);
    if (!task || this.#stopped || this.#running.has(name)) return;
    const observeTime = runs.startTimer({ task: name });
    const run = task
      .run()
      .then(() => void observeTime({ outcome: "done" }))
      .catch((error) => {
        observeTime({ outcome: "failed" });
        this.#log.error({ err: error, task: name }, "due work failed; it is tried again");
      })
      .finally(() => {
        this.#running.delete(name);
        if (this.#again.delete(name)) this.#start(name);
      });
    this.#running.set(name, run);
  }
}
