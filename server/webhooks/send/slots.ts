import type { EndpointKey } from "./delivery-rows.ts";

/** Whoever waits here is called when it may try again. */
export interface Waiter {
  readonly key: EndpointKey;
  proceed: () => void;
}

/** Waiters in the order of their turns: stores in turn, and within a store its endpoints. */
export class Rota {
  /** the store whose turn is next comes first; a store without waiters is absent */
  readonly #stores = new Map<string, Set<Waiter>>();

  add(waiter: Waiter): void {
    const line = this.#stores.get(waiter.key.storeId);
    if (line) line.add(waiter);
    else this.#stores.set(waiter.key.storeId, new Set([waiter]));
  }

  delete(waiter: Waiter): void {
    const line = this.#stores.get(waiter.key.storeId);
    if (line?.delete(waiter) && line.size === 0) this.#stores.delete(waiter.key.storeId);
  }

  /** Takes out the next; its store goes to the end of the line. */
  next(): Waiter | undefined {
    const [store] = this.#stores;
    if (store === undefined) return undefined;
    const [storeId, line] = store;
    const [waiter] = line;
    this.#stores.delete(storeId);
    if (waiter === undefined) return undefined;
    line.delete(waiter);
    if (line.size > 0) this.#stores.set(storeId, line);
    return waiter;
  }

  get size(): number {
    let waiting = 0;
    for (const line of this.#stores.values()) waiting += line.size;
    return waiting;
  }
}

export interface SlotLimits {
  /** attempts under way at once in this process */
  total: number;
  /** of one endpoint */
  perEndpoint: number;
  /** of all endpoints together that are failing: they are tried, but never at the cost of the others */
  failing: number;
}

/**
 * Shares the attempts that may be under way at once. Receivers that hang keep theirs for 15 seconds, so an endpoint gets
 * no more than half of what is free: each that hangs leaves the next less, and whoever comes new finds something.
 */
export class SendSlots {
  readonly limits: SlotLimits;
  readonly #waiting = new Rota();
  #used = 0;
  #failing = 0;

  constructor(limits: SlotLimits) {
    this.limits = limits;
  }

  /** How many attempts this endpoint, which has `flying` under way, may begin now. */
  room(flying: number, failing: boolean): number {
    const free = this.limits.total - this.#used;
    if (free <= 0) return 0;
    if (failing) return flying === 0 && this.#failing < this.limits.failing ? 1 : 0;
    const share = flying === 0 ? Math.max(1, Math.floor(free / 2)) : Math.floor((free - flying) / 2);
    return Math.max(0, Math.min(share, this.limits.perEndpoint - flying));
  }

  /** Takes one; the function gives it back. Ask for `room` before. */
  take(failing: boolean): () => void {
    this.#used += 1;
    if (failing) this.#failing += 1;
    return () => {
      this.#used -= 1;
      if (failing) this.#failing -= 1;
      const used = this.#used;
      // whoever cannot proceed yet comes back to the end of the line; one who can is enough
      for (let left = this.#waiting.size; left > 0 && this.#used <= used; left -= 1) this.#waiting.next()?.proceed();
    };
  }

  /** Calls `proceed` once, when something has become free. */
  wait(waiter: Waiter): void {
    this.#waiting.add(waiter);
  }

  forget(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }
}

/** Runs at most `limit` turns at once, so that the deliverer leaves database connections to others. */
export class TurnQueue {
  readonly #limit: number;
  readonly #waiting = new Rota();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<Result>(key: EndpointKey, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#limit) this.#running += 1;
    else await new Promise<void>((proceed) => this.#waiting.add({ key, proceed }));
    try {
      return await work();
    } finally {
      const next = this.#waiting.next();
      // the place goes to the next without becoming free in between
      if (next) next.proceed();
      else this.#running -= 1;
    }
  }
}
