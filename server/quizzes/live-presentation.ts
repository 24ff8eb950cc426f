import type { Presentation } from "../../engine/document.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";

/**
 * The parts of a live quiz's presentation that a surrounding page needs, without the texts, which are by far the
 * largest part.
 */
export interface LivePresentation {
  name: string;
  presentation: Omit<Presentation, "texts">;
}

/** null for a draft, a deleted quiz and one of another store. */
export async function livePresentation(db: StoreRunner, quizId: string): Promise<LivePresentation | null> {
  const row = await db.first(sql<{ name: string; presentation: Presentation | null }>`
    SELECT q.name, v.document -> 'presentation' AS presentation
    FROM quizzes q JOIN quiz_versions v ON v.store_id = q.store_id AND v.id = q.published_version_id
    WHERE q.store_id = ${ownStore} AND q.id = ${quizId} AND q.deleted_at IS NULL`);
  if (row === undefined) return null;
  const { texts: _, ...presentation } = row.presentation ?? {};
  return { name: row.name, presentation };
}
