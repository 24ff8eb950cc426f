import { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement, DuckDBResult } from "@duckdb/node-api";
import { afterEach, describe, expect, it, vi } from "vitest";
import { appendRows } from "./append.ts";
import { inTransaction, read, WriteConnection } from "./duck.ts";

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

describe("a connection that changes a copy", () => {
  async function open() {
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    const duck = new WriteConnection(await instance.connect());
    await duck.run("CREATE TABLE t (n BIGINT)");
    const run = vi.spyOn(DuckDBConnection.prototype, "run");
    return { duck, calls: () => run.mock.calls.length };
  }
  const numbers = async (duck: WriteConnection) => (await read<{ n: number }>(duck, "FROM t")).map(({ n }) => n);

  it("sends statements without a result with the next call, in their order [copy.fresh]", async () => {
    const { duck, calls } = await open();
    duck.sendLater("INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)");
    duck.sendLater("DELETE FROM t WHERE n = 1");
    expect(calls()).toBe(0);
    expect(await numbers(duck)).toEqual([2]);
    expect(calls()).toBe(1);
  });

  it("sends them before it prepares or appends anything [copy.fresh]", async () => {
    const { duck } = await open();
    duck.sendLater("CREATE TABLE later (n BIGINT)");
    await appendRows(duck, { name: "later", columns: [["n", "BIGINT"]] }, [[7]]);
    duck.sendLater("UPDATE later SET n = n + 1");
    expect(await read(duck, "SELECT n FROM later WHERE n > $1", [0])).toEqual([{ n: 8 }]);
  });

  it("makes a transaction of them, which a failure undoes as a whole [copy.one-state]", async () => {
    const { duck, calls } = await open();
    await inTransaction(
      duck,
      async () => duck.sendLater("INSERT INTO t VALUES (1)"),
      () => ["INSERT INTO t VALUES (2)"],
    );
    expect(calls()).toBe(1);
    const failing = inTransaction(duck, async () => duck.sendLater("INSERT INTO t VALUES (3)", "SELECT error('no')"));
    await expect(failing).rejects.toThrow("no");
    const failingWork = inTransaction(duck, async () => {
      duck.sendLater("INSERT INTO t VALUES (4)");
      throw new Error("work");
    });
    await expect(failingWork).rejects.toThrow("work");
    expect(await numbers(duck)).toEqual([1, 2]);
  });
});
