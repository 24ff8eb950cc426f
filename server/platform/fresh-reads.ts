/**
 * Shares reads without ever answering one that began before it was asked for: who asks while a read is under way waits
 * for the next one, together with all others who ask meanwhile. Under load a figure that has to be true costs one
 * statement for many requests.
 */
export class FreshReads<Value> {
  readonly #turns = new Map<string, { running: Promise<Value>; next: Promise<Value> | null }>();

  read(key: string, load: () => Promise<Value>): Promise<Value> {
    const turn = this.#turns.get(key);
    if (!turn) return this.#start(key, load);
    const start = () => this.#start(key, load);
    turn.next ??= turn.running.then(start, start);
    return turn.next;
  }

  #start(key: string, load: () => Promise<Value>): Promise<Value> {
    const turn = { running: load(), next: null };
    this.#turns.set(key, turn);
    const settled = () => {
      if (turn.next === null && this.#turns.get(key) === turn) this.#turns.delete(key);
    };
    turn.running.then(settled, settled);
    return turn.running;
  }
}
