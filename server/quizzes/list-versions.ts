import { listVersions } from "../../contract/quizzes.ts";
import { type CursorBinding, cutPage, readCursor } from "../platform/cursors.ts";
import { ownStore, raw, sql } from "../platform/database/sql.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import { notFound } from "../platform/problems.ts";
import type { QuizRouteDeps } from "./deps.ts";
import { parseQuizId, type VersionRow, versionSummary } from "./rows.ts";

/** A quiz without a version (on this page) is one row without an id. */
type ListedRow = { live_id: string | null } & (VersionRow | { id: null });

/** GET /v1/quizzes/{quiz_id}/versions: the quiz and a page of its versions in one statement. */
export const listVersionsRoute = ({ secrets }: QuizRouteDeps) =>
  readRoute(listVersions, async ({ caller, params, query }, db) => {
    const { cursor, limit = 20 } = query;
    // the unparsed id, so that a cursor is checked before the id, like every other parameter [api.check-order]
    const binding: CursorBinding = { storeId: caller.store.id, route: listVersions.id, filters: params["quiz_id"] };
    const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
    const quizId = pathId(parseQuizId, params["quiz_id"]);
    const rows = await db.all(sql<ListedRow>`
      SELECT q.published_version_id AS live_id, v.id, v.quiz_id, v.number, v.label, v.page_count, v.created_at
      FROM quizzes q
      LEFT JOIN LATERAL (
        SELECT id, quiz_id, number, label, page_count, created_at
        FROM quiz_versions
        WHERE store_id = ${ownStore} AND quiz_id = ${quizId}
          ${after ? sql`AND (created_at, id) < (${new Date(after.at)}, ${after.id})` : raw("")}
        ORDER BY created_at DESC, id DESC
        LIMIT ${limit + 1}
      ) v ON true
      WHERE q.store_id = ${ownStore} AND q.id = ${quizId} AND q.deleted_at IS NULL
      ORDER BY v.created_at DESC, v.id DESC`);
    if (rows.length === 0) throw notFound();
    const versions = rows.filter((row) => row.id !== null);
    const page = cutPage(versions, limit, secrets, binding, (row) => ({ at: row.created_at.getTime(), id: row.id }));
    const data = page.rows.map((row) => versionSummary(row, row.live_id));
    return { data, has_more: page.has_more, next_cursor: page.next_cursor };
  });
