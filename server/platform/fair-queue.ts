import { assertTimeLeft, type Deadline, noDeadline } from "./deadline.ts";
import { Problem } from "./problems.ts";

/** What waits, in the order in which it comes next: one of each store in turn, and a store's own in their order. */
export class StoreRoundRobin<Item> {
  /** the store that comes next is first; a store without items is absent */
  readonly #stores = new Map<string, Set<Item>>();

  add(storeId: string, item: Item): void {
    const own = this.#stores.get(storeId);
    if (own) own.add(item);
    else this.#stores.set(storeId, new Set([item]));
  }

  delete(storeId: string, item: Item): void {
    const own = this.#stores.get(storeId);
    if (own?.delete(item) && own.size === 0) this.#stores.delete(storeId);
  }

  /** Takes out the next item; its store becomes the last. */
  next(): Item | undefined {
    const [first] = this.#stores;
    if (first === undefined) return undefined;
    const [storeId, own] = first;
    const [item] = own;
    this.#stores.delete(storeId);
    if (item !== undefined) own.delete(item);
    if (own.size > 0) this.#stores.set(storeId, own);
    return item;
  }

  get size(): number {
    let all = 0;
    for (const own of this.#stores.values()) all += own.size;
    return all;
  }
}

/**
 * Lets at most `limit` pieces of work run at once, and takes the stores that wait in turn, so that one store's crowd
 * does not keep the others out [copy.turns].
 */
export class FairQueue {
  readonly #limit: number;
  readonly #waiting = new StoreRoundRobin<() => void>();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs `work` when it is the store's turn; a timeout when time is up before. */
  async run<Result>(storeId: string, work: () => Promise<Result>, deadline: Deadline = noDeadline): Promise<Result> {
    assertTimeLeft(deadline);
    if (this.#running < this.#limit) this.#running += 1;
    else await this.#wait(storeId, deadline);
    try {
      return await work();
    } finally {
      const start = this.#waiting.next();
      // the place goes to the next without becoming free in between
      if (start) start();
      else this.#running -= 1;
    }
  }

  #wait(storeId: string, deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = deadline.onExpiry(() => {
        this.#waiting.delete(storeId, start);
        reject(new Problem("timeout"));
      });
      const start = () => {
        forget();
        resolve();
      };
      this.#waiting.add(storeId, start);
    });
  }
}
