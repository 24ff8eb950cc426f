import { appendRows, type Cell } from "./append.ts";
import { literal, read, type WriteConnection } from "./duck.ts";
import { columnsSql, tableOf } from "./schema.ts";
import type { TableDefinition } from "./schema-dictionaries.ts";

/**
 * The numbers that a table of a copy assigns to keys. The table's first column is the number, the others are the key.
 * New keys continue from the highest number, so only one writer at a time may add to a table.
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

  /**
   * @param where SQL condition on the table's columns for the keys that will be looked up; null if the table is empty
   */
  static async open(duck: WriteConnection, name: string, where: string | null): Promise<Dictionary> {
    if (where === null) return new Dictionary(name, new Map(), 0);
    const [[number, ...keys], types] = [namesOf(name), new Map(tableOf(name).columns)];
    // the form that keys have in the rest of the code
    const columns = keys.map((key) =>
      types.get(key) === "UUID" ? `CAST("${key}" AS VARCHAR) AS "${key}"` : `"${key}"`,
    );
    // the highest number comes from a separate SELECT, so that the key lookup can run as a join
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

  /** Opens a dictionary with the numbers of the given keys that are in it. */
  static async of(duck: WriteConnection, name: string, keys: readonly Cell[][]): Promise<Dictionary> {
    return Dictionary.open(duck, name, await isOneOf(duck, name, keys));
  }

  get size(): number {
    return this.#numbers.size;
  }

  /** Whether it knows all keys of its table, whose numbers have no gaps. */
  get isWhole(): boolean {
    return this.#numbers.size === this.#last;
  }

  find(...key: readonly Cell[]): number | null {
    return this.#numbers.get(textOf(key)) ?? null;
  }

  /** Returns the key's number, assigning one if it has none. */
  numberOf(...key: readonly Cell[]): number {
    const text = textOf(key);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#numbers.set(text, this.#last);
    this.#added.push([this.#last, ...key]);
    return this.#last;
  }

  /** The rows of the added keys, which the caller inserts within the connection's transaction. */
  takeAdded(): readonly [TableDefinition, readonly Cell[][]] {
    return [tableOf(this.#name), this.#added.splice(0)];
  }
}

/** longer lists are faster as a table; parsing a statement with a hundred thousand texts takes seconds */
const [keysListedAtMost, textsListedAtMost] = [16, 2_500];
const sqlOf = (cell: Cell): string => (typeof cell === "string" ? literal(cell) : String(cell));

/** The condition that a row of a dictionary has one of these keys; null if there are none. */
async function isOneOf(duck: WriteConnection, name: string, keys: readonly Cell[][]): Promise<string | null> {
  if (keys.length === 0) return null;
  const columns = tableOf(name).columns.slice(1);
  if (keys.length <= (columns.length === 1 ? textsListedAtMost : keysListedAtMost)) {
    const list = columns.map(([column]) => `"${column}"`).join(", ");
    return `(${list}) IN (${keys.map((key) => `(${key.map(sqlOf).join(", ")})`).join(", ")})`;
  }
  const table = { name: `wanted_${name}`, columns };
  duck.sendLater(`CREATE OR REPLACE TEMP TABLE ${table.name} (${columnsSql(table)})`);
  await appendRows(duck, table, keys, { schema: "main", catalog: "temp" });
  const equal = columns.map(([column]) => `w."${column}" = ${name}."${column}"`);
  return `EXISTS (SELECT 1 FROM temp.${table.name} AS w WHERE ${equal.join(" AND ")})`;
}

const namesOf = (name: string): string[] => tableOf(name).columns.map(([column]) => column);

const textOf = (key: readonly Cell[]): string => JSON.stringify(key);
