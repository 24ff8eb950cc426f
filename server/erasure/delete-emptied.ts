import type { Database } from "../platform/database/database.ts";
import { deleteRows } from "../platform/database/delete-rows.ts";
import { raw, sql } from "../platform/database/sql.ts";
import { childrenFirst, tenantTables } from "./tables.ts";

/**
 * Deletes the remaining rows of emptied test twins. They are unreachable, and there may be any number of them, so they
 * are deleted in batches [test-stores.emptied].
 */

const storesAtOnce = 1_000;
/** After this time every process that cached the store has noticed that it is gone. */
const restMs = 5 * 60_000;

/** Returns how many rows were deleted. `now`: calendar time in ms. */
export async function deleteEmptied(database: Database, now: number): Promise<number> {
  const reader = database.reader();
  const stores = await reader.all(sql<{ id: string }>`
    SELECT id FROM stores WHERE emptied_at <= ${new Date(now - restMs)} ORDER BY emptied_at LIMIT ${raw(storesAtOnce)}`);
  if (stores.length === 0) return 0;
  const tables = childrenFirst((await tenantTables(reader)).filter(({ name }) => name !== "stores"));
  let gone = 0;
  for (const { id } of stores) {
    if (database.isAway(id)) continue;
    for (const { name } of tables) gone += await deleteRows(reader.forStore(id), name, sql`TRUE`);
    await reader.all(sql`DELETE FROM stores WHERE id = ${id}`);
  }
  return gone;
}
