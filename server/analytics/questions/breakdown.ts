import type { BreakdownAnswer } from "../../../contract/analytics-answers.ts";
import { filters, noOutcome, type SplitName, unknownValue } from "../../../contract/analytics-filters.ts";
import type { FiguresOf } from "../../../contract/analytics-shapes.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { raw, type Statement, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { formatId } from "../../platform/ids.ts";
import type { Selection } from "../selection.ts";
import { within } from "./days.ts";
import { distinctVisitors } from "./distinct.ts";
import { ofQuiz, ofScope, type Scope, scopeOf } from "./scope.ts";
import { hasCounts, type SplitCounts, splitCounts } from "./split.ts";

/** A session's value, as an answer shows it. */
function shownValue(by: SplitName): Statement {
  if (by === "outcome") return raw(`coalesce(o.value, '${noOutcome.value}')`);
  const { column, unknown } = filters[by];
  if (by === "new_returning") return raw("CASE WHEN s.is_returning THEN 'returning' ELSE 'new' END");
  return raw(unknown ? `coalesce(s.${column}, '${unknownValue}')` : `s.${column}`);
}

/** At least as many as there are values: every filter's value of a session occurs in some segment. */
const valuesAtMost = (by: SplitName): Statement =>
  raw(
    by === "outcome"
      ? "(SELECT count(*) + 1 FROM outcomes)"
      : `(SELECT count(DISTINCT ${filters[by].column}) FROM segments)`,
  );

/**
 * The sessions of a quiz or of the store by one of their properties: one row for each value with any counts, ordered by
 * views descending, then by value [figures.breakdown].
 */
export async function breakdown(
  query: CopyQuery,
  _db: StoreRunner,
  selection: Selection,
  by: SplitName,
): Promise<FiguresOf<BreakdownAnswer>> {
  const { quizId, range } = selection;
  const scope = await scopeOf(query, selection);
  const viewers = await distinctVisitors(query, valuesAtMost(by));
  type Row = SplitCounts & { value: string; viewers: number };
  const rows = await query(sql<Row>`
    SELECT ${shownValue(by)} AS value, ${viewers(within(range, "s.opened"))} AS viewers,
      ${splitCounts(range)}
    FROM sessions AS s ${raw(by === "outcome" ? "LEFT JOIN outcomes AS o USING (outcome)" : "")}
    WHERE ${ofScope(scope)} AND ${hasCounts(range)}
    GROUP BY value ORDER BY views DESC, value`);
  const names = by === "outcome" ? await outcomeNames(query, scope) : null;
  return {
    quiz_id: quizId === null ? null : formatId("quiz", quizId),
    by,
    rows: rows.map(({ value, views, viewers: visitors, ...counts }) => ({
      value,
      ...(names && { name: names.get(value) ?? noOutcome.name }),
      views,
      unique_viewers_approx: visitors,
      ...counts,
    })),
  };
}

/** By value, as in the newest version that shoppers opened; of several quizzes, the newest [figures.outcomes]. */
async function outcomeNames(query: CopyQuery, scope: Scope): Promise<ReadonlyMap<string, string>> {
  const rows = await query(sql<{ value: string; name: string }>`
    SELECT n.value, arg_max(n.name, {a: v.quiz_id, b: v.version, c: n.name}) AS name
    FROM outcome_names AS n JOIN versions AS v USING (version_no) WHERE ${ofQuiz(scope, "v")} GROUP BY n.value`);
  return new Map(rows.map(({ value, name }) => [value, name]));
}
