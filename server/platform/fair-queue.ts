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
 * Runs at most `limit` tasks at once, and serves the stores that wait round-robin, so that a busy one does not starve the
 * others [copy.turns].
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

  /** Runs `work` when the store is served; throws a timeout where the deadline comes first. */
  async run<Result>(storeId: string, work: () => Promise<Result>, deadline: Deadline = noDeadline): Promise<Result> {
    assertTimeLeft(deadline);
    if (this.#running < this.#limit) this.#running += 1;
    else await this.#wait(storeId, deadline);
    try {
      return await work();
    } finally {
      const start = this.#waiting.next();
      // the slot goes to the next task without becoming free in between
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
