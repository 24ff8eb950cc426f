import type { Money } from "../../client/src/index.ts";

/**
 * A chart's figures as a table. The table on the screen, the CSV and the chart tests all use it, so that they cannot
 * show different figures.
 */

export type CellKind = "text" | "day" | "count" | "number" | "share" | "percent" | "duration" | "money" | "flag";

export type Cell = string | number | boolean | Money | null;

export interface FigureColumn {
  /** the API's name */
  key: string;
  /** the name that people see */
  label: string;
  kind: CellKind;
}

export interface FigureRow {
  /** identifies the row, also in another period */
  key: string;
  cells: readonly Cell[];
}

export interface FigureTable {
  columns: readonly FigureColumn[];
  rows: readonly FigureRow[];
}

export interface ColumnOf<Row> extends FigureColumn {
  of: (row: Row) => Cell;
}

/** A column that shows a field of the row. */
export const field = <Row, Key extends keyof Row & string>(
  key: Row[Key] extends Cell | undefined ? Key : never,
  label: string,
  kind: CellKind,
): ColumnOf<Row> => ({ key, label, kind, of: (row) => (row[key as Key] ?? null) as Cell });

export function tableOf<Row>(
  columns: readonly ColumnOf<Row>[],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): FigureTable {
  return {
    columns: columns.map(({ key, label, kind }) => ({ key, label, kind })),
    rows: rows.map((row) => ({ key: keyOf(row), cells: columns.map(({ of }) => of(row)) })),
  };
}

const compared: ReadonlySet<CellKind> = new Set(["count", "number", "share", "duration", "money"]);

/**
 * Adds to each figure the same figure of the previous period. Rows that only the previous period has come last, and
 * only if the current table is complete: otherwise they may exist now and merely not be listed.
 */
export function withBefore(now: FigureTable, before: FigureTable | undefined, hasAll = true): FigureTable {
  if (!before) return now;
  const earlier = new Map(before.rows.map((row) => [row.key, row]));
  const here = new Set(now.rows.map(({ key }) => key));
  const columns = now.columns.flatMap((column) =>
    compared.has(column.kind)
      ? [column, { ...column, key: `${column.key}_before`, label: `${column.label} before` }]
      : [column],
  );
  const pairs = (row: FigureRow | undefined, then: FigureRow | undefined) =>
    now.columns.flatMap(({ kind }, index) => {
      const current = row?.cells[index] ?? null;
      const old = then?.cells[index] ?? null;
      if (compared.has(kind)) return [current, old];
      return [row ? current : old];
    });
  return {
    columns,
    rows: [
      ...now.rows.map((row) => ({ key: row.key, cells: pairs(row, earlier.get(row.key)) })),
      ...before.rows
        .filter(({ key }) => hasAll && !here.has(key))
        .map((then) => ({ key: then.key, cells: pairs(undefined, then) })),
    ],
  };
}

export const isMoney = (cell: Cell): cell is Money => typeof cell === "object" && cell !== null;

/** For comparing and drawing; accurate enough for a chart, even for amounts. */
export function numberIn(cell: Cell): number | null {
  if (typeof cell === "number") return cell;
  return isMoney(cell) ? Number(cell.amount) : null;
}
