import "./figures.css";
import { type Cell, type CellKind, type FigureTable, isMoney } from "./figure-table.ts";
import { cellText } from "./figure-text.ts";

/** Figures as a table that screen readers, keyboards and tests can navigate [dashboard-figures.accessible]. */

const isFigure = (kind: CellKind): boolean => !["text", "day", "flag"].includes(kind);

/** The cell's exact value, for use next to the formatted text. */
export const rawValue = (cell: Cell): string => {
  if (cell === null) return "";
  return isMoney(cell) ? `${cell.amount} ${cell.currency}` : String(cell);
};

export function FigureTableView({ table, label }: { table: FigureTable; label: string }) {
  const { columns, rows } = table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="qs-scroll" aria-label={`Rows of ${label}`} tabIndex={0}>
      <table className="qs-figures qs-cards striped" data-table={label}>
        <thead>
          <tr>
            {columns.map(({ key, label: name, kind }) => (
              <th key={key} scope="col" className={isFigure(kind) ? "qs-figure" : "qs-nowrap"}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key} data-row={key}>
              {columns.map(({ key: column, label: name, kind }, index) => (
                <td
                  key={column}
                  data-label={name}
                  data-column={column}
                  data-value={rawValue(cells[index] ?? null)}
                  className={isFigure(kind) ? "qs-figure" : "qs-text"}
                >
                  {cellText(cells[index] ?? null, kind)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
