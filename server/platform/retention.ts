import type { Calendar } from "./clock.ts";
import type { Database } from "./database/database.ts";
import type { Runner } from "./database/statements.ts";
import { noDeadline } from "./deadline.ts";

/** What is kept for a while only: each kind of row goes when it is older than its age, a store at a time. */

const day = 24 * 60 * 60 * 1000;

export const keptForAWhile = [
  // a copy that is further behind is built anew
  { table: "changes", column: "at", keptMs: 7 * day },
  { table: "idempotency_keys", column: "created_at", keptMs: day },
  // as long as deliveries can be read and sent again
  { table: "outbox", column: "created_at", keptMs: 30 * day },
  // (8.4)
  { table: "webhook_deliveries", column: "created_at", keptMs: 30 * day },
  // the platform gives up on a message long before
  { table: "commerce_deliveries", column: "received_at", keptMs: 30 * day },
  // a day after its process would have deleted it: the record of one whose process is gone for good, disk and all
  { table: "facts_copies", column: "seen_at", keptMs: 8 * day },
] as const;

const rowsAtOnce = 5_000;

/** Deletes what is past its age; returns the number of rows. */
export async function forgetOldRows(database: Database, calendar: Calendar): Promise<number> {
  const reader = database.reader(noDeadline);
  const stores = await reader.all<{ id: string }>({ sql: "SELECT id FROM stores", parameters: [] });
  let gone = 0;
  for (const { id } of stores) {
    for (const kind of keptForAWhile) gone += await forget(reader, id, kind, new Date(calendar.now() - kind.keptMs));
  }
  return gone;
}

/** In rounds, so that no statement holds many rows at once, and until nothing is left: a busy store adds many a day. */
async function forget(
  reader: Runner,
  storeId: string,
  kind: (typeof keptForAWhile)[number],
  before: Date,
): Promise<number> {
  const { table, column } = kind;
  let gone = 0;
  for (;;) {
    const row = await reader.first<{ gone: number }>({
      sql: `WITH old AS (
              DELETE FROM ${table} WHERE store_id = $1 AND ctid = ANY (ARRAY(
                SELECT ctid FROM ${table} WHERE store_id = $1 AND ${column} < $2 LIMIT ${rowsAtOnce}
              )) RETURNING 1)
            SELECT count(*) AS gone FROM old`,
      parameters: [storeId, before],
    });
    const deleted = row?.gone ?? 0;
    gone += deleted;
    if (deleted < rowsAtOnce) return gone;
  }
}
