import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { loadModule, parseSync, scanSync } from "libpg-query";
import pg from "pg";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { splitStatements } from "./split-statements.ts";

beforeAll(() => loadModule());

/** Cut at the semicolons that PostgreSQL's own scanner finds; null for a text that it refuses. */
function splitByPostgres(sql: string): string[] | null {
  try {
    const { tokens } = scanSync(sql);
    const bytes = Buffer.from(sql);
    const pieces: string[] = [];
    let start = 0;
    let isEmpty = true;
    for (const { tokenName, start: from, end } of [...tokens, { tokenName: "ASCII_59", start: bytes.length, end: 0 }]) {
      if (tokenName === "ASCII_59") {
        if (!isEmpty) pieces.push(bytes.subarray(start, from).toString().trim());
        [start, isEmpty] = [end, true];
      } else if (!tokenName.endsWith("_COMMENT")) isEmpty = false;
    }
    return pieces;
  } catch {
    return null;
  }
}

const odd: Record<string, string> = {
  "a body in $$":
    "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; PERFORM 2; END $$; SELECT 1",
  "a body in a tag, with another inside": "DO $a$ BEGIN EXECUTE $b$SELECT 1; SELECT 2$b$; END $a$; SELECT 1",
  "a tag of letters beyond ASCII": "SELECT $größe$ ; $größe$; SELECT 2",
  "a parameter, which opens no body": "SELECT $1, $2; SELECT $1$$;$$",
  "a name with dollars": "SELECT a$b$c; SELECT d$b$e",
  "quotes in strings": "SELECT 'it''s; so', ';' ; SELECT ''",
  "backslashes, which are letters": "SELECT 'a\\'; SELECT 'b'",
  "backslashes, which are not": "SELECT E'a\\'; b', e'\\\\'; SELECT 1",
  "a string that goes on in the next line": "SELECT E'a' \n\t '\\';'; SELECT 'a'\n'\\'; SELECT 1",
  "strings of other kinds": "SELECT U&'\\0061;', B'1;', X';', N';'; SELECT ne'a\\'; SELECT 1",
  "quoted names": 'SELECT 1 AS "a;""b;"; SELECT U&"x;"',
  comments: "SELECT 1 -- one; two\n; /* three; */ SELECT 2 /* four /* ; */ ; */; -- five",
  "comments after operators": "SELECT 1 +-- ;\n 2; SELECT 1 */* ; */ 2",
  "nothing but comments": "-- a;\n/* b; */ ; ; ",
};

describe("statements of a text", () => {
  it.each(Object.entries(odd))("are cut as PostgreSQL's scanner cuts them: %s [operations.statements]", (_, sql) => {
    const expected = splitByPostgres(sql);
    expect(expected).not.toBeNull();
    expect(splitStatements(sql)).toEqual(expected);
  });

  it("are cut behind a string that goes on past comments, which PostgreSQL takes for one [operations.statements]", async () => {
    // libpg-query's scanner ends it at the comment, for it gives comments out as tokens
    const first = "SELECT E'a' -- no\n  -- nor this\n '\\';' AS text";
    expect(splitStatements(`${first}; SELECT 2`)).toEqual([first, "SELECT 2"]);
    const client = new pg.Client(inject("postgres"));
    await client.connect();
    const { rows } = await client.query(first);
    await client.end();
    expect(rows).toEqual([{ text: "a';" }]);
    expect(splitStatements("")).toEqual([]);
  });

  it("are cut as PostgreSQL's scanner cuts them, whatever stands beside what [operations.statements]", () => {
    const parts = [
      ...[
        ";",
        "'",
        "''",
        "\\",
        "\\'",
        "e'",
        "E'",
        "U&'",
        '"',
        "$$",
        "$a$",
        "$b$",
        "$1",
        "a",
        "a$",
        "1",
        "é",
        " ",
        "\n",
      ],
      ...["--", "/*", "*/", "+", "-", "(", ")", "x", "E'a\\'b'", "'c'", "\t", "\r"],
    ];
    const texts = fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((chosen) => chosen.join(""));
    let compared = 0;
    fc.assert(
      fc.property(texts, (sql) => {
        const expected = splitByPostgres(sql);
        if (expected === null) return;
        compared += 1;
        expect(splitStatements(sql)).toEqual(expected);
      }),
      { numRuns: 5_000 },
    );
    expect(compared).toBeGreaterThan(500);
  });

  it("of all migrations are those that PostgreSQL's parser finds [operations.statements]", async () => {
    const folder = join(import.meta.dirname, "../../../migrations");
    for (const file of await readdir(folder)) {
      const sql = await readFile(join(folder, file), "utf8");
      const parsed = splitStatements(sql).map((statement) => parseSync(statement).stmts?.length);
      expect([file, parsed]).toEqual([file, parseSync(sql).stmts?.map(() => 1)]);
      expect(splitStatements(sql)).toEqual(splitByPostgres(sql));
    }
  });
});
