import type { Money } from "../../client/src/index.ts";

/**
 * Figures as a table: what a picture shows, without the picture. The table on the screen, the CSV and the checks of
 * pictures are made from it, so that they cannot tell different figures.
 */

export type CellKind = "text" | "day" | "count" | "number" | "share" | "percent" | "duration" | "money" | "flag";

export type Cell = string | number | boolean | Money | null;

export interface FigureColumn {
  /** as the API calls it */
  key: string;
  /** as people call it */
  label: string;
  kind: CellKind;
}

export interface FigureRow {
  /** tells rows apart, and finds the same row in another period */
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

/** A column of a field that a row has. */
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
 * The table with, behind each figure, the same one of the period before. Rows of then alone come last, but only where the
 * table has all rows of now: else they may be among those that it does not list.
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
      const told = row?.cells[index] ?? null;
      const old = then?.cells[index] ?? null;
      if (compared.has(kind)) return [told, old];
      return [row ? told : old];
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

/** For comparing and drawing; an amount loses nothing that a chart could show. */
export function numberIn(cell: Cell): number | null {
  if (typeof cell === "number") return cell;
  return isMoney(cell) ? Number(cell.amount) : null;
}
