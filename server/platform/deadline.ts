import { Problem } from "./problems.ts";

/**
 * Elapsed real time in milliseconds from an arbitrary start; never goes back. The other of the two clocks is
 * `Calendar`.
 */
export type ElapsedClock = () => number;

/** How long work may still take [api.request-time]. Code that waits checks it, and is notified when time is up. */
export interface Deadline {
  /** milliseconds left, 0 when time is up */
  remaining(): number;
  readonly expired: boolean;
  /** Calls `listener` once when time is up; returns a function that unsubscribes. */
  onExpiry(listener: () => void): () => void;
}

/**
 * Deadlines of many short requests. One coarse timer serves all of them, because nearly all are done long before they
 * expire: a timer per request would cost more than everything else that a request needs of this module.
 */
export class Deadlines {
  readonly #elapsed: ElapsedClock;
  readonly #open = new Set<OpenDeadline>();
  #timer: NodeJS.Timeout | null = null;

  constructor(elapsed: ElapsedClock) {
    this.#elapsed = elapsed;
  }

  /** Opens a deadline `milliseconds` from now. Pass it to `close` when the work is done. */
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

  /** Runs work with a deadline that many milliseconds from now. */
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
  /** nearly every deadline has at most one listener: a set for each would cost a request more than its routing */
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
 * The deadline of work that several callers share: the latest of theirs, so that one caller's disconnect does not spoil
 * the others' answer. It expires when all of them have.
 */
export class SharedDeadline implements Deadline {
  readonly #members: Deadline[] = [];
  readonly #listeners = new Set<() => void>();
  /**
   * stops listening to a member; listens to one unexpired member at a time, so that joining costs the others nothing
   */
  #leave: (() => void) | null = null;

  join(deadline: Deadline): void {
    this.#members.push(deadline);
    if (this.#leave === null && !deadline.expired) this.#watch(deadline);
  }

  /** The work is done: the members need not notify it any more. */
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

/** For work without a time limit. */
export const noDeadline: Deadline = {
  remaining: () => Number.POSITIVE_INFINITY,
  expired: false,
  onExpiry: () => () => undefined,
};

export function assertTimeLeft(deadline: Deadline): void {
  if (deadline.expired || deadline.remaining() <= 0) throw new Problem("timeout");
}
