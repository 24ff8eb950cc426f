import { filterNames, filters as filterTable, unknownValue } from "../../../contract/analytics-filters.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { joined, raw, type Statement, sql, uuidLiteral } from "../../platform/database/sql.ts";
import type { Filters, Selection } from "../selection.ts";

/** Which sessions a question covers, and the SQL conditions for them. */

export interface Scope {
  /** the quiz's number in the copy; null for the whole store [figures.whole-store] */
  quiz: number | null;
  filters: Filters;
}

/** The number of a quiz that the copy does not know because nobody took it; it matches no row. */
const unknownQuiz = -1;

export async function scopeOf(
  query: CopyQuery,
  { quizId, filters }: Pick<Selection, "quizId" | "filters">,
): Promise<Scope> {
  if (quizId === null) return { quiz: null, filters };
  // a literal, since a statement without parameters takes one call of DuckDB instead of two
  const [row] = await query(sql<{ quiz: number }>`SELECT quiz FROM quizzes WHERE id = ${raw(uuidLiteral(quizId))}`);
  return { quiz: row?.quiz ?? unknownQuiz, filters };
}

/**
 * An internal number (the start of a day, a dictionary number) as a literal. Not a parameter: those are bound as
 * DOUBLE, and comparing them with a BIGINT column converts the column row by row.
 */
export function whole(value: number): Statement {
  if (!Number.isSafeInteger(value)) throw new RangeError("not a whole number");
  return raw(value);
}

/** Condition for the quiz's rows, in any table with a quiz column. */
export const ofQuiz = ({ quiz }: Scope, alias: string): Statement =>
  quiz === null ? raw("true") : sql`${raw(alias)}.quiz = ${whole(quiz)}`;

/** Condition for the scope's rows of `sessions` as `s`. */
export const ofScope = (scope: Scope): Statement => joined([ofQuiz(scope, "s"), ...ofFilters(scope, "s")], " AND ");

/** The filters as conditions on `sessions` as `s`, or on `segments` as `g` [analytics.filters]. */
function ofFilters({ filters }: Scope, alias: "s" | "g"): Statement[] {
  const conditions: Statement[] = [];
  for (const name of filterNames) {
    const value = filters[name];
    const column = `${alias}.${filterTable[name].column}`;
    if (value === null) continue;
    if (name === "new_returning") conditions.push(raw(`${value === "returning" ? "" : "NOT "}${column}`));
    // a segment has the value itself, since it is never NULL
    else if (value === unknownValue && filterTable[name].unknown && alias === "s")
      conditions.push(raw(`${column} IS NULL`));
    else conditions.push(sql`${raw(column)} = ${value}`);
  }
  return conditions;
}

/**
 * Restricts another table to the scope's sessions through its segment column; empty without filters. Joining a few
 * segment numbers is faster than a condition on them.
 *
 * @param only an additional condition on `segments` as `g`, or null
 */
export function narrowed(scope: Scope, only: Statement | null = null): Statement {
  const conditions = ofFilters(scope, "g");
  if (only !== null) conditions.push(only);
  if (conditions.length === 0) return raw("");
  return sql`JOIN (SELECT g.segment FROM segments AS g WHERE ${joined(conditions, " AND ")}) AS narrow USING (segment)`;
}
