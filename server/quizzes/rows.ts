import type { QuizSummary, VersionSummary } from "../../contract/quizzes.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, raw, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";

/** Rows of quizzes and versions, and their form in answers [quizzes.summary]. */

export interface QuizRow {
  id: string;
  name: string;
  archived: boolean;
  draft_page_count: number;
  published_version_id: string | null;
  created_at: Date;
  updated_at: Date;
  versions_numbered: number;
  ai_run_started_at: Date | null;
  ai_run_expires_at: Date | null;
  ai_run_holder: string | null;
  draft_revision: number;
}

export interface VersionRow {
  id: string;
  quiz_id: string;
  number: number;
  label: string | null;
  page_count: number;
  created_at: Date;
}

export const parseQuizId = (text: string) => parseId("quiz", text);
export const parseVersionId = (text: string) => parseId("ver", text);

type SummarisedQuiz = Pick<QuizRow, "id" | "name" | "archived" | "draft_page_count" | "published_version_id"> &
  Record<Times, Date | string>;
type Times = "created_at" | "updated_at";

/** Lists return times already formatted (list-quizzes.ts). */
const timeText = (at: Date | string): string => (typeof at === "string" ? at : isoTime(at));

export function quizSummary(quiz: SummarisedQuiz, baseUrl: string, deleted = false): QuizSummary {
  const id = formatId("quiz", quiz.id);
  const { published_version_id: published } = quiz;
  const summary: QuizSummary = {
    id,
    name: quiz.name,
    status: deleted ? "deleted" : published === null ? "draft" : "published",
    archived: quiz.archived,
    page_count: quiz.draft_page_count,
    created_at: timeText(quiz.created_at),
    updated_at: timeText(quiz.updated_at),
    urls: {
      self: `${baseUrl}/v1/quizzes/${id}`,
      versions: `${baseUrl}/v1/quizzes/${id}/versions`,
      dashboard: `${baseUrl}/dashboard/quizzes/${id}`,
    },
  };
  if (published !== null) summary.published_version = formatId("ver", published);
  return summary;
}

type SummarisedVersion = Omit<VersionRow, "created_at"> & { created_at: Date | string };

export const versionSummary = (version: SummarisedVersion, liveVersionId: string | null): VersionSummary => ({
  id: formatId("ver", version.id),
  quiz_id: formatId("quiz", version.quiz_id),
  number: version.number,
  label: version.label,
  page_count: version.page_count,
  published: version.id === liveVersionId,
  created_at: timeText(version.created_at),
});

/** A quiz that is not deleted; throws 404. */
export const readQuiz = (db: StoreRunner, quizId: string): Promise<QuizRow> => oneQuiz(db, quizId, "");

/**
 * The same, locked until the transaction ends, so that changes of one quiz happen one after the other. It is the weaker
 * of the two row locks for writing: sessions and versions may still refer to the quiz.
 */
export const lockQuiz = (tx: StoreTransaction, quizId: string): Promise<QuizRow> =>
  oneQuiz(tx, quizId, "FOR NO KEY UPDATE");

async function oneQuiz(db: StoreRunner, quizId: string, locking: "" | "FOR NO KEY UPDATE"): Promise<QuizRow> {
  const quiz = await db.first(sql<QuizRow>`
    SELECT id, name, archived, draft_page_count, published_version_id, created_at, updated_at, versions_numbered,
      ai_run_started_at, ai_run_expires_at, ai_run_holder, draft_revision
    FROM quizzes WHERE store_id = ${ownStore} AND id = ${quizId} AND deleted_at IS NULL ${raw(locking)}`);
  if (!quiz) throw notFound();
  return quiz;
}
