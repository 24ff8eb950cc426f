import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { IncomingBatch } from "./incoming.ts";
import { attributesOf, type LoadedSession, stateOf, type Verdict } from "./loaded-session.ts";

/** The opening time of a quiz's oldest imported session [figures.live-since]; live events never change it. */

interface AppliedBatch {
  batch: IncomingBatch;
  session: LoadedSession;
  verdicts: readonly Verdict[];
}

/** Records the oldest imported opening of each quiz. The sessions must have been reduced. */
export async function recordImports(tx: StoreRunner, applied: readonly AppliedBatch[]): Promise<void> {
  const oldest = new Map<string, number>();
  for (const { batch, session, verdicts } of applied) {
    if (!batch.history || !verdicts.some(({ kind }) => kind === "kept") || attributesOf(session).preview) continue;
    const { quizId } = session.version;
    oldest.set(quizId, Math.min(stateOf(session).opened_at, oldest.get(quizId) ?? Number.POSITIVE_INFINITY));
  }
  if (oldest.size === 0) return;
  const openings = Array.from(oldest.values(), (at) => new Date(at));
  await tx.all(sql`
    INSERT INTO imported_openings AS i (store_id, quiz_id, opened_at)
    SELECT ${ownStore}::uuid, o.quiz_id, o.opened_at
    FROM unnest(${[...oldest.keys()]}::uuid[], ${openings}::timestamptz[]) AS o (quiz_id, opened_at)
    ON CONFLICT (store_id, quiz_id) DO UPDATE SET opened_at = EXCLUDED.opened_at WHERE i.opened_at > EXCLUDED.opened_at`);
}

/** Opening time of the oldest imported session, in ms; null: none was imported. */
export async function oldestImport(db: StoreRunner, quizId: string): Promise<number | null> {
  const row = await db.first(sql<{ opened_at: Date }>`
    SELECT opened_at FROM imported_openings WHERE store_id = ${ownStore} AND quiz_id = ${quizId}`);
  return row?.opened_at.getTime() ?? null;
}
