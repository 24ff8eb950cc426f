import type { Calendar } from "./clock.ts";
import { LeastRecentlyUsed } from "./least-recently-used.ts";
import { inSharedTime, inTime, timeAround } from "./own-time.ts";

/**
 * Test twins have a calendar of their own, which is ahead of everybody's by as much as it was moved [test-stores.clock].
 * What is done for a store is done in its time: `now()` of the one calendar that the program hands around tells the time
 * of the store for which it is asked, wherever that is. Statements of another store fail in there (`assertTimeOf`), so
 * that no other store's rows can be written by a clock that is not theirs.
 */

/** Of a store, as far as its time is concerned. */
export interface Timed {
  /** UUID */
  id: string;
  /** of a test twin that was moved; ms */
  clockAheadMs?: number;
}

/** Whoever looks a store up says again how far its calendar was moved. */
const rememberedAtMost = 10_000;

export class StoreCalendars implements Calendar {
  readonly #shared: Calendar;
  /** ms by UUID of the store; absent: none */
  readonly #ahead = new LeastRecentlyUsed<number>(rememberedAtMost);

  constructor(shared: Calendar) {
    this.#shared = shared;
  }

  /** The same, where it is one already. */
  static over(calendar: Calendar): StoreCalendars {
    return calendar instanceof StoreCalendars ? calendar : new StoreCalendars(calendar);
  }

  /** Of whoever it is asked for. */
  now(): number {
    return this.#shared.now() + (timeAround()?.ahead ?? 0);
  }

  afterReal(milliseconds: number): number {
    return this.#shared.afterReal(milliseconds) + (timeAround()?.ahead ?? 0);
  }

  /** Of every store whose calendar was not moved. */
  sharedNow(): number {
    return this.#shared.now();
  }

  /** The stores whose calendar was moved, as far as this process has heard. */
  get moved(): string[] {
    return this.#ahead.keys();
  }

  /** Of one store, wherever it is asked: for what goes on longer than a request. */
  of(storeId: string): Calendar {
    const ahead = () => this.#ahead.get(storeId) ?? 0;
    return {
      now: () => this.#shared.now() + ahead(),
      afterReal: (milliseconds) => this.#shared.afterReal(milliseconds) + ahead(),
    };
  }

  /** What was read of a store; a calendar never goes back, whoever has read it late. */
  learn({ id, clockAheadMs = 0 }: Timed): void {
    if (clockAheadMs <= (this.#ahead.get(id) ?? 0)) return;
    this.#ahead.set(id, clockAheadMs);
  }

  /** Of a store that is gone. */
  forget(storeId: string): void {
    this.#ahead.delete(storeId);
  }

  /** Does what is to be done for a store in its time. */
  within<Result>(store: Timed, work: () => Result): Result {
    this.learn(store);
    const ahead = this.#ahead.get(store.id) ?? 0;
    return ahead === 0 ? inSharedTime(work) : inTime({ storeId: store.id, ahead }, work);
  }
}
