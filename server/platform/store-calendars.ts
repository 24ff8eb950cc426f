import type { Calendar } from "./clock.ts";
import { LeastRecentlyUsed } from "./least-recently-used.ts";
import { inSharedTime, inTime, timeAround } from "./own-time.ts";

/**
 * Test twins have a calendar of their own, ahead of the shared one by as much as it was moved [test-stores.clock]. Work
 * for a store runs in its time: `now()` of the program's calendar returns the time of the store in whose context it is
 * called. Statements for another store fail there (`assertTimeOf`), so that no store's rows are written with another
 * store's clock.
 */

/** The part of a store that its time depends on. */
export interface Timed {
  /** UUID */
  id: string;
  /** for a test twin whose calendar was moved; ms */
  clockAheadMs?: number;
}

/** Bounded, because every lookup of a store reports again how far its calendar was moved. */
const rememberedAtMost = 10_000;

export class StoreCalendars implements Calendar {
  readonly #shared: Calendar;
  /** ms by UUID of the store; absent: not moved */
  readonly #ahead = new LeastRecentlyUsed<number>(rememberedAtMost);

  constructor(shared: Calendar) {
    this.#shared = shared;
  }

  /** Wraps a calendar, unless it is already wrapped. */
  static over(calendar: Calendar): StoreCalendars {
    return calendar instanceof StoreCalendars ? calendar : new StoreCalendars(calendar);
  }

  /** The time of the store whose context this runs in. */
  now(): number {
    return this.#shared.now() + (timeAround()?.ahead ?? 0);
  }

  afterReal(milliseconds: number): number {
    return this.#shared.afterReal(milliseconds) + (timeAround()?.ahead ?? 0);
  }

  /** The time of every store whose calendar was not moved. */
  sharedNow(): number {
    return this.#shared.now();
  }

  /** The stores whose calendar was moved, as far as this process knows. */
  get moved(): string[] {
    return this.#ahead.keys();
  }

  /** One store's calendar, independent of the context: for work that outlives a request. */
  of(storeId: string): Calendar {
    const ahead = () => this.#ahead.get(storeId) ?? 0;
    return {
      now: () => this.#shared.now() + ahead(),
      afterReal: (milliseconds) => this.#shared.afterReal(milliseconds) + ahead(),
    };
  }

  /** Records a store's offset. A calendar never goes back, so an outdated, smaller value is ignored. */
  learn({ id, clockAheadMs = 0 }: Timed): void {
    if (clockAheadMs <= (this.#ahead.get(id) ?? 0)) return;
    this.#ahead.set(id, clockAheadMs);
  }

  /** Forgets a deleted store. */
  forget(storeId: string): void {
    this.#ahead.delete(storeId);
  }

  /** Runs work for a store in its time. */
  within<Result>(store: Timed, work: () => Result): Result {
    this.learn(store);
    const ahead = this.#ahead.get(store.id) ?? 0;
    return ahead === 0 ? inSharedTime(work) : inTime({ storeId: store.id, ahead }, work);
  }
}
