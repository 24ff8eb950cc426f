import type { Deadline } from "../platform/deadline.ts";
import { RoundRobin } from "../platform/fair-queue.ts";
import { retryLater } from "../platform/problems.ts";

/** Whoever wants a password hashed. */
export interface HashTurn {
  /** the network that is surely one sender's, by a name that is not its address */
  sender: string;
  /** they have shown before who they are: by a session, a link, or a browser that they have signed in with */
  isKnown: boolean;
}

export interface HashTurnLimits {
  /** hashed at once */
  atOnce: number;
  waitingAtMost: number;
  /** real time */
  longestWaitMs: number;
}

interface Waiting {
  settle(mayHash: boolean): void;
}

/**
 * Turns at hashing passwords [accounts.password-turns]. A hash is slow on purpose, and anybody may ask for one: so few are
 * computed at once, those who are known come before strangers, and of each the senders in turn, so that nobody waits for
 * all that another sends. What is too much for the line is refused, of the sender who has most in it.
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

  /** Throws 429 `rate_limited` where no turn came in time. */
  async run<Result>(turn: HashTurn, work: () => Promise<Result>, deadline: Deadline): Promise<Result> {
    if (this.#running < this.#limits.atOnce) this.#running += 1;
    else if (!(await this.#wait(turn, deadline))) {
      throw retryLater("rate_limited", Math.ceil(this.#limits.longestWaitMs / 1_000));
    }
    try {
      return await work();
    } finally {
      const next = this.#known.next() ?? this.#strangers.next();
      // the turn goes on without becoming free in between
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
