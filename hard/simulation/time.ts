import type { Calendar } from "../../server/platform/clock.ts";

const realTimeout = globalThis.setTimeout;

/** For what no simulation can speed up: files, and DuckDB's threads. */
export const realPause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void realTimeout(resolve, milliseconds));

/**
 * Both clocks of a simulated process, and every timer in it. Time only passes when the simulation says so: a time-out
 * of fifteen seconds takes no longer than a function call, and the same seed has the same order of events.
 */
interface Timer {
  due: number;
  /** of two timers due at the same time, the one set first runs first */
  order: number;
  everyMs: number | null;
  run: () => void;
}

/** Methods of a timer's handle that callers use: the driver and the pool need more than a number. */
class Handle {
  readonly #time: SimulatedTime;
  readonly timer: Timer;

  constructor(time: SimulatedTime, timer: Timer) {
    this.#time = time;
    this.timer = timer;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    return this;
  }

  close(): this {
    this.#time.clear(this);
    return this;
  }
}

export class SimulatedTime implements Calendar {
  #elapsed = 0;
  #skipped = 0;
  #order = 0;
  readonly #timers = new Map<Timer, Handle>();

  /** Elapsed real time, whole ms. */
  readonly elapsed = (): number => this.#elapsed;
  readonly now = (): number => this.#elapsed + this.#skipped;
  readonly afterReal = (milliseconds: number): number => this.now() + milliseconds;

  /**
   * Sets the calendar, and drops the timers of the previous seed. Elapsed time begins at zero again, since sums of a
   * moment and a part of a millisecond are rounded differently at another moment.
   */
  begin(calendar: number): void {
    this.#elapsed = 0;
    this.#skipped = calendar;
    this.#timers.clear();
  }

  /** Advances the calendar, as with a high CLOCK_SPEED: almost no real time passes. */
  skip(milliseconds: number): void {
    this.#skipped += milliseconds;
  }

  /** Lets real time pass; the effects of a timer settle before the next one runs. */
  async pass(milliseconds: number, settled: () => Promise<void>): Promise<void> {
    const end = this.#elapsed + milliseconds;
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#elapsed = Math.max(this.#elapsed, next.due);
      if (next.everyMs === null) this.#timers.delete(next);
      else {
        next.due = this.#elapsed + next.everyMs;
        next.order = ++this.#order;
      }
      next.run();
      await settled();
    }
    this.#elapsed = end;
  }

  #next(end: number): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers.keys()) {
      if (timer.due > end) continue;
      if (first === null || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
        first = timer;
    }
    return first;
  }

  set(run: () => void, milliseconds: number, repeats: boolean): Handle {
    const wait = Math.max(1, Math.ceil(milliseconds || 0));
    const timer = { due: this.#elapsed + wait, order: ++this.#order, everyMs: repeats ? wait : null, run };
    const handle = new Handle(this, timer);
    this.#timers.set(timer, handle);
    return handle;
  }

  clear(handle: unknown): void {
    if (handle instanceof Handle) this.#timers.delete(handle.timer);
  }

  /** From here on all timers of this process are simulated, including those of its libraries. */
  takeOver(): void {
    type Run = (...given: unknown[]) => void;
    const setter =
      (repeats: boolean) =>
      (run: Run, milliseconds?: number, ...given: unknown[]) =>
        this.set(() => run(...given), milliseconds ?? 0, repeats);
    // Node's own types have members that nothing here uses
    globalThis.setTimeout = setter(false) as unknown as typeof setTimeout;
    // like the one above
    globalThis.setInterval = setter(true) as unknown as typeof setInterval;
    globalThis.clearTimeout = (handle) => this.clear(handle);
    globalThis.clearInterval = (handle) => this.clear(handle);
  }
}
