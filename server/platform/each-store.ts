import type { Database } from "./database/database.ts";
import { sql } from "./database/sql.ts";
import { Problem } from "./problems.ts";

/**
 * Work for every store, one after the other; answers the sum. A store that cannot be reached does not keep the others from
 * theirs: its failure is thrown when they are done.
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
