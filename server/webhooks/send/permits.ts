import { StoreRoundRobin } from "../../platform/fair-queue.ts";

export interface PermitLimits {
  /** attempts under way at once in this process */
  total: number;
  /** of one endpoint */
  perEndpoint: number;
  /** of all endpoints together that are failing: they are tried, but never at the cost of the others */
  failing: number;
}

/** Whoever waits here is called when it may try again. */
export interface Waiter {
  readonly key: { storeId: string };
  proceed: () => void;
}

/**
 * Permits for the attempts that may be under way at once [webhooks.fair-turns]. Receivers that hang keep theirs for 15
 * seconds, so an endpoint gets no more than half of what is free: each that hangs leaves the next less, and a newcomer
 * finds something.
 */
export class SendPermits {
  readonly limits: PermitLimits;
  readonly #waiting = new StoreRoundRobin<Waiter>();
  #used = 0;
  #failing = 0;

  constructor(limits: PermitLimits) {
    this.limits = limits;
  }

  /** How many attempts this endpoint, which has `underWay` already, may begin now. */
  room(underWay: number, failing: boolean): number {
    const free = this.limits.total - this.#used;
    if (free <= 0) return 0;
    if (failing) return underWay === 0 && this.#failing < this.limits.failing ? 1 : 0;
    const share = underWay === 0 ? Math.max(1, Math.floor(free / 2)) : Math.floor((free - underWay) / 2);
    return Math.max(0, Math.min(share, this.limits.perEndpoint - underWay));
  }

  /** Takes one; the function gives it back. Ask for `room` before. */
  acquire(failing: boolean): () => void {
    this.#used += 1;
    if (failing) this.#failing += 1;
    return () => {
      this.#used -= 1;
      if (failing) this.#failing -= 1;
      const used = this.#used;
      // whoever cannot proceed yet waits again, as the last; one who can is enough
      for (let left = this.#waiting.size; left > 0 && this.#used <= used; left -= 1) this.#waiting.next()?.proceed();
    };
  }

  /** Calls `proceed` once, when something has become free. */
  wait(waiter: Waiter): void {
    this.#waiting.add(waiter.key.storeId, waiter);
  }

  forget(waiter: Waiter): void {
    this.#waiting.delete(waiter.key.storeId, waiter);
  }
}
