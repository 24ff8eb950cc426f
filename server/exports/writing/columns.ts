import type { ExportHeaders } from "../../../contract/exports.ts";
import { type Cell, type CsvColumn, joined } from "./csv.ts";
import type { ColumnHead, TableHead, Value } from "./table.ts";

/** The columns of a dataset, from which every table format takes its own. */

export interface Column<Row> extends ColumnHead {
  /** the exact value, of the column's type; null in a row that has none */
  value: (row: Row) => Value;
  /** how the spreadsheet style of CSV shows it, if not as the value; null: it does not have this column */
  cell?: ((row: Row) => Cell) | null;
  /** the question's text and number, if it is a question's [exports.headers] */
  heading?: string;
}

/** Several texts in one cell: as JSON where values are exact, since a text may hold "; " itself; joined for people. */
export const listColumn = <Row>(name: string, texts: (row: Row) => readonly string[]): Column<Row> => ({
  name,
  type: "text",
  value: (row) => listed(texts(row)),
  cell: (row) => joined(texts(row)),
});

export const listed = (texts: readonly string[]): string | null => (texts.length === 0 ? null : JSON.stringify(texts));

const headOf = ({ name, heading }: Pick<Column<never>, "name" | "heading">, headers: ExportHeaders): string =>
  headers === "texts" ? (heading ?? name) : name;

/** The columns of the spreadsheet style, whose names and order stay as they are [exports.csv]. */
export const spreadsheetColumns = <Row>(columns: readonly Column<Row>[], headers: ExportHeaders): CsvColumn<Row>[] =>
  columns.flatMap(({ cell, type, value, ...column }) => {
    if (cell === null) return [];
    const shown = (row: Row): Cell => {
      const exact = value(row);
      return type === "decimal" && typeof exact === "string" ? { asIs: exact } : exact;
    };
    return [{ name: headOf(column, headers), cell: cell ?? shown }];
  });

/** The head of an exact table; its names differ from each other [exports.typed-columns]. */
export function tableHead<Row>(name: string, columns: readonly Column<Row>[], headers: ExportHeaders): TableHead {
  const used = new Set<string>();
  const unused = (wanted: string): string => {
    let name = wanted;
    for (let next = 2; used.has(name); next++) name = `${wanted}_${next}`;
    used.add(name);
    return name;
  };
  return { name, columns: columns.map((column) => ({ name: unused(headOf(column, headers)), type: column.type })) };
}
