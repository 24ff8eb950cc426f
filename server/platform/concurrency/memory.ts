import { type Deadline, noDeadline } from "../deadline.ts";
import { type ConcurrencyLimiter, type Permit, permitWaitMs } from "./types.ts";

interface Holders {
  count: number;
  /** waiting callers, the longest first; each receives a freed permit */
  waiting: Set<() => void>;
}

/** Permits of a process that runs alone. */
export class MemoryConcurrencyLimiter implements ConcurrencyLimiter {
  readonly #names = new Map<string, Holders>();
  readonly #waitMs: number;

  /** @param waitMs how long a caller waits for a free permit */
  constructor(waitMs = permitWaitMs) {
    this.#waitMs = waitMs;
  }

  async acquire(name: string, capacity: number, deadline: Deadline = noDeadline): Promise<Permit | null> {
    const holders = this.#names.get(name) ?? { count: 0, waiting: new Set() };
    this.#names.set(name, holders);
    if (holders.count < capacity) {
      holders.count += 1;
      return this.#permit(name, holders);
    }
    return (await handedOver(holders, deadline, this.#waitMs)) ? this.#permit(name, holders) : null;
  }

  async close(): Promise<void> {
    this.#names.clear();
  }

  #permit(name: string, holders: Holders): Permit {
    let released = false;
    return {
      release: () => {
        if (released) return;
        released = true;
        const [next] = holders.waiting;
        if (next) return next();
        holders.count -= 1;
        if (holders.count === 0) this.#names.delete(name);
      },
    };
  }
}

function handedOver(holders: Holders, deadline: Deadline, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (taken: boolean) => {
      clearTimeout(timer);
      takeBack();
      holders.waiting.delete(take);
      resolve(taken);
    };
    const take = () => settle(true);
    const giveUp = () => settle(false);
    const timer = setTimeout(giveUp, waitMs);
    const takeBack = deadline.onExpiry(giveUp);
    holders.waiting.add(take);
  });
}
