import type { Calendar } from "../../server/platform/clock.ts";

const realTimeout = globalThis.setTimeout;

/** For what no simulation can hurry: files, and DuckDB's threads. */
export const realPause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void realTimeout(resolve, milliseconds));

/**
 * Both clocks of a simulated process, and every timer in it. Nothing passes unless the simulation lets it: a time-out of
 * fifteen seconds costs no more than a function call, and the same seed sees the same order of events.
 */
interface Timer {
  due: number;
  /** of two that are due at one moment the one set first comes first */
  order: number;
  everyMs: number | null;
  run: () => void;
}

/** What callers do with a timer's handle: the driver and the pool ask for more than a number. */
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

  /** Sets the calendar, and forgets the timers of what is over. */
  begin(calendar: number): void {
    this.#skipped = calendar - this.#elapsed;
    this.#timers.clear();
  }

  /** The calendar moves on, as it does where CLOCK_SPEED is high: next to no real time passes. */
  skip(milliseconds: number): void {
    this.#skipped += milliseconds;
  }

  /** Real time passes; what comes of a timer has settled before the next one runs. */
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

  /** From here on all timers of this process are simulated, those of its libraries too. */
  takeOver(): void {
    type Run = (...given: unknown[]) => void;
    const setter =
      (repeats: boolean) =>
      (run: Run, milliseconds?: number, ...given: unknown[]) =>
        this.set(() => run(...given), milliseconds ?? 0, repeats);
    // the types of Node's own name what nobody here uses
    globalThis.setTimeout = setter(false) as unknown as typeof setTimeout;
    // as of the one above
    globalThis.setInterval = setter(true) as unknown as typeof setInterval;
    globalThis.clearTimeout = (handle) => this.clear(handle);
    globalThis.clearInterval = (handle) => this.clear(handle);
  }
}
