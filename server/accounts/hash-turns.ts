import type { Deadline } from "../platform/deadline.ts";
import { RoundRobin } from "../platform/fair-queue.ts";
import { retryLater } from "../platform/problems.ts";

/** The sender for whom a password is hashed. */
export interface HashTurn {
  /** the largest network that certainly belongs to one sender, under a name that is not its address */
  sender: string;
  /** whether they have proven who they are before: by a session, a link, or a browser that they have signed in with */
  isKnown: boolean;
}

export interface HashTurnLimits {
  /** maximum number of concurrent hashes */
  atOnce: number;
  waitingAtMost: number;
  /** in ms of real time */
  longestWaitMs: number;
}

interface Waiting {
  settle(mayHash: boolean): void;
}

/**
 * Queues the hashing of passwords [accounts.password-turns]. A hash is slow on purpose, and anybody may request one: so
 * only a few are computed at once, known people come before strangers, and within each group senders take turns, so
 * that nobody waits for everything that another sender requests. If the queue is full, the sender with the most
 * requests in it loses one.
 */
export class HashTurns {
  readonly #limits: HashTurnLimits;
  readonly #known = new RoundRobin<Waiting>();
  readonly #strangers = new RoundRobin<Waiting>();
  #running = 0;

  constructor(limits: HashTurnLimits) {
    this.#limits = limits;
  }

  get waiting(): number {
    return this.#known.size + this.#strangers.size;
  }

  /** Throws 429 `rate_limited` if no turn came in time. */
  async run<Result>(turn: HashTurn, work: () => Promise<Result>, deadline: Deadline): Promise<Result> {
    if (this.#running < this.#limits.atOnce) this.#running += 1;
    else if (!(await this.#wait(turn, deadline))) {
      throw retryLater("rate_limited", Math.ceil(this.#limits.longestWaitMs / 1_000));
    }
    try {
      return await work();
    } finally {
      const next = this.#known.next() ?? this.#strangers.next();
      // passes the turn on without freeing it in between
      if (next) next.settle(true);
      else this.#running -= 1;
    }
  }

  #wait({ sender, isKnown }: HashTurn, deadline: Deadline): Promise<boolean> {
    const line = isKnown ? this.#known : this.#strangers;
    return new Promise((resolve) => {
      const settle = (mayHash: boolean) => {
        clearTimeout(timer);
        takeBack();
        line.delete(sender, waiting);
        resolve(mayHash);
      };
      const giveUp = () => settle(false);
      const waiting: Waiting = { settle };
      const timer = setTimeout(giveUp, this.#limits.longestWaitMs);
      const takeBack = deadline.onExpiry(giveUp);
      line.add(sender, waiting);
      if (deadline.expired) giveUp();
      else if (this.waiting > this.#limits.waitingAtMost) {
        (this.#strangers.takeFromLongest() ?? this.#known.takeFromLongest())?.settle(false);
      }
    });
  }
}
