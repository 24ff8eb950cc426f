import type { DuckDBConnection } from "@duckdb/node-api";
import { appendRows, type Cell } from "./append.ts";
import { literal, read } from "./duck.ts";
import { columnsSql, tableOf } from "./schema.ts";

/**
 * The numbers that a table of a copy gives to keys: its first column is the number, the others are the key. What it lacks
 * goes on from its highest number, so only one at a time may add to a table.
 */
export class Dictionary {
  readonly #name: string;
  readonly #numbers: Map<string, number>;
  #last: number;
  readonly #added: Cell[][] = [];

  private constructor(name: string, numbers: Map<string, number>, last: number) {
    this.#name = name;
    this.#numbers = numbers;
    this.#last = last;
  }

  /** @param where SQL, about the table's columns: which keys may be asked for; null: the table is known to be empty */
  static async open(duck: DuckDBConnection, name: string, where: string | null): Promise<Dictionary> {
    if (where === null) return new Dictionary(name, new Map(), 0);
    const [[number, ...keys], types] = [namesOf(name), new Map(tableOf(name).columns)];
    // the form that a key has everywhere else
    const columns = keys.map((key) =>
      types.get(key) === "UUID" ? `CAST("${key}" AS VARCHAR) AS "${key}"` : `"${key}"`,
    );
    // and the highest number, which the next ones go on from: on its own, since what is looked up is then joined, not compared
    const rows = await read<Record<string, Cell>>(
      duck,
      `SELECT "${number}" AS number, ${columns.join(", ")}, false AS is_last FROM ${name} WHERE ${where}
       UNION ALL SELECT max("${number}"), ${keys.map(() => "NULL").join(", ")}, true FROM ${name}`,
    );
    const found = rows.filter((row) => row["is_last"] === false);
    return new Dictionary(
      name,
      new Map(found.map((row) => [textOf(keys.map((key) => row[key] ?? null)), Number(row["number"])])),
      Number(rows.find((row) => row["is_last"] === true)?.["number"] ?? 0),
    );
  }

  /** With the numbers of these keys, as far as they have any. */
  static async of(duck: DuckDBConnection, name: string, keys: readonly Cell[][]): Promise<Dictionary> {
    return Dictionary.open(duck, name, await isWanted(duck, name, keys));
  }

  get size(): number {
    return this.#numbers.size;
  }

  find(...key: readonly Cell[]): number | null {
    return this.#numbers.get(textOf(key)) ?? null;
  }

  /** Gives the key a number if it has none. */
  numberOf(...key: readonly Cell[]): number {
    const text = textOf(key);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#numbers.set(text, this.#last);
    this.#added.push([this.#last, ...key]);
    return this.#last;
  }

  /** Puts what was added into the table, within the connection's transaction. */
  async save(duck: DuckDBConnection): Promise<void> {
    await appendRows(duck, tableOf(this.#name), this.#added.splice(0));
  }
}

/** a longer list of keys is read faster as a table; a statement of a hundred thousand texts takes seconds to be read */
const [keysListedAtMost, textsListedAtMost] = [16, 2_500];
const sqlOf = (cell: Cell): string => (typeof cell === "string" ? literal(cell) : String(cell));

/** Whether a row of a dictionary has one of these keys. Null without any. */
async function isWanted(duck: DuckDBConnection, name: string, keys: readonly Cell[][]): Promise<string | null> {
  if (keys.length === 0) return null;
  const columns = tableOf(name).columns.slice(1);
  if (keys.length <= (columns.length === 1 ? textsListedAtMost : keysListedAtMost)) {
    const list = columns.map(([column]) => `"${column}"`).join(", ");
    return `(${list}) IN (${keys.map((key) => `(${key.map(sqlOf).join(", ")})`).join(", ")})`;
  }
  const table = { name: `wanted_${name}`, columns };
  await duck.run(`CREATE OR REPLACE TEMP TABLE ${table.name} (${columnsSql(table)})`);
  await appendRows(duck, table, keys, { schema: "main", catalog: "temp" });
  const equal = columns.map(([column]) => `w."${column}" = ${name}."${column}"`);
  return `EXISTS (SELECT 1 FROM temp.${table.name} AS w WHERE ${equal.join(" AND ")})`;
}

const namesOf = (name: string): string[] => tableOf(name).columns.map(([column]) => column);

const textOf = (key: readonly Cell[]): string => JSON.stringify(key);
