import { describe, expect, it } from "vitest";
import { joined, ownStore, raw, runnerOf, type Statement, sql } from "./sql.ts";

const shown = ({ sql: text, parameters }: Statement) => ({ sql: text, parameters });

describe("statements as templates [database.one-store]", () => {
  it("number their values, and name the store once, as the first", () => {
    const id = 7;
    expect(shown(sql`SELECT ${id}::int AS a, ${"x"} AS b`)).toEqual({
      sql: "SELECT $1::int AS a, $2 AS b",
      parameters: [7, "x"],
    });
    const own = sql`SELECT 1 FROM t WHERE id = ${id} AND store_id = ${ownStore} AND EXISTS (SELECT ${ownStore})`;
    expect(own.sql).toBe("SELECT 1 FROM t WHERE id = $2 AND store_id = $1 AND EXISTS (SELECT $1)");
    expect([own.namesStore, own.parameters]).toEqual([true, [7]]);
  });

  it("take parts in, however deep, whose values are numbered where they stand", () => {
    const condition = (ids: readonly number[]) => sql`id = ANY (${ids}) AND ${sql`store_id = ${ownStore}`}`;
    const asked = (from: string, ids: readonly number[]) =>
      sql`SELECT ${raw("a, b")} FROM t WHERE at > ${from} AND ${condition(ids)} LIMIT 5`;
    const text = "SELECT a, b FROM t WHERE at > $2 AND id = ANY ($3) AND store_id = $1 LIMIT 5";
    expect(shown(asked("x", [1]))).toEqual({ sql: text, parameters: ["x", [1]] });
    expect(shown(asked("y", [2, 3]))).toEqual({ sql: text, parameters: ["y", [2, 3]] });
  });

  it("are what their parts are this time, not the last time", () => {
    const ordered = (by: string | null) => sql`SELECT 1${by === null ? raw("") : sql` WHERE a = ${by}`} LIMIT ${3}`;
    const without = { sql: "SELECT 1 LIMIT $1", parameters: [3] };
    const narrowed = { sql: "SELECT 1 WHERE a = $1 LIMIT $2", parameters: ["b", 3] };
    for (const by of [null, "b", "b", null]) expect(shown(ordered(by))).toEqual(by === null ? without : narrowed);
    const columns = (names: readonly string[]) =>
      sql`SELECT ${joined(
        names.map((name) => sql`${raw(name)} = ${name}`),
        " AND ",
      )}`;
    expect(shown(columns(["a", "b"]))).toEqual({ sql: "SELECT a = $1 AND b = $2", parameters: ["a", "b"] });
    expect(shown(columns(["c"]))).toEqual({ sql: "SELECT c = $1", parameters: ["c"] });
  });
});

describe("a template whose value at one place is sometimes the runner's store [database.one-store]", () => {
  const of = (store: unknown) => sql`SELECT ${1} WHERE store_id = ${store} AND a = ${"a"}`;

  it("is numbered by what stands there this time", () => {
    const own = { sql: "SELECT $2 WHERE store_id = $1 AND a = $3", parameters: [1, "a"] };
    const given = { sql: "SELECT $1 WHERE store_id = $2 AND a = $3", parameters: [1, "x", "a"] };
    for (const store of [ownStore, "x", ownStore, "x"]) expect(shown(of(store))).toEqual(store === "x" ? given : own);
  });

  it("is so as a part too, among parts of the same texts", () => {
    const pair = (a: unknown, b: unknown) => sql`SELECT ${joined([sql`${a}`, sql`${b}`])}`;
    expect(shown(pair(ownStore, 5))).toEqual({ sql: "SELECT $1, $2", parameters: [5] });
    expect(shown(pair(5, ownStore))).toEqual({ sql: "SELECT $2, $1", parameters: [5] });
    expect(shown(pair(5, 6))).toEqual({ sql: "SELECT $1, $2", parameters: [5, 6] });
  });
});

describe("runners [database.one-store]", () => {
  const ran: Statement[] = [];
  const runner = runnerOf(async (statement) => {
    ran.push({ sql: statement.sql, parameters: statement.parameters });
    return [];
  });
  const one = "01890000-0000-7000-8000-000000000001";

  it("fill in the store that they are bound to", async () => {
    await runner.forStore(one).all(sql`SELECT 1 FROM t WHERE a = ${5} AND store_id = ${ownStore}`);
    expect(ran.at(-1)).toEqual({ sql: "SELECT 1 FROM t WHERE a = $2 AND store_id = $1", parameters: [one, 5] });
  });

  it("refuse a statement of a store while they have none, and another store while they have one", async () => {
    const own = runner.forStore(one);
    expect(own.forStore(one)).toBe(own);
    expect(() => own.forStore("01890000-0000-7000-8000-000000000002")).toThrow("another one");
    expect(() => runner.all(sql`SELECT 1 WHERE store_id = ${ownStore}`)).toThrow("bound to no store");
  });
});
