import type { Deadline, ElapsedClock } from "./deadline.ts";
import { LeastRecentlyUsed } from "./least-recently-used.ts";
import { SingleFlight } from "./single-flight.ts";

export interface ReadCacheDeps {
  elapsed: ElapsedClock;
  /** ms of real time */
  rememberedMs: number;
  /** entries */
  atMost: number;
}

/**
 * Caches reads that every request needs and that may be slightly outdated. An entry's age counts from the start of its
 * read; requests that arrive during a read share it.
 */
export class ReadCache<Value> {
  readonly #deps: ReadCacheDeps;
  #known: LeastRecentlyUsed<{ value: Value; staleAt: number }>;
  #reads = new SingleFlight<Value>();

  constructor(deps: ReadCacheDeps) {
    this.#deps = deps;
    this.#known = new LeastRecentlyUsed(deps.atMost);
  }

  peek(key: string): Value | undefined {
    const known = this.#known.get(key);
    return known && known.staleAt > this.#deps.elapsed() ? known.value : undefined;
  }

  async find(key: string, deadline: Deadline, read: (deadline: Deadline) => Promise<Value>): Promise<Value> {
    const remembered = this.peek(key);
    if (remembered !== undefined) return remembered;
    return this.#reads.run(key, deadline, (shared) => this.#read(key, shared, read));
  }

  /** A read in progress may predate the change: it is neither cached nor shared any more. */
  invalidate(): void {
    this.#known = new LeastRecentlyUsed(this.#deps.atMost);
    this.#reads = new SingleFlight();
  }

  async #read(key: string, deadline: Deadline, read: (deadline: Deadline) => Promise<Value>): Promise<Value> {
    const known = this.#known;
    const staleAt = this.#deps.elapsed() + this.#deps.rememberedMs;
    const value = await read(deadline);
    known.set(key, { value, staleAt });
    return value;
  }
}
