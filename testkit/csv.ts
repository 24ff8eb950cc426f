/**
 * A strict reader of CSV (RFC 4180): a byte-order mark, CRLF after every row, quotes only around whole cells, and as
 * many cells in each row as in the first. Throws if a file differs.
 */
export function readCsvCells(text: string): string[][] {
  if (!text.startsWith("\ufeff")) throw new Error("no byte-order mark");
  const rows: string[][] = [];
  let at = 1;
  while (at < text.length) {
    const row: string[] = [];
    for (;;) {
      const cell = readCell(text, at);
      row.push(cell.value);
      at = cell.end;
      if (text[at] !== ",") break;
      at += 1;
    }
    if (text.slice(at, at + 2) !== "\r\n") throw new Error(`a row ends with ${JSON.stringify(text.slice(at, at + 2))}`);
    at += 2;
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
export function readCsv(text: string): Record<string, string>[] {
  const [header = [], ...rows] = readCsvCells(text);
  if (new Set(header).size !== header.length) throw new Error("two columns of one name");
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ""])));
}
