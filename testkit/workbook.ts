import { inflateRawSync } from "node:zlib";

/** A strict reader of the workbooks that exports write: throws for whatever it does not know. */

export interface Sheet {
  name: string;
  /** rows of cells, the head first; a cell that is not there is null */
  rows: SheetCell[][];
}

/** A number with the code of its format if it has one: a moment, in days since 1899-12-30. */
export type SheetCell = string | number | boolean | { serial: number; shown: string } | null;

export function readWorkbook(file: Buffer): Sheet[] {
  const parts = unzip(file);
  const part = (path: string): string => {
    const text = parts.get(path);
    if (text === undefined) throw new Error(`there is no ${path}`);
    return text;
  };
  const formats = cellFormats(part("xl/styles.xml"));
  const targets = new Map(
    [...part("xl/_rels/workbook.xml.rels").matchAll(/Id="(\w+)" Type="[^"]+" Target="([^"]+)"/g)].map(
      ([, id, target]) => [id, target],
    ),
  );
  const types = part("[Content_Types].xml");
  return [...part("xl/workbook.xml").matchAll(/<sheet name="([^"]*)" sheetId="\d+" r:id="(\w+)"\/>/g)].map(
    ([, name = "", id]) => {
      const path = `xl/${targets.get(id)}`;
      if (!types.includes(`PartName="/${path}"`)) throw new Error(`${path} has no content type`);
      return { name: textOf(name), rows: rowsOf(part(path), formats) };
    },
  );
}

/** The parts of an archive (PKWARE's APPNOTE), by the list at its end. */
export function unzip(file: Buffer): Map<string, string> {
  const end = file.lastIndexOf(Buffer.from("PK\u0005\u0006"));
  if (end < 0) throw new Error("no archive");
  const parts = new Map<string, string>();
  let at = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size] = [file.readUInt16LE(at + 10), file.readUInt32LE(at + 20)];
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => file.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const place = file.readUInt32LE(at + 42);
    const name = file.toString("utf8", at + 46, at + 46 + nameLength);
    const start = place + 30 + file.readUInt16LE(place + 26) + file.readUInt16LE(place + 28);
    const bytes = file.subarray(start, start + size);
    parts.set(name, new TextDecoder("utf-8", { fatal: true }).decode(method === 0 ? bytes : inflateRawSync(bytes)));
    at += 46 + nameLength + extra + comment;
  }
  return parts;
}

/** The codes of the formats that cells refer to by index. */
function cellFormats(styles: string): (string | null)[] {
  const codes = new Map(
    [...styles.matchAll(/numFmtId="(\d+)" formatCode="([^"]+)"/g)].map(([, id, code]) => [id, code]),
  );
  const [, list = ""] = /<cellXfs[^>]*>(.*)<\/cellXfs>/.exec(styles) ?? [];
  return [...list.matchAll(/<xf numFmtId="(\d+)"/g)].map(([, id]) => codes.get(id)?.replaceAll("\\", "") ?? null);
}

const rowForm = /<row r="(\d+)">((?:<c .*?<\/c>)*)<\/row>/gsy;
const cellForm =
  /<c r="([A-Z]+)(\d+)"(?: s="(\d+)")?(?: t="(\w+)")?>(?:<v>([^<]+)<\/v>|<is><t( xml:space="preserve")?>([^<>"]*)<\/t><\/is>)<\/c>/gy;

function rowsOf(xml: string, formats: readonly (string | null)[]): SheetCell[][] {
  const [, data] = /<sheetData>(.*)<\/sheetData><\/worksheet>$/s.exec(xml) ?? [];
  if (data === undefined) throw new Error("a sheet has no data");
  const rows: SheetCell[][] = [];
  let read = 0;
  for (const [all, number, cells = ""] of data.matchAll(rowForm)) {
    read += all.length;
    if (Number(number) !== rows.length + 1) throw new Error(`row ${number} is not the next one`);
    rows.push(cellsOf(cells, Number(number), formats));
  }
  if (read !== data.length) throw new Error(`not a row: ${data.slice(read, read + 100)}`);
  return rows;
}

function cellsOf(xml: string, row: number, formats: readonly (string | null)[]): SheetCell[] {
  const cells: SheetCell[] = [];
  let read = 0;
  for (const [all, letters = "", number, format, type, value = "", kept, text = ""] of xml.matchAll(cellForm)) {
    read += all.length;
    const at = columnOf(letters);
    if (Number(number) !== row || at < cells.length) throw new Error(`${letters}${number} is at the wrong place`);
    while (cells.length < at) cells.push(null);
    const shown = format === undefined ? null : (formats[Number(format)] ?? null);
    if (type === "inlineStr") cells.push(textOf(kept === undefined ? text.trim() : text));
    else if (type === "b") cells.push(value === "1");
    else cells.push(shown === null ? Number(value) : { serial: Number(value), shown });
  }
  if (read !== xml.length) throw new Error(`not a cell: ${xml.slice(read, read + 100)}`);
  return cells;
}

const columnOf = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

const marks: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#13": "\r" };

/** XML's own reading of a text, then the workbook's. */
function textOf(xml: string): string {
  if (/(?![\t\n\r\x7f-\x9f])[\p{Cc}\ufffe\uffff]/u.test(xml)) throw new Error("XML holds no such character");
  const read = xml.replaceAll(/\r\n?/g, "\n").replaceAll(/&(#?\w+);/g, (_, name: string) => {
    const mark = marks[name];
    if (mark === undefined) throw new Error(`XML knows no &${name};`);
    return mark;
  });
  return read.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The moment of a serial number as ISO 8601 without a zone, to the ms. */
export const momentOf = (serial: number): string =>
  new Date(Math.round((serial - 25_569) * 86_400_000)).toISOString().slice(0, -1);
