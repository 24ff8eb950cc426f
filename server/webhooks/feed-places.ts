import type { Database, DueStatement } from "../platform/database/database.ts";
import { ownStore, raw, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { eachDueStore } from "../platform/each-store.ts";
import type { Log } from "../platform/log.ts";
import { reservePositions } from "../platform/outbox.ts";
import { Problem } from "../platform/problems.ts";

/**
 * Gives feed positions to events that have none. Such events are inserted by a process of the previous release, which
 * may run at the same time during an upgrade. They appear in the feed once they have a position.
 */

export interface PlaceDeps {
  /** the calendar, ms */
  now: () => number;
  log: Log;
}

const placedAtOnce = 1_000;

/** Returns how many events it placed; call it again until it returns 0. */
export async function placeEvents(database: Database, deps: PlaceDeps): Promise<number> {
  const withoutPlaces: DueStatement<{ store_id: string }> = (only) => sql`
    /* due: across stores */
    SELECT DISTINCT store_id FROM outbox WHERE feed_position = 0 ${only} LIMIT 100`;
  return eachDueStore(database, withoutPlaces, async (storeId) => {
    try {
      return await database.transaction((tx) => placeOf(tx.forStore(storeId), deps));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      deps.log.warn({ err: error }, "could not place a store's events in the feed; retrying in the next round");
      return 0;
    }
  });
}

async function placeOf(tx: StoreTransaction, { now }: PlaceDeps): Promise<number> {
  const rows = await tx.all(sql<{ id: string }>`
    SELECT id FROM outbox WHERE store_id = ${ownStore} AND feed_position = 0
    ORDER BY created_at, id LIMIT ${raw(placedAtOnce)} FOR NO KEY UPDATE`);
  if (rows.length === 0) return 0;
  const first = await reservePositions(tx, tx.storeId, now(), rows.length);
  const positions = rows.map((_, index) => first + index);
  await tx.all(sql`
    UPDATE outbox AS o SET feed_position = p.position
    FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${positions}::bigint[]) AS p (id, position)
    WHERE o.store_id = ${ownStore} AND o.id = p.id`);
  return rows.length;
}
