import { type Deadline, noDeadline, SharedDeadline } from "./deadline.ts";

type Load<Value> = (deadline: Deadline) => Promise<Value>;

/** A read that has not begun, which whoever asks may still join. */
interface Gathering<Value> {
  answer: Promise<Value>;
  deadline: SharedDeadline;
  begin: () => Promise<void>;
}

interface Reads<Value> {
  running: number;
  gathering: Gathering<Value> | null;
}

/** Two at once would answer a little sooner and cost up to twice as much: with 32 connections, 7 % of the throughput. */
const atOnce = 1;

/**
 * Shares reads without ever answering one that began before it was asked for: a read begins at the end of the event
 * loop's turn, for all who asked in it, or when one that runs is done [operations.fresh-reads]. Under load a figure
 * that has to be true costs one statement for many requests. A read goes on as long as any of those who wait for it.
 */
export class CoalescedReads<Value> {
  readonly #reads = new Map<string, Reads<Value>>();

  read(key: string, load: Load<Value>, deadline: Deadline = noDeadline): Promise<Value> {
    let reads = this.#reads.get(key);
    if (!reads) {
      reads = { running: 0, gathering: null };
      this.#reads.set(key, reads);
    }
    if (!reads.gathering) {
      reads.gathering = gather(load);
      if (reads.running < atOnce) setImmediate(() => this.#begin(key));
    }
    reads.gathering.deadline.join(deadline);
    return reads.gathering.answer;
  }

  async #begin(key: string): Promise<void> {
    const reads = this.#reads.get(key);
    if (!reads?.gathering) return;
    const { begin } = reads.gathering;
    reads.gathering = null;
    reads.running += 1;
    await begin();
    reads.running -= 1;
    if (reads.gathering) void this.#begin(key);
    else if (reads.running === 0) this.#reads.delete(key);
  }
}

function gather<Value>(load: Load<Value>): Gathering<Value> {
  const deadline = new SharedDeadline();
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const begin = async () => {
    try {
      resolve(await load(deadline));
    } catch (error) {
      reject(error);
    } finally {
      deadline.close();
    }
  };
  return { answer: promise, deadline, begin };
}
