import type { ReactNode } from "react";
import { Change } from "./change.tsx";
import { type Cell, type FigureRow, type FigureTable, numberIn } from "./figure-table.ts";
import { rawValue } from "./figure-table-view.tsx";
import { cellText } from "./figure-text.ts";
import "./figures.css";

/**
 * A table with bars: each row has a bar and the figures behind it, so it can be read by eye and by assistive
 * technology.
 */

export interface Bar {
  /** the column that gives the bar's length */
  column: string;
  label: string;
  /** a theme colour, such as `blue.6` */
  color: string;
}

export interface BarTableProps {
  label: string;
  table: FigureTable;
  /** the column that names the row */
  name: string;
  /** drawn next to each other as one bar */
  bars: readonly Bar[];
  /** the columns of figures next to the bar */
  show: readonly string[];
  before?: FigureTable | undefined;
  /** the value of a full-length bar; by default the largest row */
  most?: number;
  nameOf?: (row: FigureRow, text: string) => ReactNode;
}

const colorOf = (color: string): string => `var(--mantine-color-${color.replace(".", "-")})`;

export function BarTable({ label: whole, table, name, bars, show, before, most, nameOf }: BarTableProps) {
  const at = new Map(table.columns.map(({ key }, index) => [key, index]));
  const cell = (row: FigureRow | undefined, key: string): Cell => row?.cells[at.get(key) ?? -1] ?? null;
  const lengthOf = (row: FigureRow) => bars.reduce((sum, { column }) => sum + (numberIn(cell(row, column)) ?? 0), 0);
  const longest = most ?? Math.max(0, ...table.rows.map(lengthOf));
  const earlier = new Map((before?.rows ?? []).map((row) => [row.key, row]));
  const columns = show.flatMap((key) => table.columns.filter((column) => column.key === key));
  const nameColumn = table.columns.find(({ key }) => key === name);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="qs-scroll" aria-label={`Rows of ${whole}`} tabIndex={0}>
      <table className="qs-figures qs-cards qs-bar-table">
        <thead>
          <tr>
            <th scope="col">{nameColumn?.label}</th>
            {columns.map(({ key, label: text }) => (
              <th key={key} scope="col" className="qs-figure-head">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr key={row.key} data-row={row.key}>
              <th scope="row" className="qs-bar-cell">
                <span className="qs-bar-name">
                  {nameOf?.(row, String(cell(row, name) ?? "")) ?? String(cell(row, name) ?? "")}
                </span>
                <BarLine row={row} bars={bars} longest={longest} cell={cell} />
              </th>
              {columns.map(({ key, kind, label }) => (
                <td
                  key={key}
                  data-label={label}
                  data-column={key}
                  data-value={rawValue(cell(row, key))}
                  className="qs-figure"
                >
                  {cellText(cell(row, key), kind)}
                  {before ? <Change now={cell(row, key)} before={cell(earlier.get(row.key), key)} kind={kind} /> : null}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface BarLineProps {
  row: FigureRow;
  bars: readonly Bar[];
  longest: number;
  cell: (row: FigureRow, key: string) => Cell;
}

function BarLine({ row, bars, longest, cell }: BarLineProps) {
  return (
    <span className="qs-bar">
      {bars.map(({ column, color, label }) => {
        const figure = cell(row, column);
        const share = longest > 0 ? (numberIn(figure) ?? 0) / longest : 0;
        return (
          <span
            key={column}
            data-bar={column}
            data-value={rawValue(figure)}
            title={`${label}: ${cellText(figure, "count")}`}
            style={{ width: `${100 * share}%`, background: colorOf(color) }}
          />
        );
      })}
    </span>
  );
}
