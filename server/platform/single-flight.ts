import { assertTimeLeft, type Deadline, SharedDeadline } from "./deadline.ts";
import { Problem } from "./problems.ts";

interface UnderWay<Result> {
  result: Promise<Result>;
  deadline: SharedDeadline;
}

/**
 * Runs one task per key at a time; callers that arrive meanwhile share its result. The task may take as long as its
 * most patient caller waits, and no caller waits beyond its own deadline.
 */
export class SingleFlight<Result> {
  readonly #underWay = new Map<string, UnderWay<Result>>();

  has(key: string): boolean {
    const found = this.#underWay.get(key);
    return found !== undefined && !found.deadline.expired;
  }

  async run(key: string, deadline: Deadline, work: (deadline: Deadline) => Promise<Result>): Promise<Result> {
    assertTimeLeft(deadline);
    const found = this.#underWay.get(key);
    // a task that every caller gave up on is being cancelled, and has no result to share
    const shared = found && !found.deadline.expired ? found : this.#begin(key, deadline, work);
    if (shared === found) shared.deadline.join(deadline);
    const { promise: timeUp, reject } = Promise.withResolvers<never>();
    const forget = deadline.onExpiry(() => reject(new Problem("timeout")));
    try {
      return await Promise.race([shared.result, timeUp]);
    } finally {
      forget();
    }
  }

  #begin(key: string, first: Deadline, work: (deadline: Deadline) => Promise<Result>): UnderWay<Result> {
    const deadline = new SharedDeadline();
    deadline.join(first);
    const result = work(deadline).finally(() => {
      deadline.close();
      if (this.#underWay.get(key) === begun) this.#underWay.delete(key);
    });
    const begun = { result, deadline };
    // every caller may have left before it fails
    result.catch(() => undefined);
    this.#underWay.set(key, begun);
    return begun;
  }
}
