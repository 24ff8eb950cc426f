import { csvText } from "../../contract/csv-text.ts";
import { type Cell, type FigureTable, isMoney } from "./figure-table.ts";

/**
 * Writes figures as CSV in the format of the exports [exports.csv, exports.safe-cells]: UTF-8 with a byte-order mark,
 * CRLF after each row, no cell that a spreadsheet would execute, and money as an amount next to a currency column
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

/** The longest part of a name, so that the other parts, which tell files apart, have room. */
const partAtMost = 40;

/** Uses only characters that every file system accepts. */
export function fileName(parts: readonly string[]): string {
  const words = parts.map((part) =>
    part
      .normalize("NFKD")
      // removes diacritics, keeps the base letters
      .replaceAll(/\p{M}+/gu, "")
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, "-")
      .slice(0, partAtMost)
      .replaceAll(/^-+|-+$/g, ""),
  );
  return `${words.filter((word) => word !== "").join("_")}.csv`;
}
