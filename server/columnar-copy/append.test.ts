import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { Problem } from "../platform/problems.ts";
import { appendRows, type Cell, insertRows } from "./append.ts";
import { read, WriteConnection } from "./duck.ts";
import { duckProblem } from "./failures.ts";
import { createTable } from "./schema.ts";
import type { TableDefinition } from "./schema-dictionaries.ts";

const table: TableDefinition = {
  name: "kinds",
  columns: [
    ["big", "BIGINT"],
    ["small", "INTEGER"],
    ["real", "DOUBLE"],
    ["flag", "BOOLEAN"],
    ["text", "VARCHAR"],
    ["id", "UUID"],
    ["day", "DATE"],
    ["money", "DECIMAL(38, 4)"],
  ],
};

async function openTable(options: Record<string, string> = {}) {
  const instance = await DuckDBInstance.create(":memory:", options);
  const connection = new WriteConnection(await instance.connect());
  await connection.run(createTable(table, "main"));
  return connection;
}

it("puts cells of every type into a table as they are, over several chunks [copy.contents]", async () => {
  const connection = await openTable();
  const rows: Cell[][] = Array.from({ length: 20_000 }, (_, index) => [
    ...[2 ** 50 + index, -index, index / 3, index % 2 === 0, `"${index}',\n`],
    ...[`ffffffff-0000-7000-8000-${String(index).padStart(12, "0")}`, -719_162, "-0.0500"],
  ]);
  await appendRows(connection, table, [...rows, table.columns.map(() => null)]);
  const found = await read(connection, "SELECT * FROM kinds ORDER BY big NULLS LAST");
  expect(found).toHaveLength(20_001);
  const [, second] = await read(
    connection,
    "SELECT CAST(columns(*) AS VARCHAR) FROM (SELECT * FROM kinds ORDER BY big LIMIT 2)",
  );
  expect(Object.values(second as object)).toEqual([
    ...[String(2 ** 50 + 1), "-1", String(1 / 3), "false", `"1',\n`],
    ...["ffffffff-0000-7000-8000-000000000001", "0001-01-01", "-0.0500"],
  ]);
  expect(Object.values(found.at(-1) as object)).toEqual(table.columns.map(() => null));
});

it("puts a few rows in as statements exactly as through the appender [copy.same-by-any-way]", async () => {
  const reals = [0, -0, 0.1, 1 / 3, -1e300, 5e-324, 2 ** 53, 1e21, 123_456_789.987_654_33];
  const texts = ["", "it's; DROP TABLE kinds --", "a\\n\n", "NULL", "😀", "a\0b", "'"];
  const amounts = ["-0.0500", `${"9".repeat(34)}.9999`, "0.0000"];
  const wholes = [-(2 ** 53 - 1), 0, 2 ** 53 - 1];
  const rows: Cell[][] = reals.map((real, index) => [
    ...[wholes[index] ?? null, index - 4, real, index % 2 === 0, texts[index] ?? null],
    ...[`ffffffff-0000-7000-8000-00000000000${index}`, (index - 4) * 20_000_000, amounts[index] ?? null],
  ]);
  rows.push(table.columns.map(() => null));
  const [one, other] = [await openTable(), await openTable()];
  for (const row of rows) await insertRows(one, [[table, [row]]]);
  await appendRows(other, table, rows);
  const content = (connection: typeof one) =>
    read(connection, "SELECT CAST(columns(*) AS VARCHAR), 1 / real AS sign FROM kinds ORDER BY ALL");
  const found = await content(one);
  expect(found).toHaveLength(rows.length);
  expect(found).toEqual(await content(other));
});

it("says so when DuckDB has no memory for them, and leaves none behind [copy.out-of-memory]", async () => {
  const connection = await openTable({ memory_limit: "4MB", temp_directory: "" });
  const rows = Array.from({ length: 30_000 }, (_, index): Cell[] => [
    ...[index, index, index, true, "x".repeat(1_000), null, null, null],
  ]);
  await connection.run("BEGIN TRANSACTION");
  const failure = await appendRows(connection, table, rows).catch((error: unknown) => duckProblem(error));
  expect(failure).toBeInstanceOf(Problem);
  expect((failure as Problem).title).toBe("dependency_unavailable");
  await connection.run("ROLLBACK");
  expect(await read(connection, "SELECT count(*) AS n FROM kinds")).toEqual([{ n: 0 }]);
});
