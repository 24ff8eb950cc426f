import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { notFound, Problem } from "../platform/problems.ts";

export interface PublishableVersion {
  /** UUID */
  id: string;
  number: number;
  page_count: number;
}

/** A version that may go live; throws 404, or 409 for one without pages [quizzes.pages-to-publish]. */
export async function readPublishable(db: StoreRunner, quizId: string, versionId: string): Promise<PublishableVersion> {
  const version = await db.first(sql<PublishableVersion>`
    SELECT id, number, page_count FROM quiz_versions
    WHERE store_id = ${ownStore} AND id = ${versionId} AND quiz_id = ${quizId}`);
  if (!version) throw notFound();
  if (version.page_count === 0)
    throw new Problem("conflict", { detail: "A version without pages cannot be published" });
  return version;
}
