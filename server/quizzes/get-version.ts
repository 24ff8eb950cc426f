import { getVersion } from "../../contract/quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import { notFound } from "../platform/problems.ts";
import { parseQuizId, parseVersionId, type VersionRow, versionSummary } from "./rows.ts";

/** GET /v1/quizzes/{quiz_id}/versions/{version_id}; a version of another quiz is not found [api.not-found]. */
export const getVersionRoute = () =>
  readRoute(getVersion, async ({ params }, db) => {
    const quizId = pathId(parseQuizId, params["quiz_id"]);
    const versionId = pathId(parseVersionId, params["version_id"]);
    const row = await db.first(sql<VersionRow & { live_id: string | null }>`
      SELECT v.id, v.quiz_id, v.number, v.label, v.page_count, v.created_at, q.published_version_id AS live_id
      FROM quiz_versions v JOIN quizzes q ON q.store_id = v.store_id AND q.id = v.quiz_id
      WHERE v.store_id = ${ownStore} AND v.id = ${versionId} AND v.quiz_id = ${quizId} AND q.deleted_at IS NULL`);
    if (!row) throw notFound();
    return versionSummary(row, row.live_id);
  });
