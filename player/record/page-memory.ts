import type { PageMemory, Storage } from "./types.ts";

/** A storage that lasts as long as the page. */
class MemoryStorage implements Storage {
  readonly #texts = new Map<string, string>();

  get length(): number {
    return this.#texts.size;
  }
  key(index: number): string | null {
    return [...this.#texts.keys()][index] ?? null;
  }
  getItem(key: string): string | null {
    return this.#texts.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.#texts.set(key, value);
  }
  removeItem(key: string): void {
    this.#texts.delete(key);
  }
}

export const newPageMemory = (): PageMemory => ({ storage: new MemoryStorage(), sessions: new Map() });
