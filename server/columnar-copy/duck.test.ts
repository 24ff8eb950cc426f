import { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement, DuckDBResult } from "@duckdb/node-api";
import { afterEach, expect, it, vi } from "vitest";
import { read } from "./duck.ts";

afterEach(() => void vi.restoreAllMocks());

it("reads all rows in one call, or two with parameters [copy.fresh]", async () => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const duck = await instance.connect();
  const calls = [
    vi.spyOn(DuckDBConnection.prototype, "run"),
    vi.spyOn(DuckDBConnection.prototype, "prepare"),
    vi.spyOn(DuckDBConnection.prototype, "extractStatements"),
    vi.spyOn(DuckDBPreparedStatement.prototype, "run"),
    vi.spyOn(DuckDBResult.prototype, "fetchChunk"),
  ];
  const counts = () => calls.map(({ mock }) => mock.calls.length);
  const numbers = await read<{ n: number }>(duck, "SELECT range AS n FROM range(5000) ORDER BY n");
  expect(numbers.map(({ n }) => n)).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
  expect(counts()).toEqual([1, 0, 0, 0, 0]);
  expect(await read(duck, "SELECT $1 AS text, CAST($2 AS BIGINT) + 1 AS sum", ["it's", 41])).toEqual([
    { text: "it's", sum: 42 },
  ]);
  expect(counts()).toEqual([1, 1, 0, 1, 0]);
  expect(await read(duck, "SELECT 1 AS one WHERE false")).toEqual([]);
  await expect(read(duck, "SELECT $1 / 'none'", ["x"])).rejects.toThrow();
  instance.closeSync();
});
