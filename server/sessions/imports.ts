import { ownStore, type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import type { IncomingBatch } from "./incoming.ts";
import { isPreview, stateOf, type Verdict, type Visit } from "./take.ts";

/** When the oldest imported session of a quiz opened [figures.live-since]; what shoppers send now never moves it. */

interface Taken {
  batch: IncomingBatch;
  visit: Visit;
  verdicts: readonly Verdict[];
}

/** Remembers the oldest opening of each quiz that history brought. Sessions are reduced by now. */
export async function recordImports(tx: Transaction, storeId: string, taken: readonly Taken[]): Promise<void> {
  const oldest = new Map<string, number>();
  for (const { batch, visit, verdicts } of taken) {
    if (!batch.history || isPreview(visit) || !verdicts.some(({ kind }) => kind === "kept")) continue;
    const { quizId } = visit.version;
    oldest.set(quizId, Math.min(stateOf(visit).opened_at, oldest.get(quizId) ?? Number.POSITIVE_INFINITY));
  }
  if (oldest.size === 0) return;
  const openings = Array.from(oldest.values(), (at) => new Date(at));
  await tx.forStore(storeId).all(sql`INSERT INTO imported_openings AS i (store_id, quiz_id, opened_at)
          SELECT ${ownStore}::uuid, o.quiz_id, o.opened_at FROM unnest(${[...oldest.keys()]}::uuid[], ${openings}::timestamptz[]) AS o (quiz_id, opened_at)
          ON CONFLICT (store_id, quiz_id) DO UPDATE SET opened_at = EXCLUDED.opened_at WHERE i.opened_at > EXCLUDED.opened_at`);
}

/** ms of the oldest opening that history brought; null: none was brought. */
export async function importedOpening(db: Runner, storeId: string, quizId: string): Promise<number | null> {
  const row = await db.forStore(storeId).first(
    sql<{
      opened_at: Date;
    }>`SELECT opened_at FROM imported_openings WHERE store_id = ${ownStore} AND quiz_id = ${quizId}`,
  );
  return row?.opened_at.getTime() ?? null;
}
