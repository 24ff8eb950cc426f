import type { TrafficAnswer } from "../../../contract/analytics-answers.ts";
import type { FiguresOf, TrafficDimension } from "../../../contract/analytics-shapes.ts";
import type { FactsQuery } from "../../facts/public.ts";
import type { Runner } from "../../platform/database/statements.ts";
import { formatId } from "../../platform/ids.ts";
import type { Asked } from "../asked.ts";
import { ofScope, Parameters, scopeOf, whole } from "./scope.ts";
import { hasCounts, type SplitCounts, splitCounts, viewers } from "./split.ts";

/** Also names of columns. */
const emptyValue: Record<TrafficDimension, string> = {
  referrer_host: "direct",
  utm_source: "none",
  utm_medium: "none",
  utm_campaign: "none",
  utm_content: "none",
  utm_term: "none",
  page_url: "none",
  placement: "none",
};

/**
 * Where a quiz's sessions came from (2.9): the sources with most views, then by value, and all others together, whose
 * distinct visitors are no sum of theirs (D12).
 *
 * @param limit rows at most
 */
export async function traffic(
  query: FactsQuery,
  _db: Runner,
  asked: Asked & { quizId: string },
  by: TrafficDimension,
  limit: number,
): Promise<FiguresOf<TrafficAnswer>> {
  const { quizId, range } = asked;
  const scope = await scopeOf(query, asked);
  const parameters = new Parameters();
  const counts = `${viewers(range)},
        ${splitCounts(range)}`;
  const sessions = `(SELECT *, coalesce(nullif(${by}, ''), '${emptyValue[by]}') AS value FROM sessions) AS s`;
  const where = `${ofScope(scope, parameters)} AND ${hasCounts(range)}`;
  const sql = `
    WITH largest AS MATERIALIZED (
      SELECT s.value, ${counts}
      FROM ${sessions} WHERE ${where}
      GROUP BY s.value ORDER BY views DESC, s.value LIMIT ${whole(limit)})
    SELECT false AS other, * FROM largest
    UNION ALL
    SELECT true, 'other', ${counts}
    FROM ${sessions} ANTI JOIN largest USING (value) WHERE ${where}
    ORDER BY other, views DESC, value`;
  type Row = SplitCounts & { other: boolean; value: string; viewers: number };
  const found = await query<Row>({ sql, parameters: parameters.values });
  const rows = found.map(({ other, value, views, viewers: visitors, ...rest }) => ({
    other,
    row: { value, views, unique_viewers: visitors, ...rest },
  }));
  const other = rows.find((each) => each.other)?.row;
  if (!other) throw new Error("an aggregate without groups has a row");
  return {
    quiz_id: formatId("quiz", quizId),
    by,
    rows: rows.filter((each) => !each.other).map(({ row }) => row),
    other,
  };
}
