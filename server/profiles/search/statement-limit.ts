import type { Deadline, Deadlines } from "../../platform/deadline.ts";

/**
 * The deadline of a search: the request's, and from `begin` on at most the statement's own time [search.time-limit].
 * Updating the copy and waiting for a permit happen before `begin` and do not count.
 */
export class StatementLimit implements Deadline {
  readonly #request: Deadline;
  readonly #deadlines: Deadlines;
  #own: ReturnType<Deadlines["open"]> | null = null;
  readonly #listeners = new Set<() => void>();
  readonly #leave: () => void;

  constructor(request: Deadline, deadlines: Deadlines) {
    this.#request = request;
    this.#deadlines = deadlines;
    this.#leave = request.onExpiry(() => this.#tell());
  }

  /**
   * Called when the statement starts. If it runs again after a damaged copy was rebuilt, it gets its full time again.
   */
  begin(milliseconds: number): void {
    if (this.#own) this.#deadlines.close(this.#own);
    this.#own = this.#deadlines.open(milliseconds, () => this.#tell());
  }

  end(): void {
    if (this.#own) this.#deadlines.close(this.#own);
    this.#leave();
  }

  /** Whether the statement used up its own time while the request had time left. */
  get reached(): boolean {
    return this.#own !== null && this.#own.remaining() === 0 && !this.#request.expired;
  }

  remaining(): number {
    return Math.min(this.#request.remaining(), this.#own?.remaining() ?? Number.POSITIVE_INFINITY);
  }

  get expired(): boolean {
    return this.#request.expired || (this.#own?.expired ?? false);
  }

  onExpiry(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
