import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { bareHostileStrings } from "../../../testkit/hostile-strings.ts";
import { propertyRuns } from "../../../testkit/property-runs.ts";
import { about, type GivenTable, tableFile } from "../../../testkit/table-files.ts";
import { openParquet } from "./parquet.ts";
import { ParquetRows } from "./parquet-rows.ts";
import type { ColumnHead, Value, ValueType } from "./table.ts";

/** Read with DuckDB, which is not what writes them. */

const folder = mkdtempSync(join(tmpdir(), "quizstore-parquet-"));
/** A new file each time: DuckDB goes on with what it kept of a file when another takes its place within a second. */
let path: string;
let files = 0;
function keep(file: Uint8Array): void {
  files += 1;
  path = join(folder, `${files}.parquet`);
  writeFileSync(path, file);
}
const connection = await (await DuckDBInstance.create(":memory:")).connect();
afterAll(() => {
  connection.closeSync();
  rmSync(folder, { recursive: true });
});

async function rowsOf(file: Uint8Array, select = "*"): Promise<Record<string, unknown>[]> {
  keep(file);
  return (await connection.runAndReadAll(`SELECT ${select} FROM '${path}'`)).getRowObjectsJson();
}

async function encodingsIn(file: Uint8Array): Promise<unknown[]> {
  keep(file);
  const read = await connection.runAndReadAll(`SELECT DISTINCT encodings FROM parquet_metadata('${path}')`);
  return read.getRowObjectsJson().map(({ encodings }) => encodings);
}

const columnOf = (type: ValueType, values: readonly Value[]): GivenTable => ({
  name: "values",
  columns: [{ name: "value", type }],
  rows: values.map((value) => [value]),
});

/** As DuckDB shows them in its own words. */
async function valuesThrough(type: ValueType, values: readonly Value[]): Promise<unknown[]> {
  const rows = await rowsOf(await tableFile(openParquet, [columnOf(type, values)]), "value");
  return rows.map(({ value }) => value);
}

/** By their bytes: the driver drops a byte-order mark at a text's beginning. */
async function textsThrough(
  texts: readonly Value[],
  write: (table: GivenTable) => Promise<Uint8Array> = tableFileOf,
): Promise<(string | null)[]> {
  const rows = await rowsOf(await write(columnOf("text", texts)), "hex(encode(value)) AS value");
  return rows.map(({ value }) => (value === null ? null : Buffer.from(String(value), "hex").toString()));
}

const tableFileOf = (table: GivenTable) => tableFile(openParquet, [table]);

/** Without the thread, in groups of a few rows. */
async function smallGroups({ columns, rows }: GivenTable): Promise<Uint8Array> {
  const file = new ParquetRows(columns, { rows: 7, bytes: 1_000 });
  const pieces = rows.map((row) => file.add([row]));
  return Buffer.concat([...pieces, file.end()]);
}

describe("a column of a Parquet file", () => {
  it("has its type [exports.parquet]", async () => {
    const types = ["text", "integer", "number", "decimal", "boolean", "date", "datetime", "instant"] as const;
    const columns = types.map((type): ColumnHead => ({ name: type, type }));
    const empty = await tableFile(openParquet, [{ name: "empty", columns, rows: [] }]);
    keep(empty);
    const described = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM '${path}'`)).getRowObjectsJson();
    expect(Object.fromEntries(described.map((column) => [column["column_name"], column["column_type"]]))).toEqual({
      ...{ text: "VARCHAR", integer: "BIGINT", number: "DOUBLE", decimal: "DOUBLE", boolean: "BOOLEAN" },
      ...{ date: "DATE", datetime: "VARCHAR", instant: "TIMESTAMP WITH TIME ZONE" },
    });
    expect(await rowsOf(empty, "count(*)::INTEGER AS n")).toEqual([{ n: 0 }]);
  });

  it("has a text exactly, but for what UTF-8 cannot hold [exports.parquet]", async () => {
    const typed: Value[] = [
      "=1+1",
      "'=1",
      "",
      null,
      " a ",
      "a\r\nb\n",
      "NULL",
      "007",
      "\ufeffa",
      "a\u0000b",
      "_x0041_",
      "👩‍🔬",
    ];
    expect(await textsThrough(typed)).toEqual(typed);
    expect(await textsThrough(bareHostileStrings)).toEqual(bareHostileStrings.map((text) => text.toWellFormed()));
  });

  it("has any values, in groups of any size [exports.parquet]", async () => {
    const text = fc.option(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("a", "b", "x".repeat(600))));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 60 }), async (texts) => {
        expect(await textsThrough(texts, smallGroups)).toEqual(texts.map((each) => each?.toWellFormed() ?? null));
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it("has numbers and booleans exactly [exports.parquet]", async () => {
    const doubles = [0, -1, 0.1, 1 / 3, 1e300, 5e-324, 2 ** 53, null];
    expect(await valuesThrough("number", doubles)).toEqual(doubles);
    const whole = [0, -(2 ** 53 - 1), null, 2 ** 53 - 1];
    expect(await valuesThrough("integer", whole)).toEqual(
      whole.map((value) => (value === null ? null : String(value))),
    );
    const flags = Array.from({ length: 100 }, (_, at) => [true, false, null, true][(at * 7 + (at >> 3)) % 4] ?? null);
    expect(await valuesThrough("boolean", flags)).toEqual(flags);
    const file = await tableFile(openParquet, [columnOf("boolean", flags)]);
    expect(await encodingsIn(file)).toEqual(["PLAIN"]);
    expect(await valuesThrough("decimal", ["-12.50", "0.00", null])).toEqual([-12.5, 0, null]);
  });

  it("has days and instants exactly, and a day without a time as a text [exports.parquet]", async () => {
    const days = ["0000-01-01", "1582-10-10", "1969-12-31", null, "9999-12-31"];
    expect(await valuesThrough("date", days)).toEqual(days);
    expect(await valuesThrough("instant", ["1969-12-31T23:59:59.999Z", null, "2026-03-04T05:06:07.080Z"])).toEqual([
      ...["1969-12-31 23:59:59.999+00", null, "2026-03-04 05:06:07.08+00"],
    ]);
    expect(await valuesThrough("datetime", ["2026-03-04", "2026-03-04 18:00"])).toEqual([
      "2026-03-04",
      "2026-03-04 18:00",
    ]);
  });

  it("may be one of hundreds [exports.parquet]", async () => {
    const columns = Array.from({ length: 300 }, (_, at): ColumnHead => ({ name: `answers.${at}`, type: "text" }));
    const rows = Array.from({ length: 100 }, (_, row) => columns.map((_, at) => (at % 100 === row ? `${row}` : null)));
    const read = await rowsOf(await smallGroups({ name: "wide", columns, rows }));
    expect(read.map((row) => columns.map(({ name }) => row[name]))).toEqual(rows);
  });
});

describe("the writer of a Parquet file", () => {
  const columns: ColumnHead[] = [{ name: "text", type: "text" }];
  const rows = Array.from({ length: 50 }, (_, at): Value[] => [`${at} `.repeat(5_000)]);

  it("fails the build when its output does [exports.failure]", async () => {
    const full = new Error("the disk is full");
    const writer = openParquet({ write: () => Promise.reject(full) }, about);
    const written = (async () => {
      await writer.begin({ name: "lost", columns });
      for (;;) await writer.add(rows);
    })();
    await expect(written).rejects.toBe(full);
    await writer.abort();
  });

  it("fails the build when its thread does, and can be given up at any moment [exports.failure]", async () => {
    const writer = openParquet({ write: async () => undefined }, about);
    await writer.begin({ name: "wrong", columns: [{ name: "number", type: "integer" }] });
    await expect(writer.add([["no number"]])).rejects.toThrow(/BigInt/);
    await writer.abort();
    await openParquet({ write: async () => undefined }, about).abort();
  });
});
