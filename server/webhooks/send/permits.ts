import { RoundRobin } from "../../platform/fair-queue.ts";

export interface PermitLimits {
  /** concurrent attempts in this process */
  total: number;
  /** concurrent attempts for one endpoint */
  perEndpoint: number;
  /** concurrent attempts for all failing endpoints together: they are tried, but never at the expense of the others */
  failing: number;
}

/** Called when it may try again. */
export interface Waiter {
  readonly key: { storeId: string };
  proceed: () => void;
}

/**
 * Limits concurrent attempts [webhooks.fair-turns]. A receiver that hangs keeps its permits for 15 seconds, so an
 * endpoint gets at most half of the free ones: each hanging receiver leaves less for the next, but a new endpoint
 * always finds some.
 */
export class SendPermits {
  readonly limits: PermitLimits;
  readonly #waiting = new RoundRobin<Waiter>();
  #used = 0;
  #failing = 0;

  constructor(limits: PermitLimits) {
    this.limits = limits;
  }

  /** How many attempts this endpoint may start now, given that it already has `underWay`. */
  room(underWay: number, failing: boolean): number {
    const free = this.limits.total - this.#used;
    if (free <= 0) return 0;
    if (failing) return underWay === 0 && this.#failing < this.limits.failing ? 1 : 0;
    const share = underWay === 0 ? Math.max(1, Math.floor(free / 2)) : Math.floor((free - underWay) / 2);
    return Math.max(0, Math.min(share, this.limits.perEndpoint - underWay));
  }

  /** Takes a permit; the returned function gives it back. Call `room` first. */
  acquire(failing: boolean): () => void {
    this.#used += 1;
    if (failing) this.#failing += 1;
    return () => {
      this.#used -= 1;
      if (failing) this.#failing -= 1;
      const used = this.#used;
      // a waiter that still cannot proceed goes to the end of the queue; stop at the first that can
      for (let left = this.#waiting.size; left > 0 && this.#used <= used; left -= 1) this.#waiting.next()?.proceed();
    };
  }

  /** Calls `proceed` once, when a permit becomes free. */
  wait(waiter: Waiter): void {
    this.#waiting.add(waiter.key.storeId, waiter);
  }

  forget(waiter: Waiter): void {
    this.#waiting.delete(waiter.key.storeId, waiter);
  }
}
