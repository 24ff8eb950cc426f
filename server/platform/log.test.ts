import { DuckDBInstance } from "@duckdb/node-api";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { logWarnings, openLog } from "./log.ts";
import { invalid, Problem } from "./problems.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

function logged(error: unknown): { text: string; line: Record<string, never> } {
  const lines: string[] = [];
  openLog("info", { write: (line) => void lines.push(line) }).error({ err: error }, "failed");
  return { text: lines.join(""), line: JSON.parse(lines[0] ?? "{}") };
}

describe("logs [operations.logs]", () => {
  it("show of a database error its code and place, and no value of the row it failed on", async () => {
    const email = "canary@example.com";
    const row = {
      sql: "INSERT INTO stores (id, name) VALUES ($1, $2)",
      parameters: ["0198c0de-0000-7000-8000-00000000beef", email],
    };
    const error = await t.database.transaction((tx) => tx.all(row)).catch((caught: unknown) => caught);
    // the driver's error does carry it
    expect(JSON.stringify(error)).toContain(email);
    for (const each of [error, new Problem("internal_error", { cause: error }), new Error("outer", { cause: error })]) {
      const { text } = logged(each);
      expect(text).not.toContain("canary");
      expect(text).toContain('"code":"23502"');
      // a node of a cluster does not pass the table on
      expect(text.includes('"table":"stores"')).toBe(inject("workers").length === 0);
    }
  });

  it("carry the warnings of Node and of libraries, which are then not printed as text", async () => {
    const lines: string[] = [];
    const before = process.listeners("warning");
    const end = logWarnings(openLog("info", { write: (line) => void lines.push(line) }));
    process.emitWarning("a mode is deprecated", "DeprecationWarning");
    await expect.poll(() => lines).toHaveLength(1);
    const [line] = lines.map((text) => JSON.parse(text));
    expect(line).toMatchObject({ level: "warn", err: { type: "DeprecationWarning", message: "a mode is deprecated" } });
    expect(process.listeners("warning")).toHaveLength(1);
    end();
    expect(process.listeners("warning")).toEqual(before);
  });

  it("show nothing of a text that could not be read, or of a thrown value", () => {
    let syntax: unknown;
    try {
      JSON.parse('{"email": canary@example.com}');
    } catch (error) {
      syntax = error;
    }
    expect(String(syntax)).toContain("canary");
    for (const each of [syntax, "canary", { canary: "canary" }, new pg.DatabaseError("canary", 6, "error")]) {
      expect(logged(each).text.replace(/"stack":"[^"]*"/, "")).not.toContain("canary@");
    }
    expect(logged("canary").text).not.toContain("canary");
  });

  it("show of a copy's error what kind it is, and nothing of the lines and values that it quotes", async () => {
    const duck = await (await DuckDBInstance.create(":memory:")).connect();
    for (const [sql, kind] of [
      ["SELECT CAST('canary@example.com' AS INTEGER)", "Conversion Error"],
      ["SELECT * FROM canary_table", "Catalog Error"],
      ["SELECT 'x' FROM 'canary' 'y'", "Parser Error"],
      ["SELECT error('canary')", "Invalid Input Error"],
    ] as const) {
      const error = await duck.run(sql).catch((caught: unknown) => caught);
      // the error itself does quote it
      expect(String(error)).toContain("canary");
      for (const each of [error, new Problem("dependency_unavailable", { cause: error })]) {
        const { text } = logged(each);
        expect(text).not.toContain("canary");
        expect(text).toContain(`"message":"${kind}"`);
      }
    }
    duck.disconnectSync();
  });

  it("keep type, message, code and frames of our own errors", () => {
    const { line } = logged(Object.assign(new TypeError("cannot do it"), { code: "E_X" }));
    expect(line).toMatchObject({
      level: "error",
      msg: "failed",
      err: { type: "TypeError", message: "cannot do it", code: "E_X" },
    });
    expect(line["err"]?.["stack"]).toMatch(/^ {4}at /);
  });

  it("of requests name the route's pattern, not ids, parameters, headers or keys", async () => {
    const store = await t.store();
    const headers = { cookie: "canary-cookie", "x-forwarded-for": "203.0.113.77" };
    await t.request("GET", "/v1/store?canary-query=1", { key: store.key, headers });
    await t.request("GET", "/dashboard/profiles/canary-id", { headers });
    await t.request("POST", "/v1/nothing-canary", { body: { email: "canary-body" } });
    const all = t.logged.join("");
    expect(all).toContain('"route":"/v1/store"');
    expect(all).not.toContain("canary");
    expect(all).not.toContain(store.key.slice(9));
    expect(all).not.toContain("203.0.113.77");
  });

  it("show nothing below their level", () => {
    const lines: string[] = [];
    const log = openLog("warn", { write: (line) => void lines.push(line) });
    log.info("hidden");
    log.warn("shown");
    expect(lines).toHaveLength(1);
    expect(invalid("body", "x").status).toBe(422);
  });
});
