import { assertTimeLeft, type Deadline, noDeadline } from "./deadline.ts";
import { Problem } from "./problems.ts";

/** Waiting items in round-robin order: one of each store or sender in turn, and within each in order of arrival. */
export class RoundRobin<Item> {
  /** the next owner is first; an owner without items is absent */
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

  /** Removes and returns the next item; its owner becomes the last. */
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

  /**
   * Removes and returns the last item of the owner with the most; among several with as many, of the one whose turn is
   * last.
   */
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
 * Runs at most `limit` tasks at once and serves waiting stores round-robin, so that a busy store does not starve the
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

  /** Runs `work` when the store's turn comes; throws a timeout if the deadline passes first. */
  async run<Result>(storeId: string, work: () => Promise<Result>, deadline: Deadline = noDeadline): Promise<Result> {
    assertTimeLeft(deadline);
    if (this.#running < this.#limit) this.#running += 1;
    else await this.#wait(storeId, deadline);
    try {
      return await work();
    } finally {
      const start = this.#waiting.next();
      // passes the slot to the next task without freeing it in between
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
