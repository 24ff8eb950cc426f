import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plain, readCsvCells } from "../../../testkit/csv.ts";
import { heldText, hostileStrings } from "../../../testkit/hostile-strings.ts";
import { PlainCsv } from "./plain-csv.ts";
import type { ColumnHead, Value, ValueType } from "./table.ts";

const column = (name: string, type: ValueType = "text"): ColumnHead => ({ name, type });

async function fileOf(columns: readonly ColumnHead[], rows: readonly (readonly Value[])[]): Promise<string> {
  const pieces: Buffer[] = [];
  const writer = new PlainCsv({ write: async (bytes) => void pieces.push(Buffer.from(bytes)) });
  await writer.begin({ name: "any", columns });
  for (const row of rows) await writer.add([row]);
  await writer.end();
  return Buffer.concat(pieces).toString();
}

/** What a reader of a cell gets back. */
const cellOf = (value: Value): string => (value === null ? "" : String(value).replaceAll(/\r\n|\r|\n/g, " "));

describe("plain CSV", () => {
  let folder: string;
  let instance: DuckDBInstance;
  let duckdb: DuckDBConnection;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plain-csv-"));
    instance = await DuckDBInstance.create(":memory:", { threads: "1", autoinstall_known_extensions: "false" });
    duckdb = await instance.connect();
  });
  afterAll(() => {
    duckdb?.closeSync();
    instance?.closeSync();
    rmSync(folder, { recursive: true });
  });

  /** As DuckDB's own reader, which nobody told of types, reads names and cells: in hexadecimal, since they may hold anything. */
  async function readByDuckDb(text: string): Promise<string[][]> {
    const path = join(folder, "table.csv");
    writeFileSync(path, text);
    const read = await duckdb.runAndReadAll(
      `SELECT hex(encode(COLUMNS(*)::VARCHAR)) FROM read_csv('${path}', header = false, all_varchar = true,
         auto_detect = false, delim = ',', quote = '"', escape = '"', strict_mode = true, allow_quoted_nulls = false,
         nullstr = 'no such cell', columns = {'a': 'VARCHAR', 'b': 'VARCHAR', 'c': 'VARCHAR'})`,
    );
    return read.getRows().map((row) => row.map((cell) => Buffer.from(String(cell ?? ""), "hex").toString()));
  }

  it("has no byte-order mark, a line feed after each row, and quotes where they are needed [exports.csv-plain]", async () => {
    const rows: Value[][] = [
      ["=1+1", "'=1+1", "+49 151"],
      ["two\r\nlines", "two\nlines\rand three", "-1"],
      ['say "hi"', "a,b", "a; b"],
      ["NULL", "null", " NULL"],
      ["", null, "\ttab"],
      [-1.5, true, false],
      ["1,50", "007", "1-2"],
    ];
    const columns = [column("session_id"), column('answers."q"'), column("answers.line\nbreak")];
    expect(await fileOf(columns, rows)).toBe(
      [
        'session_id,"answers.""q""",answers.line break',
        "=1+1,'=1+1,+49 151",
        "two lines,two lines and three,-1",
        '"say ""hi""","a,b",a; b',
        '"NULL",null, NULL',
        ",,\ttab",
        "-1.5,true,false",
        '"1,50",007,1-2',
        "",
      ].join("\n"),
    );
  });

  it("comes back as it was typed, by our strict reader and by DuckDB's, whatever it holds [exports.csv-plain]", async () => {
    const text = fc.oneof(
      fc.constantFrom(...hostileStrings),
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", "a", " ", ";", "=", "-", "'", "\\", "\u2028") }),
    );
    const value = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null));
    // the database holds no NUL and no half character, so no export does
    const held = (cell: Value) => (typeof cell === "string" ? heldText(cell) : cell);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 20 }), async (given) => {
        const rows = given.map((row) => ["id", ...row.slice(1)].map(held));
        const file = await fileOf([column("a"), column("b"), column("c")], rows);
        expect(file.split("\n")).toHaveLength(rows.length + 2);
        const wanted = [["a", "b", "c"], ...rows.map((row) => row.map(cellOf))];
        expect(readCsvCells(file, plain)).toEqual(wanted);
        expect(await readByDuckDb(file)).toEqual(wanted);
      }),
      { numRuns: 100 },
    );
  });
});
