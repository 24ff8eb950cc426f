import { Problem } from "./problems.ts";

/**
 * Elapsed real time in milliseconds from an arbitrary start; never goes back. The other of the two clocks is
 * `Calendar`.
 */
export type ElapsedClock = () => number;

/**
 * How long work may still take [api.request-time]. Whoever waits for something asks it, and hears from it when time is
 * up.
 */
export interface Deadline {
  /** milliseconds left, 0 when time is up */
  remaining(): number;
  readonly expired: boolean;
  /** Calls `listener` once when time is up; the function that is returned takes it back. */
  onExpiry(listener: () => void): () => void;
}

/**
 * Deadlines of many short requests. They expire by one coarse timer instead of one each, since nearly all of them are
 * done long before: a timer a request costs more than all else that a request needs of this module.
 */
export class Deadlines {
  readonly #elapsed: ElapsedClock;
  readonly #open = new Set<OpenDeadline>();
  #timer: NodeJS.Timeout | null = null;

  constructor(elapsed: ElapsedClock) {
    this.#elapsed = elapsed;
  }

  /** A deadline `milliseconds` from now. Pass it to `close` when the work is done. */
  open(milliseconds: number, expired?: () => void): OpenDeadline {
    const deadline = new OpenDeadline(this.#elapsed, this.#elapsed() + milliseconds);
    if (expired) deadline.onExpiry(expired);
    this.#open.add(deadline);
    this.#timer ??= setInterval(() => this.#expire(), 50).unref();
    return deadline;
  }

  close(deadline: OpenDeadline): void {
    this.#open.delete(deadline);
  }

  /** Work that may take so long. */
  async within<Result>(milliseconds: number, work: (deadline: Deadline) => Promise<Result>): Promise<Result> {
    const deadline = this.open(milliseconds);
    try {
      return await work(deadline);
    } finally {
      this.close(deadline);
    }
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #expire(): void {
    for (const deadline of this.#open) {
      if (deadline.remaining() > 0) continue;
      this.#open.delete(deadline);
      deadline.expire();
    }
    if (this.#open.size === 0) this.stop();
  }
}

export class OpenDeadline implements Deadline {
  readonly #elapsed: ElapsedClock;
  readonly #end: number;
  /** nearly every deadline has one listener and no more: a set for each would cost a request more than its routing */
  #first: (() => void) | null = null;
  #others: Set<() => void> | null = null;
  expired = false;

  constructor(elapsed: ElapsedClock, end: number) {
    this.#elapsed = elapsed;
    this.#end = end;
  }

  remaining(): number {
    return this.expired ? 0 : Math.max(0, Math.ceil(this.#end - this.#elapsed()));
  }

  onExpiry(listener: () => void): () => void {
    if (this.#first === null) {
      this.#first = listener;
      return () => {
        if (this.#first === listener) this.#first = null;
      };
    }
    this.#others ??= new Set();
    this.#others.add(listener);
    return () => this.#others?.delete(listener);
  }

  expire(): void {
    this.expired = true;
    const listeners = [this.#first, ...(this.#others ?? [])];
    this.#first = null;
    this.#others = null;
    for (const listener of listeners) listener?.();
  }
}

/**
 * The deadline of work that several callers share: the latest of theirs, so that one who hangs up does not spoil the
 * answer of the others. It expires when all of them have.
 */
export class SharedDeadline implements Deadline {
  readonly #members: Deadline[] = [];
  readonly #listeners = new Set<() => void>();
  /** listens to one member at a time that has not expired: joining costs the others nothing */
  #leave: (() => void) | null = null;

  join(deadline: Deadline): void {
    this.#members.push(deadline);
    if (this.#leave === null && !deadline.expired) this.#watch(deadline);
  }

  /** The work is done: the members no longer report here. */
  close(): void {
    this.#leave?.();
    this.#leave = null;
    this.#listeners.clear();
  }

  #watch(member: Deadline): void {
    this.#leave = member.onExpiry(() => {
      this.#leave = null;
      const next = this.#members.find((each) => !each.expired);
      if (next) this.#watch(next);
      else for (const listener of [...this.#listeners]) listener();
    });
  }

  remaining(): number {
    let longest = 0;
    for (const member of this.#members) longest = Math.max(longest, member.remaining());
    return longest;
  }

  get expired(): boolean {
    for (const member of this.#members) if (!member.expired) return false;
    return true;
  }

  onExpiry(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Work that nobody waits for: it ends when it ends. */
export const noDeadline: Deadline = {
  remaining: () => Number.POSITIVE_INFINITY,
  expired: false,
  onExpiry: () => () => undefined,
};

export function assertTimeLeft(deadline: Deadline): void {
  if (deadline.expired || deadline.remaining() <= 0) throw new Problem("timeout");
}
