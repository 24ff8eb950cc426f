/**
 * Answers cached for a while, shared by all processes with the same Redis [operations.shared-answers]. An unreachable
 * cache counts as empty: no call ever fails, and callers compute the answer themselves.
 *
 * A key names everything that the answer depends on, the store first.
 */
export interface Cache {
  get(key: string): Promise<string | null>;
  /** Caches the value for at most that many ms. A value larger than `largestEntryBytes` is not cached. */
  set(key: string, value: string, milliseconds: number): Promise<void>;
  /**
   * Whether the caller should compute the key's value: false if another process that shares the cache claimed it less
   * than `milliseconds` ago. True if the cache cannot tell.
   */
  claim(key: string, milliseconds: number): Promise<boolean>;
  /** Releases the claim when the work is done or has failed. */
  unclaim(key: string): Promise<void>;
  close(): Promise<void>;
}

export const largestEntryBytes = 1 << 20;
