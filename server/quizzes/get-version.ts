import { getVersion } from "../../contract/quizzes.ts";
import { build } from "../platform/database/statements.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import { notFound } from "../platform/problems.ts";
import { parseQuizId, parseVersionId, versionSummary } from "./rows.ts";

/** GET /v1/quizzes/{quiz_id}/versions/{version_id}; a version of another quiz is not found [api.not-found]. */
export const getVersionRoute = () =>
  readRoute(getVersion, async ({ caller, params }, db) => {
    const quizId = pathId(parseQuizId, params["quiz_id"]);
    const versionId = pathId(parseVersionId, params["version_id"]);
    const row = await db.first(
      build
        .selectFrom("quiz_versions as v")
        .innerJoin("quizzes as q", (on) => on.onRef("q.store_id", "=", "v.store_id").onRef("q.id", "=", "v.quiz_id"))
        .select(["v.id", "v.quiz_id", "v.number", "v.label", "v.page_count", "v.created_at", "q.published_version_id"])
        .where("v.store_id", "=", caller.store.id)
        .where("v.id", "=", versionId)
        .where("v.quiz_id", "=", quizId)
        .where("q.deleted_at", "is", null),
    );
    if (!row) throw notFound();
    return versionSummary(row, row.published_version_id);
  });
