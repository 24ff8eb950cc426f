import { csvText } from "../../contract/csv-text.ts";
import { type Cell, type FigureTable, isMoney } from "./figure-table.ts";

/**
 * Figures as CSV, written as the exports write it [exports.csv, exports.safe-cells]: UTF-8 behind a byte-order mark,
 * CRLF after each row, nothing that a spreadsheet would run, money as an amount beside a column with its currency
 * [dashboard-figures.csv].
 */

function written(cell: Cell): string {
  if (cell === null) return "";
  if (isMoney(cell)) return cell.amount;
  return typeof cell === "string" ? csvText(cell) : String(cell);
}

export function csvOf({ columns, rows }: FigureTable): string {
  const firstMoney = columns.findIndex(({ kind }) => kind === "money");
  const line = (cells: readonly string[]) => `${cells.join(",")}\r\n`;
  const withCurrency = (cells: readonly string[], currency: string) =>
    firstMoney < 0 ? cells : cells.toSpliced(firstMoney, 0, currency);
  const head = withCurrency(
    columns.map(({ key }) => csvText(key)),
    "currency",
  );
  const body = rows.map(({ cells }) => line(withCurrency(cells.map(written), cells.find(isMoney)?.currency ?? "")));
  return `\ufeff${line(head)}${body.join("")}`;
}

/** Of a name as much as leaves room for what tells the file from others. */
const partAtMost = 40;

/** Letters that every file system takes. */
export function fileName(parts: readonly string[]): string {
  const words = parts.map((part) =>
    part
      .normalize("NFKD")
      // of a letter with a sign, the letter
      .replaceAll(/\p{M}+/gu, "")
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, "-")
      .slice(0, partAtMost)
      .replaceAll(/^-+|-+$/g, ""),
  );
  return `${words.filter((word) => word !== "").join("_")}.csv`;
}
