import type { Log } from "../platform/log.ts";

/** Work that falls due, done once a second by whoever runs a worker. A task that fails is logged and tried again. */
export interface DueTask {
  name: string;
  everyMs: number;
  run: () => Promise<unknown>;
}

export class Worker {
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #busy = new Set<string>();

  constructor(tasks: readonly DueTask[], log: Log) {
    this.#log = log;
    for (const task of tasks) this.#timers.push(setInterval(() => this.#start(task), task.everyMs));
  }

  /** Begins nothing new and waits for what is under way. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#running);
  }

  #start(task: DueTask): void {
    if (this.#busy.has(task.name)) return;
    this.#busy.add(task.name);
    const run = task
      .run()
      .then(() => undefined)
      .catch((error) => this.#log.error({ err: error, task: task.name }, "due work failed; it is tried again"))
      .finally(() => {
        this.#busy.delete(task.name);
        this.#running.delete(run);
      });
    this.#running.add(run);
  }
}
