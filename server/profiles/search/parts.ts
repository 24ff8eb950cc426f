import { joined, type Statement, sql } from "../../platform/database/sql.ts";

/**
 * Parts of statements over the copy. Whatever came from outside is a parameter; only numbers that the copy gave to
 * quizzes, questions and options are written into the text, since plans are made for constants.
 */
export type Part = Statement<unknown>;

export const textValue = (value: string): Part => sql`CAST(${value} AS VARCHAR)`;
export const uuidValue = (value: string): Part => sql`CAST(${value} AS UUID)`;
export const dayValue = (value: string): Part => sql`CAST(${value} AS DATE)`;
/** As digits, since a whole number beyond 64 bits cannot be bound as one. */
export const doubleValue = (value: number): Part => sql`CAST(${String(value)} AS DOUBLE)`;
/** A moment in ms, or a count. */
export const integerValue = (value: number): Part => sql`CAST(${BigInt(value)} AS BIGINT)`;

/** The same for parts that say the same. */
export const keyOf = ({ sql: text, parameters }: Part): string => JSON.stringify([text, parameters.map(String)]);

/** `column IN (1, 2)` of numbers that the copy gave; no number: `false`. */
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
