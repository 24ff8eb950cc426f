/**
 * Answers kept for a while, shared by all processes that have the same Redis [operations.shared-answers]. What cannot
 * be reached holds nothing: no call ever fails, and whoever asks makes the answer anew.
 *
 * A key names everything that the answer depends on, the store first.
 */
export interface Cache {
  get(key: string): Promise<string | null>;
  /** Keeps the value at most so long. One larger than `largestEntryBytes` is not kept. */
  set(key: string, value: string, milliseconds: number): Promise<void>;
  /**
   * Whether the caller is the one to make what the key will hold: false while another process that shares the cache has
   * said so less than `milliseconds` ago. True when nobody can tell.
   */
  claim(key: string, milliseconds: number): Promise<boolean>;
  /** Takes the claim back, when the work is done or has failed. */
  unclaim(key: string): Promise<void>;
  close(): Promise<void>;
}

export const largestEntryBytes = 1 << 20;
