import type { Calendar } from "./clock.ts";
import type { Database } from "./database/database.ts";
import type { Runner } from "./database/sql.ts";
import { eachStore } from "./each-store.ts";
import { positionAt } from "./outbox.ts";

/** What is kept for a while only: each kind of row goes when it is older than its age, a store at a time. */

const day = 24 * 60 * 60 * 1000;

interface Kept {
  table: string;
  /** which rows are past their age; `$2` is the time that they have to be older than */
  old: string;
  keptMs: number;
  /** where `$2` is no time */
  bound?: (milliseconds: number) => number;
}

// as long as deliveries can be read and sent again, and never before they are made
const eventIsDone = `due_at IS NULL
  AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.store_id = $1 AND d.event_id = outbox.id)`;

export const keptForAWhile: readonly Kept[] = [
  // a copy that is further behind is built anew
  { table: "changes", old: "at < $2", keptMs: 7 * day },
  { table: "idempotency_keys", old: "created_at < $2", keptMs: day },
  // before the events that they are of
  { table: "webhook_deliveries", old: "created_at < $2", keptMs: 30 * day },
  {
    table: "outbox",
    old: `feed_position > 0 AND feed_position < $2::bigint AND ${eventIsDone}`,
    keptMs: 30 * day,
    bound: positionAt,
  },
  // of before events had places
  { table: "outbox", old: `feed_position IS NULL AND created_at < $2 AND ${eventIsDone}`, keptMs: 30 * day },
  // the platform gives up on a message long before
  { table: "commerce_deliveries", old: "received_at < $2", keptMs: 30 * day },
  // a day after its process would have deleted it: the record of one whose process is gone for good, disk and all
  { table: "facts_copies", old: "seen_at < $2", keptMs: 8 * day },
];

const rowsAtOnce = 5_000;

/** Deletes what is past its age; returns the number of rows. */
export async function forgetOldRows(database: Database, calendar: Calendar): Promise<number> {
  const reader = database.reader();
  return eachStore(database, async (storeId) => {
    let gone = 0;
    for (const kind of keptForAWhile) gone += await forget(reader, storeId, kind, calendar.now() - kind.keptMs);
    return gone;
  });
}

/** In rounds, so that no statement holds many rows at once, and until nothing is left: a busy store adds many a day. */
async function forget(reader: Runner, storeId: string, kind: Kept, before: number): Promise<number> {
  const { table, old, bound } = kind;
  let gone = 0;
  for (;;) {
    const row = await reader.first<{ gone: number }>({
      sql: `WITH old AS (
              DELETE FROM ${table} WHERE store_id = $1 AND ctid = ANY (ARRAY(
                SELECT ctid FROM ${table} WHERE store_id = $1 AND ${old} LIMIT ${rowsAtOnce}
              )) RETURNING 1)
            SELECT count(*) AS gone FROM old`,
      parameters: [storeId, bound ? bound(before) : new Date(before)],
    });
    const deleted = row?.gone ?? 0;
    gone += deleted;
    if (deleted < rowsAtOnce) return gone;
  }
}
