import type { CopyQuery } from "../../columnar-copy/public.ts";
import { joined, raw, type Statement, sql } from "../../platform/database/sql.ts";
import type { Filters, Selection } from "../selection.ts";

/** Which sessions a question is about, and how its SQL says so. */

export interface Scope {
  /** the quiz's number in the copy; null: the whole store [figures.whole-store] */
  quiz: number | null;
  filters: Filters;
}

/** Of a quiz that the copy does not know, since nobody took it: no row has it. */
const unknownQuiz = -1;

export async function scopeOf(
  query: CopyQuery,
  { quizId, filters }: Pick<Selection, "quizId" | "filters">,
): Promise<Scope> {
  if (quizId === null) return { quiz: null, filters };
  const [row] = await query(sql<{ quiz: number }>`SELECT quiz FROM quizzes WHERE id = CAST(${quizId} AS UUID)`);
  return { quiz: row?.quiz ?? unknownQuiz, filters };
}

/**
 * A number of ours (a day's first moment, a dictionary's number) as part of a text. Not a parameter: those come as DOUBLE,
 * and a BIGINT column that is compared with one is converted, row by row.
 */
export function whole(value: number): Statement {
  if (!Number.isSafeInteger(value)) throw new RangeError("not a whole number");
  return raw(value);
}

/** Rows of the quiz, in any table that has it. */
export const ofQuiz = ({ quiz }: Scope, alias: string): Statement =>
  quiz === null ? raw("true") : sql`${raw(alias)}.quiz = ${whole(quiz)}`;

/** Rows of `sessions` (as `s`) that the scope holds. */
export const ofScope = (scope: Scope): Statement => joined([ofQuiz(scope, "s"), ...ofFilters(scope, "s")], " AND ");

/** What the filters say of `sessions` as `s`, or of `segments` as `g` [analytics.filters]. */
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
 * Narrows another table to the scope's sessions by their segments, which it has: nothing while nothing is filtered. A join
 * by few numbers takes less time than a condition on them.
 *
 * @param only of `segments` as `g`, what the scope does not say; null: nothing more
 */
export function narrowed(scope: Scope, only: Statement | null = null): Statement {
  const conditions = ofFilters(scope, "g");
  if (only !== null) conditions.push(only);
  if (conditions.length === 0) return raw("");
  return sql`JOIN (SELECT g.segment FROM segments AS g WHERE ${joined(conditions, " AND ")}) AS narrow USING (segment)`;
}
