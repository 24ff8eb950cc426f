import type { ReactNode } from "react";
import { Change } from "./change.tsx";
import type { Cell, CellKind, FigureTable } from "./figure-table.ts";
import { rawValue } from "./figure-table-view.tsx";
import { cellText } from "./figure-text.ts";
import "./figures.css";

export interface StatTileProps {
  /** the figure's name in the API */
  name: string;
  label: string;
  value: Cell;
  kind: CellKind;
  /** the value of the previous period; left out where nothing is compared */
  before?: Cell | undefined;
  children?: ReactNode;
}

/** One figure, large. */
export function StatTile({ name, label, value, kind, before, children }: StatTileProps) {
  return (
    <div className="qs-tile" data-stat={name} data-value={rawValue(value)}>
      <div className="qs-dim">{label}</div>
      <div className="qs-figure-large">{cellText(value, kind)}</div>
      {before === undefined ? null : <Change now={value} before={before} kind={kind} />}
      {children}
    </div>
  );
}

/** Lays tiles out in as many columns as fit. */
export const Tiles = ({ children }: { children: ReactNode }) => <div className="qs-tiles">{children}</div>;

/** A tile for each figure of a one-row table, with the previous period's value. */
export const TableTiles = ({ table, before }: { table: FigureTable; before: FigureTable | undefined }) => (
  <Tiles>
    {table.columns.map(({ key, label, kind }, index) => (
      <StatTile
        key={key}
        name={key}
        label={label}
        kind={kind}
        value={table.rows[0]?.cells[index] ?? null}
        before={before ? (before.rows[0]?.cells[index] ?? null) : undefined}
      />
    ))}
  </Tiles>
);
