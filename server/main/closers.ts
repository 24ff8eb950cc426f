/** How to close what was opened one after the other: in reverse. */
export class Closers {
  readonly #closers: (() => Promise<unknown> | unknown)[] = [];

  add(...closers: (() => Promise<unknown> | unknown)[]): void {
    this.#closers.push(...closers);
  }

  /** Once. */
  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0).reverse()) await closer();
  }
}
