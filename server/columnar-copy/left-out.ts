import type { Log } from "../platform/log.ts";
import type { ChangedKind } from "./source.ts";

/**
 * A row that a copy could not take [copy.left-out]: the copy cannot hold it, or it is larger than this process should
 * hold in memory. It stays out until it changes, and the rest is served. Otherwise a single row would block every
 * question of its store.
 */
export interface LeftOut {
  kind: ChangedKind;
  /** UUID */
  id: string;
  reason: "unfit" | "too_large";
}

/** per sync; the metric counts all of them */
const loggedAtMost = 20;

export function logLeftOut(log: Log, storeId: string, rows: readonly LeftOut[]): void {
  for (const row of rows.slice(0, loggedAtMost)) {
    log.warn({ store: storeId, ...row }, "a row is left out of a columnar copy until it changes");
  }
  if (rows.length > loggedAtMost) {
    log.warn({ store: storeId, more: rows.length - loggedAtMost }, "more rows are left out of a columnar copy");
  }
}
