import type { ElapsedClock } from "../deadline.ts";
import { LeastRecentlyUsed } from "../least-recently-used.ts";
import { type Cache, largestEntryBytes } from "./types.ts";

interface Entry {
  value: string;
  bytes: number;
  expiresAt: number;
}

const standardBytes = 64 << 20;
/** approximate overhead of the map and the entry */
const overheadBytes = 200;

/** For a process that runs alone: evicts the least recently used entries when there is no room. */
export class MemoryCache implements Cache {
  readonly #elapsed: ElapsedClock;
  readonly #entries: LeastRecentlyUsed<Entry>;

  constructor(elapsed: ElapsedClock, mostBytes = standardBytes) {
    this.#elapsed = elapsed;
    this.#entries = new LeastRecentlyUsed(mostBytes, ({ bytes }) => bytes);
  }

  get bytes(): number {
    return this.#entries.size;
  }

  async get(key: string): Promise<string | null> {
    const entry = this.#entries.get(key);
    if (!entry) return null;
    if (entry.expiresAt > this.#elapsed()) return entry.value;
    this.#entries.delete(key);
    return null;
  }

  async set(key: string, value: string, milliseconds: number): Promise<void> {
    this.#entries.delete(key);
    const size = Buffer.byteLength(value);
    if (size > largestEntryBytes) return;
    const expiresAt = this.#elapsed() + milliseconds;
    this.#entries.set(key, { value, bytes: size + key.length + overheadBytes, expiresAt });
  }

  /** No other process shares this cache. */
  async claim(): Promise<boolean> {
    return true;
  }

  async unclaim(): Promise<void> {}

  async close(): Promise<void> {
    this.#entries.clear();
  }
}
