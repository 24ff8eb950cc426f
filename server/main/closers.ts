/** Closes resources in the reverse order of opening. */
export class Closers {
  readonly #closers: (() => Promise<unknown> | unknown)[] = [];

  add(...closers: (() => Promise<unknown> | unknown)[]): void {
    this.#closers.push(...closers);
  }

  /** Does nothing the second time. */
  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0).reverse()) await closer();
  }
}
