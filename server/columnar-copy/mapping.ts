import { unknownValue } from "../../contract/analytics-filters.ts";
import { copyExitReasons, copyMoveCauses } from "../sessions/public.ts";
import type { Cell } from "./append.ts";
import { literal } from "./duck.ts";
import { dictionaryTables, maybeUnknown, segmentColumns, type TableDefinition } from "./schema-dictionaries.ts";

/**
 * Sources of the columns of a copy's tables (schema.ts names one for each) [copy.same-by-any-way]. Rows arrive in two
 * ways: many at once, by statements over a file of rows, or a few one by one, which avoids planning those statements
 * (about 60 ms). Each source therefore exists twice, with the same meaning: as a DuckDB expression over a row `s` and
 * an entry `x` of one of its lists, and as a function of one row and one entry.
 */

/**
 * One entry of a list in a session's fact text, or the list `i` about the session itself (copy-text.ts of sessions).
 */
export type Entry = readonly (number | null)[];

/** A row from PostgreSQL, when rows arrive one by one. */
export interface CellInput {
  row: Readonly<Record<string, Cell>>;
  /** of a session: its list `i`, the products that its entries refer to, and the text of the current entry */
  own?: Entry;
  products?: readonly string[];
  text?: string;
  /** returns the number of a key in a dictionary; null if it has none */
  find: (dictionary: string, ...key: Cell[]) => number | null;
  /** returns the dictionary number for a number of the session's version; null if the version lacks it */
  place: (kind: string, index: number, sub: number) => number | null;
}

export interface Source {
  sql: string;
  /** joins that the expression needs in addition to `s` and `x` */
  join?: string;
  cell: (input: CellInput, entry: Entry) => Cell;
  /** if the value is null, there is no row */
  required?: true;
  /** applies only to entries of this list; NULL for others */
  list?: string;
}

export interface MappedTable extends TableDefinition {
  sources: readonly Source[];
}

type MappedColumn = readonly [name: string, type: string, source?: Source];

/** Defines a table. A column without a source takes the row's column of the same name. */
export const mapped = (name: string, columns: readonly MappedColumn[]): MappedTable => ({
  name,
  columns: columns.map(([column, type]) => [column, type]),
  sources: columns.map(([column, , source]) => source ?? own(column)),
});

/** The row's own column. */
export const own = (column: string): Source => ({ sql: `s.${column}`, cell: ({ row }) => row[column] ?? null });

const at = (entry: Entry, place: number): number | null => entry[place - 1] ?? null;

/** An entry's number at a place, counted from 1. */
export const item = (place: number): Source => ({ sql: `x[${place}]`, cell: (_, entry) => at(entry, place) });

/** Whether an entry's number at a place is 1. */
export const flag = (place: number): Source => ({ sql: `x[${place}] = 1`, cell: (_, entry) => at(entry, place) === 1 });

/** A date, in days since 1970. */
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

/**
 * Combines the three parts of a version's key into one number, since joining by one number is cheaper than by three.
 * idx is below 2^20 and sub below 2^8 (limits of documents).
 */
export const placeNumber = (version: number, idx: number, sub: number): number => version * 2 ** 28 + idx * 256 + sub;

/**
 * The dictionary number for a version's number, if the version has it; for an option also by its number within the
 * question.
 */
export function knownKey(kind: string, place: number, subPlace?: number): Source {
  const alias = `${kind}_${place}`;
  const sub = subPlace === undefined ? "0" : `x[${subPlace}]`;
  return {
    sql: `${alias}.number`,
    join: `LEFT JOIN places AS ${alias} ON ${alias}.kind = '${kind}'
      AND ${alias}.place = (CAST(s.version_no AS BIGINT) * 268435456 + x[${place}] * 256 + ${sub})`,
    cell: (input, entry) => {
      const [index, subIndex] = [at(entry, place), subPlace === undefined ? 0 : at(entry, subPlace)];
      return index === null || subIndex === null ? null : input.place(kind, index, subIndex);
    },
  };
}

/** The same, but entries whose number the version lacks are left out. */
export function key(kind: string, place: number): Source {
  const source = knownKey(kind, place);
  return { ...source, join: source.join?.replace("LEFT ", "") ?? "", required: true };
}

/** A source that applies only to sessions that finished. The place is that of the exit reason. */
export const whereFinished = (place: number, { sql, join, cell }: Source): Source => {
  const finished = copyExitReasons.indexOf("finished");
  return {
    sql: `CASE WHEN x[${place}] = ${finished} THEN ${sql} END`,
    ...(join !== undefined && { join }),
    cell: (input, entry) => (at(entry, place) === finished ? cell(input, entry) : null),
  };
};

/** The number of a text in a dictionary with one key column. */
function numberIn(dictionary: string, alias: string, sql: string, cell: Source["cell"]): Source {
  const [number, name] = dictionaryTables.find((table) => table.name === dictionary)?.columns ?? [];
  if (!number || !name) throw new Error(`no dictionary ${dictionary}`);
  return {
    sql: `${alias}.${number[0]}`,
    join: `LEFT JOIN ${dictionary} AS ${alias} ON ${alias}.${name[0]} = ${sql}`,
    cell: (input, entry) => {
      const text = cell(input, entry);
      return text === null ? null : input.find(dictionary, text);
    },
  };
}

/** The number of the text in one of the row's columns. */
export function numberOf(dictionary: string, column: string): Source {
  const { sql, cell } = own(column);
  return numberIn(dictionary, `of_${column}`, sql, cell);
}

/** A product that an entry refers to by its index in the session's list. */
export const shownProduct = (place: number): Source =>
  numberIn("products", "shown_product", `s.g[x[${place}] + 1]`, ({ products = [] }, entry) => {
    return products[at(entry, place) ?? -1] ?? "";
  });

/**
 * Whether this is the first block that showed the product, by time and then block. For rows one by one,
 * `markFirstShown` sets it once all blocks of a session are known.
 */
export const firstShown = (product: Source, shownAt: Source, block: Source): Source => ({
  sql: `row_number() OVER (PARTITION BY s.session, ${product.sql} ORDER BY ${shownAt.sql}, ${block.sql}) = 1`,
  cell: () => false,
});

/** The row's key in `segments`. */
export const segmentKey = (row: Readonly<Record<string, Cell>>): Cell[] =>
  segmentColumns.map((column) => row[column] ?? (maybeUnknown.includes(column) ? unknownValue : null));

export const segmentKeySql = (column: string): string =>
  maybeUnknown.includes(column) ? `coalesce(s.${column}, '${unknownValue}')` : `s.${column}`;

export const isSegment = segmentColumns
  .map((column) => `of_segment.${column} = ${segmentKeySql(column)}`)
  .join(" AND ");

/** The segment of an order's session; NULL without a session. */
export const sessionSegment: Source = {
  sql: "of_segment.segment",
  join: `LEFT JOIN segments AS of_segment ON ${isSegment}`,
  // null also if the session was left out and no other session is in its segment
  cell: ({ row, find }) => (row["session"] === null ? null : find("segments", ...segmentKey(row))),
};

/** A text that was typed as an answer. */
export const answerText: Source = { sql: "s.text", cell: ({ text = null }) => text };

export const isCompleted: Source = {
  sql: "s.completed IS NOT NULL",
  cell: ({ row }) => row["completed"] !== null,
};

/** Whether the session left an email or a phone. The parameters are the places of their times in the list `i`. */
export const leftContact = (email: number, phone: number): Source => ({
  sql: `s.i[${email}] IS NOT NULL OR s.i[${phone}] IS NOT NULL`,
  cell: ({ own: entry = [] }) => at(entry, email) !== null || at(entry, phone) !== null,
});

export const no: Source = { sql: "false", cell: () => false };

/** A source that applies only to entries of one list. */
export const only = (list: string, source: Source): Source => ({ ...source, list });

const nothing = (type: string): Source => ({ sql: `CAST(NULL AS ${type})`, cell: () => null });

/** The sources of a table's columns for rows that come from `list`. */
export const sourcesOf = ({ columns, sources }: MappedTable, list?: string): Source[] =>
  sources.map((source, index) => {
    const type = columns[index]?.[1] ?? "";
    return source.list === undefined || source.list === list ? source : nothing(type);
  });

/** A statement that inserts all rows of `from`, which must name them `s`, into a table. */
export function insertOf(table: MappedTable, from: string, list?: string): string {
  const sources = sourcesOf(table, list);
  const joins = sources.map(({ join = "" }) => join).join(" ");
  return `INSERT INTO ${table.name} SELECT ${sources.map(({ sql }) => sql).join(", ")} FROM ${from} ${joins}`;
}

/** The row of a table for one entry; null if there is none. */
export function rowOf(sources: readonly Source[], input: CellInput, entry: Entry = []): Cell[] | null {
  const cells: Cell[] = [];
  for (const { cell, required } of sources) {
    const value = cell(input, entry);
    if (required && value === null) return null;
    cells.push(value);
  }
  return cells;
}
