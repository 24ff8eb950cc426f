import { assertTimeLeft, type Deadline, noDeadline } from "./deadline.ts";
import { Problem } from "./problems.ts";

interface Waiting {
  start: () => void;
}

/**
 * Lets at most `limit` pieces of work run at once, and takes the stores that wait in turn, so that one store's crowd
 * does not keep the others out.
 */
export class FairQueue {
  readonly #limit: number;
  /** in the order in which the stores' turns come; a store without waiting work is absent */
  readonly #waiting = new Map<string, Waiting[]>();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    let all = 0;
    for (const line of this.#waiting.values()) all += line.length;
    return all;
  }

  /** Runs `work` when it is the store's turn; a timeout when time is up before. */
  async run<Result>(storeId: string, work: () => Promise<Result>, deadline: Deadline = noDeadline): Promise<Result> {
    assertTimeLeft(deadline);
    if (this.#running < this.#limit) this.#running += 1;
    else await this.#turn(storeId, deadline);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#startNext();
    }
  }

  #turn(storeId: string, deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = deadline.onExpiry(() => {
        this.#leave(storeId, waiting);
        reject(new Problem("timeout"));
      });
      const waiting = {
        start: () => {
          forget();
          resolve();
        },
      };
      const line = this.#waiting.get(storeId);
      if (line) line.push(waiting);
      else this.#waiting.set(storeId, [waiting]);
    });
  }

  #leave(storeId: string, waiting: Waiting): void {
    const line = this.#waiting.get(storeId)?.filter((other) => other !== waiting) ?? [];
    if (line.length > 0) this.#waiting.set(storeId, line);
    else this.#waiting.delete(storeId);
  }

  #startNext(): void {
    const [turn] = this.#waiting;
    if (turn === undefined) return;
    const [storeId, [next, ...others]] = turn;
    // to the end of the line of stores
    this.#waiting.delete(storeId);
    if (others.length > 0) this.#waiting.set(storeId, others);
    this.#running += 1;
    next?.start();
  }
}
