import { once } from "node:events";
import { PassThrough } from "node:stream";
import { ZipFile } from "yazl";
import type { AboutTable, ByteOutput, OpenTableWriter, TableHead, TableWriter, Value } from "./table.ts";
import { rowXml, type SheetColumn, sheetColumns } from "./xlsx-cells.ts";
import {
  contentTypes,
  packageRelations,
  sheetFoot,
  sheetHead,
  sheetPath,
  styles,
  workbook,
  workbookRelations,
} from "./xlsx-parts.ts";
import { SheetNames } from "./xlsx-text.ts";

/** The most rows of a sheet, its head included. */
const rowsAtMost = 1_048_576;
/** Characters that are compressed at once. */
const chunkLength = 64 * 1024;

interface OpenSheet {
  columns: readonly SheetColumn[];
  /** its XML, on the way into the archive */
  stream: PassThrough;
  /** XML that is not in the stream yet */
  chunk: string;
  /** the number of its last row */
  row: number;
}

/**
 * Writes a workbook for spreadsheets (XLSX, ECMA-376) as its rows come [exports.xlsx]: a sheet for each table, and
 * another whenever one is full [exports.xlsx-limits]. Sheets are compressed in the thread pool, one after another; the
 * parts that list them come last.
 */
class XlsxWriter implements TableWriter {
  readonly #zip = new ZipFile();
  readonly #options: { mtime: Date; compressionLevel: number };
  readonly #names = new SheetNames();
  readonly #sheets: string[] = [];
  readonly #rowsAtMost: number;
  /** settles when everything has been passed to the output, or that has failed */
  readonly #passed: Promise<void>;
  #failure: Error | null = null;
  #table: TableHead | null = null;
  #part = 0;
  #sheet: OpenSheet | null = null;

  constructor(output: ByteOutput, { generatedAt }: AboutTable, rows: number) {
    this.#rowsAtMost = rows;
    // a third less work than the usual level, for files a fifth larger
    this.#options = { mtime: generatedAt, compressionLevel: 3 };
    this.#passed = passOn(this.#zip.outputStream, output);
    this.#passed.catch((error: Error) => this.#fail(error));
    this.#addPart("_rels/.rels", packageRelations);
    this.#addPart("xl/styles.xml", styles);
  }

  async begin(table: TableHead): Promise<void> {
    this.#table = table;
    this.#part = 0;
    await this.#nextSheet();
  }

  async add(rows: readonly (readonly Value[])[]): Promise<void> {
    for (const values of rows) {
      if (this.#open().row === this.#rowsAtMost) await this.#nextSheet();
      const sheet = this.#open();
      sheet.row += 1;
      sheet.chunk += rowXml(sheet.columns, values, sheet.row);
      if (sheet.chunk.length >= chunkLength) await this.#flush(sheet);
    }
  }

  async end(): Promise<void> {
    await this.#endSheet();
    const sheets = this.#sheets.length;
    this.#addPart("xl/workbook.xml", workbook(this.#sheets));
    this.#addPart("xl/_rels/workbook.xml.rels", workbookRelations(sheets));
    this.#addPart("[Content_Types].xml", contentTypes(sheets));
    this.#zip.end();
    await this.#passed;
  }

  async abort(): Promise<void> {
    const error = new Error("the workbook was given up");
    (this.#zip.outputStream as PassThrough).destroy(error);
    this.#fail(error);
    await this.#passed.catch(() => undefined);
  }

  /** Whoever waits for room in the sheet gets the error. */
  #fail(error: Error): void {
    this.#failure ??= error;
    this.#sheet?.stream.destroy(error);
  }

  #addPart(path: string, xml: string): void {
    this.#zip.addBuffer(Buffer.from(xml), path, this.#options);
  }

  #open(): OpenSheet {
    if (this.#sheet === null) throw new Error("rows were added before a table was begun");
    return this.#sheet;
  }

  async #nextSheet(): Promise<void> {
    if (this.#table === null) throw new Error("a sheet belongs to no table");
    await this.#endSheet();
    this.#part += 1;
    this.#sheets.push(this.#names.next(this.#table.name, this.#part));
    const columns = sheetColumns(this.#table.columns);
    const stream = new PassThrough();
    // nobody may be waiting for room at that moment
    stream.on("error", () => undefined);
    const number = this.#sheets.length;
    this.#zip.addReadStream(stream, sheetPath(number), this.#options);
    this.#sheet = { columns, stream, chunk: sheetHead(columns, number), row: 1 };
  }

  async #endSheet(): Promise<void> {
    const sheet = this.#sheet;
    if (sheet === null) return;
    sheet.chunk += sheetFoot;
    await this.#flush(sheet);
    sheet.stream.end();
    this.#sheet = null;
  }

  /** Resolves once there is room for more. */
  async #flush(sheet: OpenSheet): Promise<void> {
    const { chunk, stream } = sheet;
    sheet.chunk = "";
    if (this.#failure !== null) throw this.#failure;
    if (!stream.write(chunk)) await once(stream, "drain");
  }
}

async function passOn(from: NodeJS.ReadableStream, output: ByteOutput): Promise<void> {
  for await (const bytes of from) await output.write(bytes as Buffer);
}

/** @param rows that a sheet may have, its head included */
export const openXlsx =
  (rows = rowsAtMost): OpenTableWriter =>
  (output, about) =>
    new XlsxWriter(output, about, rows);
