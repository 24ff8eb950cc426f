import type { CopyParameter } from "../../columnar-copy/public.ts";
import type { Statement } from "../../platform/database/sql.ts";

/**
 * A statement's values beside its text. Whatever came from outside becomes a parameter; only numbers that the copy gave
 * to quizzes, questions and options are written into the text, since plans are made for constants.
 */
export class Parameters {
  readonly #values: CopyParameter[] = [];
  readonly #known = new Map<string, string>();

  text(value: string): string {
    return this.#add(value, "VARCHAR");
  }

  uuid(value: string): string {
    return this.#add(value, "UUID");
  }

  /** As digits, since a whole number beyond 64 bits cannot be bound as one. */
  double(value: number): string {
    return this.#add(String(value), "DOUBLE");
  }

  /** a moment in ms, or a count */
  integer(value: number): string {
    return this.#add(BigInt(value), "BIGINT");
  }

  day(value: string): string {
    return this.#add(value, "DATE");
  }

  /** The statement with those of the values that it came to use: conditions may have been dropped on the way. */
  question(sql: string): Statement<never> {
    const parameters: CopyParameter[] = [];
    const places = new Map<string, string>();
    const place = (written: string, index: string): string => {
      const value = this.#values[Number(index) - 1];
      if (value === undefined) throw new Error(`the statement has no value for ${written}`);
      const known = places.get(index) ?? `$${parameters.push(value)}`;
      places.set(index, known);
      return known;
    };
    return { sql: sql.replaceAll(/\$(\d+)/g, place), parameters };
  }

  /** One parameter a value, so that equal conditions are equal texts. */
  #add(value: CopyParameter, type: string): string {
    const name = `${type} ${value}`;
    const written = this.#known.get(name) ?? `CAST($${this.#values.length + 1} AS ${type})`;
    if (!this.#known.has(name)) this.#values.push(value);
    this.#known.set(name, written);
    return written;
  }
}

/** `column IN (1, 2)` of numbers that the copy gave; no number: `false`. */
export function among(column: string, numbers: readonly number[]): string {
  if (numbers.length === 0) return "false";
  const whole = [...new Set(numbers)].sort((a, b) => a - b);
  if (!whole.every(Number.isSafeInteger)) throw new TypeError("the copy's numbers are whole");
  return whole.length === 1 ? `${column} = ${whole[0]}` : `${column} IN (${whole.join(", ")})`;
}

export const anyOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "false" : `(${conditions.join(" OR ")})`;

export const allOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "true" : `(${conditions.join(" AND ")})`;
