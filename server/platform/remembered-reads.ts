import { type Deadline, type ElapsedClock, JointDeadline } from "./deadline.ts";

export interface RememberedReadsDeps {
  elapsed: ElapsedClock;
  /** ms of real time */
  rememberedMs: number;
  /** entries; past them everything is forgotten and read again */
  atMost: number;
}

/**
 * Reads that every request needs and that may be a little old: what was read is remembered for a while, counted from
 * when it was asked for, and who asks while it is read shares the reading, for as long as the most patient of them waits.
 */
export class RememberedReads<Value> {
  readonly #options: RememberedReadsDeps;
  #known = new Map<string, { value: Value; staleAt: number }>();
  #asked = new Map<string, { answer: Promise<Value>; deadline: JointDeadline }>();

  constructor(options: RememberedReadsDeps) {
    this.#options = options;
  }

  remembered(key: string): Value | undefined {
    const known = this.#known.get(key);
    return known && known.staleAt > this.#options.elapsed() ? known.value : undefined;
  }

  /** Plain where the value is remembered, so that a request pays for no promise. */
  find(key: string, deadline: Deadline, read: (deadline: Deadline) => Promise<Value>): Value | Promise<Value> {
    const known = this.remembered(key);
    if (known !== undefined) return known;
    const under = this.#asked.get(key);
    if (under) {
      under.deadline.join(deadline);
      return under.answer;
    }
    const shared = new JointDeadline();
    shared.join(deadline);
    const asked = this.#asked;
    const answer = this.#read(key, shared, read).finally(() => {
      shared.close();
      asked.delete(key);
    });
    asked.set(key, { answer, deadline: shared });
    return answer;
  }

  /** What is being read now may be from before the change: it is neither remembered nor shared any more. */
  forget(): void {
    this.#known = new Map();
    this.#asked = new Map();
  }

  async #read(key: string, deadline: Deadline, read: (deadline: Deadline) => Promise<Value>): Promise<Value> {
    const { elapsed, rememberedMs, atMost } = this.#options;
    const known = this.#known;
    const staleAt = elapsed() + rememberedMs;
    const value = await read(deadline);
    if (known.size >= atMost) known.clear();
    known.set(key, { value, staleAt });
    return value;
  }
}
