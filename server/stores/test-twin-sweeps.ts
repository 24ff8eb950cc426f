import type { Database } from "../platform/database/database.ts";
import type { Log } from "../platform/log.ts";
import { inSharedTime } from "../platform/own-time.ts";
import type { StoreCalendars } from "../platform/store-calendars.ts";
import { type MovedStore, movedStores } from "./test-twins.ts";

/** Does what falls due for test twins whose clock was moved, in each twin's own time [test-stores.due]. */

export interface TestTwinSweepsDeps {
  database: Database;
  calendar: StoreCalendars;
  log: Log;
  /** sweeps, of which each processes once what is due on the current calendar */
  works: readonly ((storeId: string) => Promise<unknown>)[];
  /** work that a move makes due, and time alone only in a while; done once after each move */
  worksOfMove: readonly ((storeId: string) => Promise<unknown>)[];
}

const knownAtMost = 1_000;
/** For this long after a move somebody is probably testing: such twins are swept each second, the others in turn. */
const watchedMs = 60 * 60_000;
const watchedAtMost = 20;
const othersAtOnce = 2;

export class TestTwinSweeps {
  readonly #deps: TestTwinSweepsDeps;
  /** by store, how far its clock was ahead when the work of moves was last done, in ms */
  readonly #doneAt = new Map<string, number>();
  #next = 0;

  constructor(deps: TestTwinSweepsDeps) {
    this.#deps = deps;
  }

  async sweep(): Promise<void> {
    const { database, calendar } = this.#deps;
    const before = calendar.moved;
    const moved = await inSharedTime(() => movedStores(database.reader(), knownAtMost));
    for (const store of moved) calendar.learn(store);
    const there = new Set(moved.map(({ id }) => id));
    if (moved.length < knownAtMost) for (const id of before) if (!there.has(id)) this.#forget(id);
    for (const store of this.#chosen(moved, calendar.sharedNow())) await this.#sweepStore(store);
  }

  #forget(storeId: string): void {
    this.#deps.calendar.forget(storeId);
    this.#doneAt.delete(storeId);
  }

  /** The twins to sweep in this round. */
  #chosen(moved: readonly MovedStore[], now: number): MovedStore[] {
    const isWatched = ({ movedAt }: MovedStore, index: number) =>
      index < watchedAtMost && now - movedAt.getTime() < watchedMs;
    const watched = moved.filter(isWatched);
    const others = moved.slice(watched.length);
    const chosen = others.slice(this.#next, this.#next + othersAtOnce);
    this.#next = this.#next + othersAtOnce < others.length ? this.#next + othersAtOnce : 0;
    return [...watched, ...chosen];
  }

  async #sweepStore(store: MovedStore): Promise<void> {
    const { database, calendar, log, works, worksOfMove } = this.#deps;
    if (database.isAway(store.id)) return;
    const hasMoved = this.#doneAt.get(store.id) !== store.clockAheadMs;
    this.#doneAt.set(store.id, store.clockAheadMs);
    for (const work of hasMoved ? [...works, ...worksOfMove] : works) {
      try {
        await calendar.within(store, () => work(store.id));
      } catch (error) {
        log.warn({ err: error, store: store.id }, "work of a test store failed; the next round tries again");
      }
    }
  }
}
