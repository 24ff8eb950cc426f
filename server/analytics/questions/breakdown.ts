import type { BreakdownAnswer } from "../../../contract/analytics-answers.ts";
import { type FilterName, filters, unknownValue } from "../../../contract/analytics-filters.ts";
import type { FiguresOf } from "../../../contract/analytics-shapes.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { raw, type Statement, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { formatId } from "../../platform/ids.ts";
import type { Selection } from "../selection.ts";
import { within } from "./days.ts";
import { distinctVisitors } from "./distinct.ts";
import { ofScope, scopeOf } from "./scope.ts";
import { hasCounts, type SplitCounts, splitCounts } from "./split.ts";

/** A session's value, as an answer shows it. */
function shownValue(by: FilterName): Statement {
  const { column, unknown } = filters[by];
  if (by === "new_returning") return raw("CASE WHEN s.is_returning THEN 'returning' ELSE 'new' END");
  return raw(unknown ? `coalesce(s.${column}, '${unknownValue}')` : `s.${column}`);
}

/**
 * The sessions of a quiz or of the store by one of their properties: one row for each value with any counts, ordered by
 * views descending, then by value [figures.breakdown].
 */
export async function breakdown(
  query: CopyQuery,
  _db: StoreRunner,
  selection: Selection,
  by: FilterName,
): Promise<FiguresOf<BreakdownAnswer>> {
  const { quizId, range } = selection;
  const scope = await scopeOf(query, selection);
  // every value of a session occurs in some segment
  const viewers = await distinctVisitors(query, sql`(SELECT count(DISTINCT ${raw(filters[by].column)}) FROM segments)`);
  type Row = SplitCounts & { value: string; viewers: number };
  const rows = await query(sql<Row>`
    SELECT ${shownValue(by)} AS value, ${viewers(within(range, "s.opened"))} AS viewers,
      ${splitCounts(range)}
    FROM sessions AS s WHERE ${ofScope(scope)} AND ${hasCounts(range)}
    GROUP BY value ORDER BY views DESC, value`);
  return {
    quiz_id: quizId === null ? null : formatId("quiz", quizId),
    by,
    rows: rows.map(({ value, views, viewers: visitors, ...counts }) => ({
      value,
      views,
      unique_viewers_approx: visitors,
      ...counts,
    })),
  };
}
