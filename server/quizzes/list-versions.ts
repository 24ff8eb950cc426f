import { listVersions } from "../../contract/quizzes.ts";
import { type CursorBinding, older, type Place, placeOf, readPage } from "../platform/cursors.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import { notFound } from "../platform/problems.ts";
import type { QuizRouteDeps } from "./deps.ts";
import { parseQuizId, type VersionRow, versionSummary } from "./rows.ts";

/** A quiz without a version (on this page) is one row without an id. */
type ListedRow = { live_id: string | null } & (VersionRow | { id: null });

/** GET /v1/quizzes/{quiz_id}/versions: the quiz and a page of its versions in one statement. */
export const listVersionsRoute = ({ secrets }: QuizRouteDeps) =>
  readRoute(listVersions, ({ caller, params, query: { cursor, limit = 20 } }, db) => {
    // the unparsed id, so that a cursor is checked before the id, like every other parameter [api.check-order]
    const binding: CursorBinding = { storeId: caller.store.id, route: listVersions.id, filters: params["quiz_id"] };
    const read = async (after: Place | null, atMost: number) => {
      const quizId = pathId(parseQuizId, params["quiz_id"]);
      const rows = await db.all(sql<ListedRow>`
        SELECT q.published_version_id AS live_id, v.id, v.quiz_id, v.number, v.label, v.page_count, v.created_at
        FROM quizzes q
        LEFT JOIN LATERAL (
          SELECT id, quiz_id, number, label, page_count, created_at
          FROM quiz_versions
          WHERE store_id = ${ownStore} AND quiz_id = ${quizId} ${older(after)}
          ORDER BY created_at DESC, id DESC
          LIMIT ${atMost}
        ) v ON true
        WHERE q.store_id = ${ownStore} AND q.id = ${quizId} AND q.deleted_at IS NULL
        ORDER BY v.created_at DESC, v.id DESC`);
      if (rows.length === 0) throw notFound();
      return rows.filter((row) => row.id !== null);
    };
    return readPage({ secrets, binding, cursor, limit }, read, placeOf, (row) => versionSummary(row, row.live_id));
  });
