interface CsvForm {
  mark: string;
  rowEnd: string;
}

const spreadsheet: CsvForm = { mark: "\ufeff", rowEnd: "\r\n" };
/** CSV for programs. */
export const plain: CsvForm = { mark: "", rowEnd: "\n" };

/**
 * A strict reader of CSV (RFC 4180): a byte-order mark, CRLF after every row, quotes only around whole cells, and as
 * many cells in each row as in the first; or the plain form. Throws if a file differs.
 */
export function readCsvCells(text: string, { mark, rowEnd }: CsvForm = spreadsheet): string[][] {
  if (!text.startsWith(mark)) throw new Error("no byte-order mark");
  const rows: string[][] = [];
  let at = mark.length;
  while (at < text.length) {
    const row: string[] = [];
    for (;;) {
      const cell = readCell(text, at);
      row.push(cell.value);
      at = cell.end;
      if (text[at] !== ",") break;
      at += 1;
    }
    const end = text.slice(at, at + rowEnd.length);
    if (end !== rowEnd) throw new Error(`a row ends with ${JSON.stringify(end)}`);
    at += rowEnd.length;
    rows.push(row);
  }
  const [header] = rows;
  if (header && rows.some((row) => row.length !== header.length)) throw new Error("rows of different lengths");
  return rows;
}

function readCell(text: string, start: number): { value: string; end: number } {
  if (text[start] !== '"') {
    const value = /[^",\r\n]*/y;
    value.lastIndex = start;
    const [plain = ""] = value.exec(text) ?? [];
    return { value: plain, end: start + plain.length };
  }
  let value = "";
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new Error("a quote is not closed");
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    at = quote + 2;
  }
}

/** Rows as objects by column name. */
export function readCsv(text: string, form = spreadsheet): Record<string, string>[] {
  const [header = [], ...rows] = readCsvCells(text, form);
  if (new Set(header).size !== header.length) throw new Error("two columns of one name");
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ""])));
}
