import type { ElapsedClock } from "../deadline.ts";
import { type Cache, largestEntryBytes } from "./types.ts";

interface Entry {
  value: string;
  bytes: number;
  expiresAt: number;
}

const standardBytes = 64 << 20;
/** what the map and the entry itself take, about */
const overheadBytes = 200;

/** Of a process that runs alone: the least recently used entries go when there is no room. */
export class MemoryCache implements Cache {
  readonly #elapsed: ElapsedClock;
  readonly #mostBytes: number;
  /** the least recently used first */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(elapsed: ElapsedClock, mostBytes = standardBytes) {
    this.#elapsed = elapsed;
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async get(key: string): Promise<string | null> {
    const entry = this.#entries.get(key);
    if (!entry) return null;
    this.#remove(key, entry);
    if (entry.expiresAt <= this.#elapsed()) return null;
    this.#add(key, entry);
    return entry.value;
  }

  async set(key: string, value: string, milliseconds: number): Promise<void> {
    const before = this.#entries.get(key);
    if (before) this.#remove(key, before);
    const size = Buffer.byteLength(value);
    if (size > largestEntryBytes) return;
    this.#add(key, { value, bytes: size + key.length + overheadBytes, expiresAt: this.#elapsed() + milliseconds });
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#remove(oldest, entry);
    }
  }

  /** No other process shares this cache. */
  async claim(): Promise<boolean> {
    return true;
  }

  async unclaim(): Promise<void> {}

  async close(): Promise<void> {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
