import { copyExitReasons, copyMoveCauses } from "../sessions/public.ts";
import type { Cell } from "./append.ts";
import { literal } from "./duck.ts";
import { dictionaryTables, segmentColumns, type TableDefinition, unknownCountry } from "./schema-dictionaries.ts";

/**
 * Where the columns of a copy's tables come from (schema.ts names one for each) [copy.same-by-any-way]. Rows come in
 * two ways: many at once, by statements over a file of rows, and a few one by one, which spares the planning of those
 * statements, some sixty ms. Each source therefore says the same thing twice: as DuckDB's expression over a row `s` and
 * an entry `x` of one of its lists, and as a function of one row and entry.
 */

/** One entry of a list in a session's fact text, or what it says of the session itself (copy-text.ts of the sessions). */
export type Entry = readonly (number | null)[];

/** A row that PostgreSQL handed over, where rows come one by one. */
export interface Given {
  row: Readonly<Record<string, Cell>>;
  /** what a session's fact text says of the session itself, the products that its entries name, and an entry's own text */
  own?: Entry;
  products?: readonly string[];
  text?: string;
  /** the number of a key in a dictionary; null: it has none */
  find: (dictionary: string, ...key: Cell[]) => number | null;
  /** the number of what the session's version numbers so; null: the version lacks it */
  place: (kind: string, index: number, sub: number) => number | null;
}

export interface Source {
  sql: string;
  /** what the expression needs beside `s` and `x` */
  join?: string;
  cell: (given: Given, entry: Entry) => Cell;
  /** without a value there is no row */
  required?: true;
  /** of entries of this list alone; NULL of others */
  list?: string;
}

export interface MappedTable extends TableDefinition {
  sources: readonly Source[];
}

type MappedColumn = readonly [name: string, type: string, source?: Source];

/** A column without a source has that of its name. */
export const mapped = (name: string, columns: readonly MappedColumn[]): MappedTable => ({
  name,
  columns: columns.map(([column, type]) => [column, type]),
  sources: columns.map(([column, , source]) => source ?? own(column)),
});

/** The row's own column. */
export const own = (column: string): Source => ({ sql: `s.${column}`, cell: ({ row }) => row[column] ?? null });

const at = (entry: Entry, place: number): number | null => entry[place - 1] ?? null;

/** An entry's number, counted from 1. */
export const item = (place: number): Source => ({ sql: `x[${place}]`, cell: (_, entry) => at(entry, place) });

/** Whether an entry's number is 1. */
export const flag = (place: number): Source => ({ sql: `x[${place}] = 1`, cell: (_, entry) => at(entry, place) === 1 });

/** A day, in days since 1970. */
export const day = (place: number): Source => ({
  sql: `DATE '1970-01-01' + CAST(x[${place}] AS INTEGER)`,
  cell: (_, entry) => at(entry, place),
});

/** A moment, in ms since the session was opened. */
export const moment = (place: number): Source => ({
  sql: `s.opened + CAST(x[${place}] AS BIGINT)`,
  cell: ({ row }, entry) => {
    const after = at(entry, place);
    return after === null ? null : Number(row["opened"]) + after;
  },
});

const named = (names: readonly string[], place: number): Source => ({
  sql: `[${names.map(literal).join(", ")}][x[${place}] + 1]`,
  cell: (_, entry) => names[at(entry, place) ?? -1] ?? null,
});
export const moveCause = (place: number): Source => named(copyMoveCauses, place);
export const exitReason = (place: number): Source => named(copyExitReasons, place);

/** One number for a key of a version, since a join by one is cheaper than by three: idx below 2^20, sub below 2^8 (bounds of documents). */
export const placeNumber = (version: number, idx: number, sub: number): number => version * 2 ** 28 + idx * 256 + sub;

/** What the version numbers so, if it has it; of an option, its number within the question as well. */
export function knownKey(kind: string, place: number, subPlace?: number): Source {
  const alias = `${kind}_${place}`;
  const sub = subPlace === undefined ? "0" : `x[${subPlace}]`;
  return {
    sql: `${alias}.number`,
    join: `LEFT JOIN places AS ${alias} ON ${alias}.kind = '${kind}'
      AND ${alias}.place = (CAST(s.version_no AS BIGINT) * 268435456 + x[${place}] * 256 + ${sub})`,
    cell: (given, entry) => {
      const [index, subIndex] = [at(entry, place), subPlace === undefined ? 0 : at(entry, subPlace)];
      return index === null || subIndex === null ? null : given.place(kind, index, subIndex);
    },
  };
}

/** The same, where an entry is left out when the version lacks what it names. */
export function key(kind: string, place: number): Source {
  const source = knownKey(kind, place);
  return { ...source, join: source.join?.replace("LEFT ", "") ?? "", required: true };
}

/** The number that a dictionary of one column gives a text. */
function numberIn(dictionary: string, alias: string, sql: string, cell: Source["cell"]): Source {
  const [number, name] = dictionaryTables.find((table) => table.name === dictionary)?.columns ?? [];
  if (!number || !name) throw new Error(`no dictionary ${dictionary}`);
  return {
    sql: `${alias}.${number[0]}`,
    join: `LEFT JOIN ${dictionary} AS ${alias} ON ${alias}.${name[0]} = ${sql}`,
    cell: (given, entry) => {
      const text = cell(given, entry);
      return text === null ? null : given.find(dictionary, text);
    },
  };
}

/** The number of the text that the row has in a column. */
export function numberOf(dictionary: string, column: string): Source {
  const { sql, cell } = own(column);
  return numberIn(dictionary, `of_${column}`, sql, cell);
}

/** A product that an entry names by its place in the session's list. */
export const shownProduct = (place: number): Source =>
  numberIn("products", "shown_product", `s.g[x[${place}] + 1]`, ({ products = [] }, entry) => {
    return products[at(entry, place) ?? -1] ?? "";
  });

/**
 * Whether this is the first block that showed the product, of the moment and the block that the entry has at these places.
 * One by one it is told when all blocks of a session are known: `markFirstShown`.
 */
export const firstShown = (product: Source, shownAt: Source, block: Source): Source => ({
  sql: `row_number() OVER (PARTITION BY s.session, ${product.sql} ORDER BY ${shownAt.sql}, ${block.sql}) = 1`,
  cell: () => false,
});

/** A row's columns as `segments` has them. */
export const segmentKey = (row: Readonly<Record<string, Cell>>): Cell[] =>
  segmentColumns.map((column) => row[column] ?? (column === "country" ? unknownCountry : null));

export const segmentKeySql = (column: string): string =>
  column === "country" ? `coalesce(s.country, '${unknownCountry}')` : `s.${column}`;

export const isSegment = segmentColumns
  .map((column) => `of_segment.${column} = ${segmentKeySql(column)}`)
  .join(" AND ");

/** The segment of an order's session; NULL without one. */
export const sessionSegment: Source = {
  sql: "of_segment.segment",
  join: `LEFT JOIN segments AS of_segment ON ${isSegment}`,
  // a session that was left out may have been the only one of its segment
  cell: ({ row, find }) => (row["session"] === null ? null : find("segments", ...segmentKey(row))),
};

/** A text that was given as an answer. */
export const givenText: Source = { sql: "s.text", cell: ({ text = null }) => text };

export const isCompleted: Source = {
  sql: "s.completed IS NOT NULL",
  cell: ({ row }) => row["completed"] !== null,
};

/** Whether the session left an email or a phone at a moment that its fact text has at these places. */
export const leftContact = (email: number, phone: number): Source => ({
  sql: `s.i[${email}] IS NOT NULL OR s.i[${phone}] IS NOT NULL`,
  cell: ({ own: given = [] }) => at(given, email) !== null || at(given, phone) !== null,
});

export const no: Source = { sql: "false", cell: () => false };

/** What only entries of one list say. */
export const only = (list: string, source: Source): Source => ({ ...source, list });

const nothing = (type: string): Source => ({ sql: `CAST(NULL AS ${type})`, cell: () => null });

/** The sources of a table's columns, of rows that come from `list`. */
export const sourcesOf = ({ columns, sources }: MappedTable, list?: string): Source[] =>
  sources.map((source, index) => {
    const type = columns[index]?.[1] ?? "";
    return source.list === undefined || source.list === list ? source : nothing(type);
  });

/** Inserts into a table all rows of `from`, which names them `s`. */
export function insertOf(table: MappedTable, from: string, list?: string): string {
  const sources = sourcesOf(table, list);
  const joins = sources.map(({ join = "" }) => join).join(" ");
  return `INSERT INTO ${table.name} SELECT ${sources.map(({ sql }) => sql).join(", ")} FROM ${from} ${joins}`;
}

/** The row of a table that one entry comes to; null: none. */
export function rowOf(sources: readonly Source[], given: Given, entry: Entry = []): Cell[] | null {
  const cells: Cell[] = [];
  for (const { cell, required } of sources) {
    const value = cell(given, entry);
    if (required && value === null) return null;
    cells.push(value);
  }
  return cells;
}
