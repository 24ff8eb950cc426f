/**
 * Requests that are not answered yet. Each belongs to the group that was open when it arrived, so that a stopping
 * server can wait for the requests it had, while new ones keep coming.
 */
export class UnderWay {
  #group: Group = { open: 0, empty: null };
  #older = 0;
  #draining = false;

  get count(): number {
    return this.#group.open + this.#older;
  }

  /** Whether clients should send their next request elsewhere. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Registers a request; call the returned function when it is over. */
  enter(): () => void {
    const group = this.#group;
    group.open += 1;
    return () => {
      group.open -= 1;
      if (group !== this.#group) this.#older -= 1;
      if (group.open === 0) group.empty?.();
    };
  }

  /** Resolves when all current requests are over. */
  drain(): Promise<void> {
    this.#draining = true;
    const before = this.#group;
    this.#group = { open: 0, empty: null };
    this.#older += before.open;
    if (before.open === 0) return Promise.resolve();
    return new Promise((resolve) => {
      before.empty = resolve;
    });
  }
}

interface Group {
  open: number;
  empty: (() => void) | null;
}
