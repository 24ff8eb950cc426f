/** tasks per event loop iteration */
const atOnce = 4;

/** Runs tasks in order of arrival, a few in each iteration of the event loop, so that other work is not held up. */
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
