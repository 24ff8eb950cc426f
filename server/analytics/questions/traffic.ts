import type { TrafficAnswer } from "../../../contract/analytics-answers.ts";
import type { FiguresOf, TrafficDimension } from "../../../contract/analytics-shapes.ts";
import type { FactsQuery } from "../../facts/public.ts";
import type { Runner } from "../../platform/database/statements.ts";
import { formatId } from "../../platform/ids.ts";
import type { Asked } from "../asked.ts";
import { within } from "./days.ts";
import { ofScope, Parameters, scopeOf, whole } from "./scope.ts";
import { hasCounts, type SplitCounts, splitCounts, splitFigures } from "./split.ts";

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
  const value = `coalesce(nullif(s.${by}, ''), '${emptyValue[by]}')`;
  const ofAsked = ofScope(scope, parameters);
  const sum = (figures: readonly string[]) => figures.map((name) => `coalesce(sum(a.${name}), 0)`).join(", ");
  const sql = `
    WITH sources AS MATERIALIZED (
        SELECT ${value} AS value, ${splitCounts(range)}
        FROM sessions AS s WHERE ${ofAsked} AND ${hasCounts(range)} GROUP BY value),
      largest AS MATERIALIZED (SELECT * FROM sources ORDER BY views DESC, value LIMIT ${whole(limit)}),
      -- NULL: of all the others
      visitors AS MATERIALIZED (
        SELECT l.value, count(DISTINCT s.visitor) AS viewers
        FROM sessions AS s LEFT JOIN largest AS l ON l.value = ${value}
        WHERE ${ofAsked} AND ${within(range, "s.opened")} GROUP BY l.value)
    SELECT false AS other, l.*, coalesce(v.viewers, 0) AS viewers FROM largest AS l LEFT JOIN visitors AS v USING (value)
    UNION ALL
    SELECT true, 'other', ${sum(splitFigures)}, coalesce((SELECT viewers FROM visitors WHERE value IS NULL), 0)
    FROM sources AS a ANTI JOIN largest USING (value)
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
