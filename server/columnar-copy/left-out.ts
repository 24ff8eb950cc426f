import type { Log } from "../platform/log.ts";
import type { ChangedKind } from "./source.ts";

/**
 * What a copy could not take [copy.left-out]. A row that it cannot hold, or that is larger than this process should
 * hold at once, stays out of the copy until it changes, and the rest is served: without that one row would stop every
 * question of its store.
 */
export interface LeftOut {
  kind: ChangedKind;
  /** UUID */
  id: string;
  reason: "unfit" | "too_large";
}

/** of one sync; the metric counts all of them */
const loggedAtMost = 20;

export function logLeftOut(log: Log, storeId: string, rows: readonly LeftOut[]): void {
  for (const row of rows.slice(0, loggedAtMost)) {
    log.warn({ store: storeId, ...row }, "a row is left out of a columnar copy until it changes");
  }
  if (rows.length > loggedAtMost) {
    log.warn({ store: storeId, more: rows.length - loggedAtMost }, "more rows are left out of a columnar copy");
  }
}
