import type { FactsParameter, FactsQuery } from "../../facts/public.ts";
import type { Asked, Filters } from "../asked.ts";

/** Which sessions a question is about, and how its SQL says so. */

export interface Scope {
  /** the quiz's number in the copy; null: the whole store */
  quiz: number | null;
  filters: Filters;
}

/** Of a quiz that the copy does not know, since nobody took it: no row has it. */
const unknownQuiz = -1;

export async function scopeOf(
  query: FactsQuery,
  { quizId, filters }: Pick<Asked, "quizId" | "filters">,
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
  readonly values: FactsParameter[] = [];

  /** where the text has it */
  put(value: FactsParameter): string {
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
export function ofScope(scope: Scope, parameters: Parameters): string {
  const { channel, device, new_returning: visitor, country } = scope.filters;
  const conditions = [ofQuiz(scope, "s")];
  if (channel !== null) conditions.push(`s.channel = ${parameters.put(channel)}`);
  if (device !== null) conditions.push(`s.device = ${parameters.put(device)}`);
  if (visitor !== null) conditions.push(visitor === "returning" ? "s.is_returning" : "NOT s.is_returning");
  if (country === "unknown") conditions.push("s.country IS NULL");
  else if (country !== null) conditions.push(`s.country = ${parameters.put(country)}`);
  return conditions.join(" AND ");
}

const isFiltered = ({ filters }: Scope): boolean => Object.values(filters).some((value) => value !== null);

/** Conditions on `sessions` as `s`. */
interface Narrowing {
  /** what the scope does not say; null: nothing more */
  only?: string | null;
  /** what sessions with rows that are asked for meet anyway: fewer of them to look rows up in */
  anyway?: string;
}

/**
 * Narrows another table, which has a quiz but no filters' columns, to the scope's sessions: nothing while nothing is
 * filtered, since the join costs more than all the rest.
 */
export const narrowed = (
  scope: Scope,
  parameters: Parameters,
  { only = null, anyway = "true" }: Narrowing = {},
): string =>
  isFiltered(scope) || only !== null
    ? `SEMI JOIN (
        SELECT s.session FROM sessions AS s WHERE ${ofScope(scope, parameters)} AND ${only ?? "true"} AND ${anyway}) AS narrow
      USING (session)`
    : "";
