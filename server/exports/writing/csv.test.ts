import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCsvCells } from "../../../testkit/csv.ts";
import { byteOrderMark, type Cell, csvRow, joined, phoneCell } from "./csv.ts";

const rowOf = (cells: readonly Cell[]) =>
  csvRow(
    cells.map((cell, index) => ({ name: String(index), cell: () => cell })),
    null,
  );
const fileOf = (...rows: Cell[][]) => byteOrderMark + rows.map(rowOf).join("");

const awkward = [
  "",
  " ",
  "plain",
  'say "hi"',
  '"',
  '""',
  ",",
  "a,b",
  "two\nlines",
  "two\r\nlines",
  "\r",
  "\n",
  "\ufeffmarked",
  "👩‍🔬 🌸",
  "\u202Eעברית",
  "乾燥肌",
  "'quoted",
  "\\n",
  ";",
  "\u2028",
];

describe("a table's cells", () => {
  it("come back as they were, by a strict reader, whatever they hold [exports.csv]", () => {
    const text = fc.oneof(
      fc.constantFrom(...awkward),
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", "a", " ", ";", "=", "-") }),
    );
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) => fc.array(fc.array(text, { minLength: width, maxLength: width }), { minLength: 1 }));
    fc.assert(
      fc.property(table, (rows) => {
        // what a spreadsheet might run is defused, which is shown below
        const harmless = rows.map((row) =>
          row.map((cell) => cell.replaceAll(/(^|[;\t\r\n]"*)[=+\-@＝＋－＠]/g, "$1x").replace(/^[\t\r\n]/, "x$&")),
        );
        expect(readCsvCells(fileOf(...harmless))).toEqual(harmless);
      }),
      { numRuns: 300 },
    );
  });

  it("come back as they were by DuckDB's reader, too [exports.csv]", async () => {
    const directory = mkdtempSync(join(tmpdir(), "csv-"));
    const path = join(directory, "table.csv");
    const rows = awkward.map((cell, index) => [String(index), cell, "end"]);
    writeFileSync(path, fileOf(["number", "text", "last"], ...rows));
    const instance = await DuckDBInstance.create(":memory:", { threads: "1", autoinstall_known_extensions: "false" });
    const connection = await instance.connect();
    const read = await connection.runAndReadAll(
      `SELECT "number", hex(coalesce("text", '')), "last" FROM read_csv('${path}', auto_detect = false, header = true,
         delim = ',', quote = '"', escape = '"', strict_mode = true,
         columns = {'number': 'VARCHAR', 'text': 'VARCHAR', 'last': 'VARCHAR'})`,
    );
    const hex = (cell: string) =>
      Buffer.from(/^[\r\n]/.test(cell) ? `'${cell}` : cell)
        .toString("hex")
        .toUpperCase();
    expect(read.getRows()).toEqual(rows.map(([number, cell = "", last]) => [number, hex(cell), last]));
    connection.closeSync();
    instance.closeSync();
    rmSync(directory, { recursive: true });
  });

  /** What a spreadsheet takes for the start of a formula, or drops before it looks for one (OWASP, "CSV Injection"). */
  const dangerous = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"];

  it("that a spreadsheet would run are texts, numbers and phone numbers stay [exports.safe-cells]", () => {
    const run = [...dangerous.map((sign) => `${sign}1+1`), '=HYPERLINK("https://x.example","a,b")', "@SUM(A1)"];
    expect(readCsvCells(fileOf(run))).toEqual([run.map((text) => `'${text}`)]);
    const kept: [Cell, string][] = [
      [-5, "-5"],
      [0.1, "0.1"],
      [1e21, "1e+21"],
      [false, "false"],
      [null, ""],
      [" =1", " =1"],
      ["a=1", "a=1"],
      ["a; b", "a; b"],
      ["two\nlines; and a\ttab", "two\nlines; and a\ttab"],
      [phoneCell("+491701234567"), "+491701234567"],
      [phoneCell("+49 (170) 123-45.67"), "+49 (170) 123-45.67"],
      [phoneCell("030 / 1234567"), "030 / 1234567"],
      [phoneCell(null), ""],
      [joined([]), ""],
    ];
    expect(readCsvCells(fileOf(kept.map(([cell]) => cell)))).toEqual([kept.map(([, text]) => text)]);
    expect(readCsvCells(fileOf([joined(["-a", "b"])]))).toEqual([["'-a; b"]]);
  });

  it("of a phone's field that hold no phone number are texts like any other [exports.safe-cells]", () => {
    const none = ["+cmd|' /C calc'!A0", "=1", "-1", "+1-2", "+1/2", "+2+3", "+12", "+(1)"];
    expect(readCsvCells(fileOf(none.map(phoneCell)))).toEqual([none.map((text) => `'${text}`)]);
  });

  it("run nothing either where a spreadsheet takes a semicolon, a tab or a line break for the end of a cell [exports.safe-cells]", () => {
    const hidden = [";", "\t", "\n", "\r\n", '";', ';"', ';""', '"\n"'].flatMap((before) =>
      ["=", "+", "-", "@", "＝", "＋", "－", "＠"].map((sign) => `x${before}${sign}cmd|' /C calc'!A0${before}${sign}1`),
    );
    const text = fc.oneof(
      fc.constantFrom(...hidden, ...dangerous),
      fc.string({ unit: fc.constantFrom(...dangerous, ";", '"', ",", " ", "a", "'") }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, text), { minLength: 1 }), (rows) => {
        const file = fileOf(...rows.map((row) => ["id", ...row])).slice(byteOrderMark.length);
        // read by one who knows no quotes, every character that may end a cell does
        for (const cell of file.split(/[;\t\r\n]/)) expect(cell).not.toMatch(/^"*[=+\-@＝＋－＠]/);
        for (const row of readCsvCells(byteOrderMark + file)) {
          for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
        }
      }),
      { numRuns: 500 },
    );
  });
});
