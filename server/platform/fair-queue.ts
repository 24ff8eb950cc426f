import { assertTimeLeft, type Deadline, noDeadline } from "./deadline.ts";
import { Problem } from "./problems.ts";

/** What waits, in the order in which it comes next: one of each store or sender in turn, and their own in their order. */
export class RoundRobin<Item> {
  /** whoever comes next is first; who has no items is absent */
  readonly #waiting = new Map<string, Set<Item>>();

  /** @param whose a store's id, or a sender's name */
  add(whose: string, item: Item): void {
    const own = this.#waiting.get(whose);
    if (own) own.add(item);
    else this.#waiting.set(whose, new Set([item]));
  }

  delete(whose: string, item: Item): void {
    const own = this.#waiting.get(whose);
    if (own?.delete(item) && own.size === 0) this.#waiting.delete(whose);
  }

  /** Takes out the next item; whose it was becomes the last. */
  next(): Item | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [whose, own] = first;
    const [item] = own;
    this.#waiting.delete(whose);
    if (item !== undefined) own.delete(item);
    if (own.size > 0) this.#waiting.set(whose, own);
    return item;
  }

  /** Takes out the last item of whoever has the most; of several who have as many, of the one whose turn is last. */
  takeFromLongest(): Item | undefined {
    let longest: [string, Set<Item>] | undefined;
    for (const each of this.#waiting) if (each[1].size >= (longest?.[1].size ?? 0)) longest = each;
    if (longest === undefined) return undefined;
    const [whose, own] = longest;
    const item = [...own].at(-1);
    if (item !== undefined) this.delete(whose, item);
    return item;
  }

  get size(): number {
    let all = 0;
    for (const own of this.#waiting.values()) all += own.size;
    return all;
  }
}

/**
 * Runs at most `limit` tasks at once, and serves the stores that wait round-robin, so that a busy one does not starve the
 * others [copy.turns].
 */
export class FairQueue {
  readonly #limit: number;
  readonly #waiting = new RoundRobin<() => void>();
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
