/** so many, then whatever else the program has to do */
const atOnce = 4;

/** Work that gives others their turn: in the order in which it came, a few pieces in each turn of the event loop. */
export class WorkQueue {
  #waiting: (() => void)[] = [];
  #begun = false;

  push(work: () => void): void {
    this.#waiting.push(work);
    this.#goOn();
  }

  #goOn(): void {
    if (this.#begun || this.#waiting.length === 0) return;
    this.#begun = true;
    setImmediate(() => {
      this.#begun = false;
      for (const work of this.#waiting.splice(0, atOnce)) work();
      this.#goOn();
    });
  }
}
