import type { CopyParameter, CopyQuery } from "../../columnar-copy/public.ts";
import type { Filters, Selection } from "../selection.ts";

/** Which sessions a question is about, and how its SQL says so. */

export interface Scope {
  /** the quiz's number in the copy; null: the whole store */
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
  const [row] = await query<{ quiz: number }>({
    sql: "SELECT quiz FROM quizzes WHERE id = CAST($1 AS UUID)",
    parameters: [quizId],
  });
  return { quiz: row?.quiz ?? unknownQuiz, filters };
}

/** What came from outside, on its way into a statement: it is never part of the text. */
export class Parameters {
  readonly values: CopyParameter[] = [];

  /** where the text has it */
  put(value: CopyParameter): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/**
 * A number of ours (a day's first moment, a dictionary's number) as part of a text. Not a parameter: those come as DOUBLE,
 * and a BIGINT column that is compared with one is converted, row by row.
 */
export function whole(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError("not a whole number");
  return String(value);
}

/** Rows of the quiz, in any table that has it. */
export const ofQuiz = ({ quiz }: Scope, alias: string): string =>
  quiz === null ? "true" : `${alias}.quiz = ${whole(quiz)}`;

/** Rows of `sessions` (as `s`) that the scope holds. */
export const ofScope = (scope: Scope, parameters: Parameters): string =>
  [ofQuiz(scope, "s"), ...ofFilters(scope, "s", parameters)].join(" AND ");

/** What the filters say of `sessions` as `s`, or of `segments` as `g`. */
function ofFilters({ filters }: Scope, alias: "s" | "g", parameters: Parameters): string[] {
  const { channel, device, new_returning: visitor, country } = filters;
  const conditions: string[] = [];
  if (channel !== null) conditions.push(`${alias}.channel = ${parameters.put(channel)}`);
  if (device !== null) conditions.push(`${alias}.device = ${parameters.put(device)}`);
  if (visitor !== null) conditions.push(`${visitor === "returning" ? "" : "NOT "}${alias}.is_returning`);
  // a segment's country is never NULL
  if (country === "unknown" && alias === "s") conditions.push("s.country IS NULL");
  else if (country !== null) conditions.push(`${alias}.country = ${parameters.put(country)}`);
  return conditions;
}

/**
 * Narrows another table to the scope's sessions by their segments, which it has: nothing while nothing is filtered. A join
 * by few numbers takes less time than a condition on them.
 *
 * @param only of `segments` as `g`, what the scope does not say; null: nothing more
 */
export function narrowed(scope: Scope, parameters: Parameters, only: string | null = null): string {
  const conditions = ofFilters(scope, "g", parameters);
  if (only !== null) conditions.push(only);
  if (conditions.length === 0) return "";
  return `JOIN (SELECT g.segment FROM segments AS g WHERE ${conditions.join(" AND ")}) AS narrow USING (segment)`;
}
