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
  it("come back as they were, by a strict reader, whatever they hold (2.4, decisions I)", () => {
    const text = fc.oneof(
      fc.constantFrom(...awkward),
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", "a", " ") }),
    );
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) => fc.array(fc.array(text, { minLength: width, maxLength: width }), { minLength: 1 }));
    fc.assert(
      fc.property(table, (rows) => {
        const harmless = rows.map((row) => row.map((cell) => (/^[=+\-@\t\r]/.test(cell) ? `x${cell}` : cell)));
        expect(readCsvCells(fileOf(...harmless))).toEqual(harmless);
      }),
      { numRuns: 300 },
    );
  });

  it("come back as they were by DuckDB's reader, too (2.4)", async () => {
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
      Buffer.from(cell === "\r" ? "'\r" : cell)
        .toString("hex")
        .toUpperCase();
    expect(read.getRows()).toEqual(rows.map(([number, cell = "", last]) => [number, hex(cell), last]));
    connection.closeSync();
    instance.closeSync();
    rmSync(directory, { recursive: true });
  });

  it("that a spreadsheet would run are texts, numbers and phone numbers stay (decisions I)", () => {
    const run = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("https://x.example","a,b")'];
    expect(readCsvCells(fileOf(run))).toEqual([run.map((text) => `'${text}`)]);
    const kept: [Cell, string][] = [
      [-5, "-5"],
      [0.1, "0.1"],
      [1e21, "1e+21"],
      [false, "false"],
      [null, ""],
      [" =1", " =1"],
      ["a=1", "a=1"],
      [phoneCell("+491701234567"), "+491701234567"],
      [phoneCell("+49 (170) 123-45.67"), "+49 (170) 123-45.67"],
      [phoneCell(null), ""],
      [phoneCell("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0"],
      [phoneCell("=1"), "'=1"],
      [phoneCell("-1"), "'-1"],
      [joined([]), ""],
      [joined(["-a", "b"]), "'-a; b"],
    ];
    expect(readCsvCells(fileOf(kept.map(([cell]) => cell)))).toEqual([kept.map(([, text]) => text)]);
  });
});
