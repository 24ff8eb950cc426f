import { listQuizzes, type QuizSummary } from "../../contract/quizzes.ts";
import { type CursorBinding, cutPage, type Place, readCursor } from "../platform/cursors.ts";
import { type Statement, written } from "../platform/database/statements.ts";
import { readRoute } from "../platform/http/operations.ts";
import { type QuizRow, quizSummary, type VersionRow, versionSummary } from "./rows.ts";
import type { QuizRouteTools } from "./tools.ts";

interface ListedRow extends QuizRow {
  latest_id?: string | null;
  latest_number: number;
  latest_label: string | null;
  latest_page_count: number;
  latest_created_at: Date;
}

/** GET /v1/quizzes: one statement a page, whatever is asked for. */
export const listQuizzesRoute = ({ secrets, baseUrl }: QuizRouteTools) =>
  readRoute(listQuizzes, async ({ caller, query }, db) => {
    const { status, archived, include, cursor, limit = 20 } = query;
    const storeId = caller.store.id;
    const filters = [status ?? null, archived ?? null];
    const binding: CursorBinding = { storeId, route: listQuizzes.id, filters };
    const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
    const live = status === undefined ? null : status === "published";
    const asked = { storeId, live, archived: archived ?? null, after, limit };
    const found = await db.all(selectPage(asked, include !== undefined));
    const page = cutPage(found, limit, secrets, binding, (row) => ({ at: row.created_at.getTime(), id: row.id }));
    const data = page.rows.map((row) => listed(row, baseUrl));
    return { data, has_more: page.has_more, next_cursor: page.next_cursor };
  });

function listed(row: ListedRow, baseUrl: string): QuizSummary {
  const summary = quizSummary(row, baseUrl);
  if (row.latest_id)
    summary.latest_version = versionSummary(latestVersion(row, row.latest_id), row.published_version_id);
  return summary;
}

const latestVersion = (row: ListedRow, id: string): VersionRow => ({
  id,
  quiz_id: row.id,
  number: row.latest_number,
  label: row.latest_label,
  page_count: row.latest_page_count,
  created_at: row.latest_created_at,
});

interface Asked {
  storeId: string;
  live: boolean | null;
  archived: boolean | null;
  after: Place | null;
  limit: number;
}

/** Four texts, made once and kept prepared; the filters of the fewest requests are parameters that may be null. */
const text = (withLatest: boolean, goesOn: boolean) => `
  SELECT q.id, q.name, q.archived, q.draft_page_count, q.published_version_id, q.created_at, q.updated_at${withLatest ? latestColumns : ""}
  FROM quizzes q${withLatest ? latestJoin : ""}
  WHERE q.store_id = $1 AND q.deleted_at IS NULL
    AND ($2::boolean IS NULL OR (q.published_version_id IS NOT NULL) = $2)
    AND ($3::boolean IS NULL OR q.archived = $3)${goesOn ? "\n    AND (q.created_at, q.id) < ($5, $6)" : ""}
  ORDER BY q.created_at DESC, q.id DESC
  LIMIT $4`;
const latestColumns = `,
    v.id AS latest_id, v.number AS latest_number, v.label AS latest_label, v.page_count AS latest_page_count,
    v.created_at AS latest_created_at`;
const latestJoin = `
  LEFT JOIN quiz_versions v ON v.store_id = q.store_id AND v.quiz_id = q.id AND v.number = q.versions_numbered`;

const texts = {
  plain: { first: text(false, false), next: text(false, true) },
  latest: { first: text(true, false), next: text(true, true) },
};

function selectPage({ storeId, live, archived, after, limit }: Asked, withLatest: boolean): Statement<ListedRow> {
  const { first, next } = texts[withLatest ? "latest" : "plain"];
  const parameters = [storeId, live, archived, limit + 1];
  return after ? written(next, [...parameters, new Date(after.at), after.id]) : written(first, parameters);
}
