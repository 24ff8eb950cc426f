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
  const { channel, device, new_returning: visitor, country } = filters;
  const conditions: Statement[] = [];
  const equal = (column: string, value: string) => sql`${raw(`${alias}.${column}`)} = ${value}`;
  if (channel !== null) conditions.push(equal("channel", channel));
  if (device !== null) conditions.push(equal("device", device));
  if (visitor !== null) conditions.push(raw(`${visitor === "returning" ? "" : "NOT "}${alias}.is_returning`));
  // a segment's country is never NULL
  if (country === "unknown" && alias === "s") conditions.push(raw("s.country IS NULL"));
  else if (country !== null) conditions.push(equal("country", country));
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
