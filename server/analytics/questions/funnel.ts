import type { FunnelAnswer, FunnelPage } from "../../../contract/analytics-answers.ts";
import type { FiguresOf } from "../../../contract/analytics-shapes.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { type StoreRunner, sql } from "../../platform/database/sql.ts";
import { formatId } from "../../platform/ids.ts";
import { within } from "./days.ts";
import { definitionOf, type NamedPage, pagesOf, type QuizSelection } from "./definition.ts";
import { rate } from "./figures.ts";
import { narrowed, ofQuiz, ofScope, type Scope, scopeOf } from "./scope.ts";

/**
 * Where a quiz's shoppers leave. The cohort consists of the sessions whose first answer is in the range, each followed
 * to its end, whenever that is [funnel.cohort]. Views are the sessions that were opened in the range, plus the cohort
 * [funnel.views]. Each page counts a session once [funnel.page-counts], and every start is accounted for
 * [funnel.balance]:
 *
 *   starts = completions + sessions_dropped of all pages + in_progress
 */
export async function funnel(
  query: CopyQuery,
  db: StoreRunner,
  selection: QuizSelection,
): Promise<FiguresOf<FunnelAnswer>> {
  const { quizId } = selection;
  const scope = await scopeOf(query, selection);
  const [ends, visited, definition] = await Promise.all([
    readEnds(query, selection, scope),
    readVisits(query, selection, scope),
    definitionOf(db, quizId),
  ]);
  const visits = new Map(visited.map((row) => [row.page_key, row]));
  const views = ends.reduce((sum, end) => sum + end.views, 0);
  const starts = startsOf(ends);
  return {
    quiz_id: formatId("quiz", quizId),
    views,
    not_started: views - starts,
    starts,
    completions: startsOf(ends, "completed"),
    in_progress: startsOf(ends, "in_progress"),
    pages: pagesOf(definition, visits.keys()).map((page) => {
      const endsHere = ends.filter((end) => end.page_key === page.page_key);
      return pageOf(page, visits.get(page.page_key), endsHere, starts);
    }),
  };
}

const startsOf = (ends: readonly EndsRow[], status?: EndsRow["status"]): number =>
  ends.reduce((sum, end) => sum + (status === undefined || end.status === status ? end.starts : 0), 0);

/** Sessions that ended on this page with this status; page null for sessions that entered no page. */
interface EndsRow {
  page_key: string | null;
  status: "completed" | "in_progress" | "left";
  views: number;
  starts: number;
}

/** One scan for all session counts. `starts` counts the cohort; totals are the sums over the rows. */
function readEnds(query: CopyQuery, { range }: QuizSelection, scope: Scope): Promise<EndsRow[]> {
  const opened = within(range, "s.opened");
  const started = within(range, "s.started");
  return query(sql<EndsRow>`
    SELECT p.page_key, e.* EXCLUDE (exit_page) FROM (
      SELECT s.exit_page, s.status, count(*) AS views, count(CASE WHEN ${started} THEN 1 END) AS starts
      FROM sessions AS s WHERE ${ofScope(scope)} AND ((${opened}) OR (${started}))
      GROUP BY s.exit_page, s.status) AS e
    LEFT JOIN pages AS p ON p.page = e.exit_page`);
}

interface VisitsRow {
  page_key: string;
  reached: number;
  by_jump: number;
  skipped: number;
  went_back: number;
  mean_time: number | null;
}

/** The cohort's pages. A row of `visits` is one session and one page that it opened. */
function readVisits(query: CopyQuery, { range }: QuizSelection, scope: Scope): Promise<VisitsRow[]> {
  return query(sql<VisitsRow>`
    SELECT p.page_key, c.* EXCLUDE (page) FROM (
      SELECT v.page, count(*) AS reached, count_if(v.first_by_jump) AS by_jump, count_if(v.skipped) AS skipped,
        count_if(v.went_back) AS went_back, avg(v.time_ms) AS mean_time
      FROM visits AS v ${narrowed(scope)}
      WHERE ${ofQuiz(scope, "v")} AND ${within(range, "v.started")}
      GROUP BY v.page) AS c
    JOIN pages AS p USING (page)`);
}

function pageOf(page: NamedPage, visits: VisitsRow | undefined, ends: readonly EndsRow[], starts: number): FunnelPage {
  const reached = visits?.reached ?? 0;
  const dropped = startsOf(ends, "left");
  return {
    ...page,
    sessions_reached: reached,
    sessions_reached_by_jump: visits?.by_jump ?? 0,
    sessions_continued: reached - dropped - startsOf(ends, "in_progress"),
    sessions_dropped: dropped,
    sessions_skipped: visits?.skipped ?? 0,
    sessions_went_back: visits?.went_back ?? 0,
    avg_time_on_page_ms: visits?.mean_time ?? null,
    dropped_share_of_starts: rate(dropped, starts),
  };
}
