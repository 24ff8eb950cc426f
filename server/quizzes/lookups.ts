import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";

/** Lookups of a store's quizzes for other slices. */

/** Names by UUID, including deleted quizzes [quizzes.delete]; unknown ones are not in the map. */
export async function quizNames(db: StoreRunner, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.all(sql<{ id: string; name: string }>`
    SELECT id, name FROM quizzes WHERE store_id = ${ownStore} AND id = ANY(${ids}::uuid[])`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Whether the store has the quiz and it is not deleted. */
export async function hasQuiz(db: StoreRunner, quizId: string): Promise<boolean> {
  const found = await db.first(
    sql`SELECT 1 FROM quizzes WHERE store_id = ${ownStore} AND id = ${quizId} AND deleted_at IS NULL`,
  );
  return found !== undefined;
}

export interface PresentQuiz {
  id: string;
  name: string;
  status: "draft" | "published";
}

/** Every quiz that is not deleted, archived ones too. */
export const presentQuizzes = (db: StoreRunner): Promise<PresentQuiz[]> =>
  db.all(sql<PresentQuiz>`
    SELECT id, name, CASE WHEN published_version_id IS NULL THEN 'draft' ELSE 'published' END AS status
    FROM quizzes WHERE store_id = ${ownStore} AND deleted_at IS NULL`);

/** When each version went live; `at` in ms. */
export interface Publish {
  at: number;
  versionNumber: number;
}

/** Oldest first. */
export async function publishesOf(db: StoreRunner, quizId: string): Promise<Publish[]> {
  const rows = await db.all(sql<{ at: Date; number: number }>`
    SELECT h.at, v.number FROM quiz_history h
    JOIN quiz_versions v ON v.store_id = h.store_id AND v.id = h.version_id
    WHERE h.store_id = ${ownStore} AND h.quiz_id = ${quizId} AND h.action = 'published' ORDER BY h.at, v.number`);
  return rows.map(({ at, number }) => ({ at: at.getTime(), versionNumber: number }));
}
