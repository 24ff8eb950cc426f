import type { Database, DueStatement } from "./database/database.ts";
import { sql } from "./database/sql.ts";
import { Problem } from "./problems.ts";

/**
 * Runs work for each store in turn; returns the sum. An error in one store does not stop the others: it is thrown after
 * they are done.
 */
export async function eachStore(database: Database, work: (storeId: string) => Promise<number>): Promise<number> {
  const stores = await database.reader().all<{ id: string }>(sql`SELECT id FROM stores`);
  let sum = 0;
  let failure: Problem | null = null;
  for (const { id } of stores) {
    if (database.isAway(id)) continue;
    try {
      sum += await work(id);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      failure ??= error;
    }
  }
  if (failure !== null) throw failure;
  return sum;
}

/**
 * Runs due work, found by one statement over all stores and done store by store in the statement's order; returns the
 * sum. A store that cannot be reached is left for a later round.
 */
export async function eachDueStore<Row extends { store_id: string }>(
  database: Database,
  statement: DueStatement<Row>,
  work: (storeId: string, due: readonly Row[]) => Promise<number>,
): Promise<number> {
  const due = await database.due(statement);
  let sum = 0;
  for (const [storeId, rows] of Map.groupBy(due, (row) => row.store_id)) {
    if (!database.isAway(storeId)) sum += await work(storeId, rows);
  }
  return sum;
}
