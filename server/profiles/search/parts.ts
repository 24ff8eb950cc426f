import { joined, type Statement, sql } from "../../platform/database/sql.ts";

/**
 * Parts of statements over the copy. All external values are parameters. Only numbers that the copy assigned to
 * quizzes, questions and options are written into the text, since DuckDB plans better for constants.
 */
export type Part = Statement<unknown>;

export const textValue = (value: string): Part => sql`CAST(${value} AS VARCHAR)`;
export const uuidValue = (value: string): Part => sql`CAST(${value} AS UUID)`;
export const dayValue = (value: string): Part => sql`CAST(${value} AS DATE)`;
/** Passed as text, since a whole number beyond 64 bits cannot be bound as an integer. */
export const doubleValue = (value: number): Part => sql`CAST(${String(value)} AS DOUBLE)`;
/** A time in ms, or a count. */
export const integerValue = (value: number): Part => sql`CAST(${BigInt(value)} AS BIGINT)`;

/** Equal for parts with the same text and parameters. */
export const keyOf = ({ sql: text, parameters }: Part): string => JSON.stringify([text, parameters.map(String)]);

/** `column IN (1, 2)` for numbers assigned by the copy; `false` if there are none. */
export function among(column: string, numbers: readonly number[]): string {
  if (numbers.length === 0) return "false";
  const whole = [...new Set(numbers)].sort((a, b) => a - b);
  if (!whole.every(Number.isSafeInteger)) throw new TypeError("the copy's numbers are whole");
  return whole.length === 1 ? `${column} = ${whole[0]}` : `${column} IN (${whole.join(", ")})`;
}

export const anyOf = (conditions: readonly Part[]): Part =>
  conditions.length === 0 ? sql`false` : sql`(${joined(conditions, " OR ")})`;

export const allOf = (conditions: readonly Part[]): Part =>
  conditions.length === 0 ? sql`true` : sql`(${joined(conditions, " AND ")})`;
