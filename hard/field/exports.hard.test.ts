import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { type ColumnName, columns, type Told, type ToldRow, writeFiles } from "./exported-answers.ts";
import { openMariaDb } from "./mariadb.ts";
import { codeOf, instant, isAbsent, sayAbsent, toldRows } from "./recipe-cells.ts";

/**
 * The recipes of docs/exports.md, run as they stand over real files with awkward answers, and what each program then has
 * in every cell. A program that is absent is named and left out; `node hard/run.ts recipes` installs Debian's.
 */

const run = promisify(execFile);
let t: TestApp;
let folder: string;
let rows: ToldRow[];
beforeAll(async () => {
  t = await openTestApp();
  folder = await mkdtemp(join(tmpdir(), "recipes-"));
  rows = await writeFiles(t, folder);
}, 120_000);
afterAll(async () => {
  await t.close();
  await rm(folder, { recursive: true, force: true });
});

/** The recipe and what follows it, in a shell in the folder of the files. */
async function bash(script: string, env: Record<string, string> = {}): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, LC_ALL: "C.UTF-8", ...env }, maxBuffer: 64 << 20 };
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], options);
  return stdout;
}

/** Debian's Python, which has Debian's libraries. */
const python = "/usr/bin/python3";

/** The cells that a program should have, but for what is said of it. */
const expected = (change: (text: string, name: string) => Told = (text) => text): ToldRow[] =>
  rows.map((row) =>
    Object.fromEntries(
      Object.keys(columns).map((name) => {
        const value = row[name] ?? null;
        return [name, value === null || columns[name as ColumnName] !== "text" ? value : change(value, name)];
      }),
    ),
  );

/** In plain CSV, a row is on one line. */
const onOneLine = (text: string): string => text.replaceAll(/\r\n|\r|\n/g, " ");
const asCsv = () => expected(onOneLine);

/** Fails if the program has another cell; says so if there is no such program. */
async function compare(work: () => Promise<readonly ToldRow[]>, wanted: () => readonly ToldRow[]): Promise<void> {
  const found = await work().catch((error: Error) => {
    if (!isAbsent(error)) throw error;
    sayAbsent(error);
    return null;
  });
  if (found !== null) expect(found).toEqual(wanted());
}

const readJson = async (name: string) => JSON.parse(await readFile(join(folder, name), "utf8"));

/** Rows of a CSV file that a spreadsheet wrote. */
const rowsOfCsv = (name: string): Promise<string> =>
  bash(
    `${python} -c "import csv, json, sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline='', encoding='utf-8')))))" '${name}'`,
  );

const ms = 180_000;

describe("a workbook", () => {
  it(
    "is exact in LibreOffice",
    async () => {
      await compare(
        async () => {
          const profile = `-env:UserInstallation=file://${folder}/libreoffice`;
          await bash(
            `${codeOf("LibreOffice")[0]?.replace("--headless", `--headless ${profile}`)}\nmv responses-*.csv libreoffice.csv`,
          );
          return toldRows(JSON.parse(await rowsOfCsv("libreoffice.csv")));
        },
        () => expected((text) => text.replaceAll("\r\n", "\n")),
      );
    },
    ms,
  );

  // neither program reads the escapes of a workbook
  const asEscaped = (text: string): string =>
    text.replaceAll("_x0041_", "_x005F_x0041_").replaceAll("\u0001", "_x0001_");

  it(
    "is exact in Gnumeric",
    async () => {
      await compare(
        async () => {
          await bash(codeOf("Gnumeric")[0] ?? "");
          return toldRows(JSON.parse(await rowsOfCsv("first-sheet.csv")));
        },
        () => expected(asEscaped),
      );
    },
    ms,
  );

  it(
    "is exact and typed in R",
    async () => {
      const tell = `kinds <- sapply(responses, function(column) class(column)[1])
      as_text <- function(column) if (inherits(column, "POSIXct")) format(column + 0.0005, "%Y-%m-%d %H:%M:%OS3", tz = "UTC") else
        if (is.numeric(column)) format(column, digits = 15, trim = TRUE, scientific = FALSE, drop0trailing = TRUE) else column
      texts <- lapply(responses, function(column) { text <- as_text(column); text[is.na(column)] <- NA; text })
      writeLines(jsonlite::toJSON(list(kinds = as.list(kinds), rows = as.data.frame(texts, check.names = FALSE, optional = TRUE)),
        auto_unbox = TRUE, na = "null", digits = 15), "r.json", useBytes = TRUE)`;
      await compare(
        async () => {
          await writeFile(join(folder, "recipe.R"), `${codeOf("R")[0]}\n${tell}\n`);
          await bash("Rscript recipe.R");
          const { kinds, rows: found } = await readJson("r.json");
          const names = {
            text: "character",
            number: "numeric",
            boolean: "logical",
            instant: "POSIXct",
            date: "POSIXct",
          };
          for (const [name, type] of Object.entries(columns)) expect([name, kinds[name]]).toEqual([name, names[type]]);
          return toldRows(found);
        },
        () => expected((text) => (text.trim() === "" ? null : text)),
      );
    },
    ms,
  );

  it(
    "is exact and typed in pandas, which reads it with openpyxl",
    async () => {
      const tell = `import json
kinds = {name: str(kind) for name, kind in responses.dtypes.items()}
rows = [{name: None if pandas.isna(value) else str(value) for name, value in row.items()} for row in responses.to_dict("records")]
json.dump({"kinds": kinds, "rows": rows}, open("pandas.json", "w"))`;
      await compare(
        async () => {
          await writeFile(join(folder, "recipe.py"), `${codeOf("pandas")[0]}\n${tell}\n`);
          await bash(`${python} recipe.py`);
          const { kinds, rows: found } = await readJson("pandas.json");
          expect(kinds).toMatchObject({
            ...{
              "answers.budget": "float64",
              version_number: "int64",
              started_at: "datetime64[ns]",
              "answers.note": "object",
            },
          });
          return toldRows(found);
        },
        () => expected(asEscaped),
      );
    },
    ms,
  );
});

describe("a Parquet file", () => {
  /** The zone is not UTC, where the times of CSV would go wrong. */
  async function duck(statements: readonly string[], query: string): Promise<Record<string, unknown>[]> {
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    try {
      await connection.run("SET TimeZone = 'America/New_York'");
      for (const each of statements) await connection.run(each.replaceAll("'responses.", `'${folder}/responses.`));
      return (await connection.runAndReadAll(query)).getRowObjectsJson();
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }
  const inUtc = (table: string): string =>
    `SELECT * REPLACE (strftime(timezone('UTC', started_at), '%Y-%m-%d %H:%M:%S.%g') AS started_at,
       strftime(timezone('UTC', completed_at::TIMESTAMPTZ), '%Y-%m-%d %H:%M:%S.%g') AS completed_at) FROM ${table}`;

  it("is exact and typed in DuckDB, and joins with CSV in any zone", async () => {
    const recipe = codeOf("DuckDB");
    expect(toldRows(await duck(recipe, inUtc("responses")))).toEqual(expected());
    expect(toldRows(await duck(recipe, inUtc("responses_csv")))).toEqual(asCsv());
    const kinds = await duck(
      recipe,
      "SELECT column_name AS name, data_type AS kind FROM duckdb_columns() WHERE table_name = 'responses'",
    );
    const byName = new Map(kinds.map(({ name, kind }) => [name, kind]));
    const names = {
      text: ["VARCHAR"],
      number: ["BIGINT", "DOUBLE"],
      boolean: ["BOOLEAN"],
      date: ["DATE"],
      instant: ["TIMESTAMP WITH TIME ZONE"],
    };
    for (const [name, type] of Object.entries(columns)) expect(names[type]).toContain(byName.get(name));
    const joined = await duck(
      recipe,
      `SELECT count(*)::INTEGER AS n FROM responses a JOIN responses_csv b USING (started_at)
      WHERE a."answers.budget" IS NOT DISTINCT FROM b."answers.budget"`,
    );
    expect(joined).toEqual([{ n: rows.length }]);
  });

  const npm = (what: string) =>
    bash(`npm install --ignore-scripts --no-save --no-audit --no-fund --prefer-offline --silent ${what}`);

  it(
    "is exact in Polars",
    async () => {
      const tell = `import { writeFileSync } from "node:fs";
const names = new Set(responses.getColumns().filter(({ dtype }) => String(dtype).startsWith("Datetime")).map(({ name }) => name));
const rows = responses.toRecords().map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) =>
  [name, value === null ? null : names.has(name) || value instanceof Date ? new Date(value).toISOString() : String(value)])));
writeFileSync("polars.json", JSON.stringify(rows));`;
      await compare(
        async () => {
          await npm("nodejs-polars@0.26.1");
          await writeFile(join(folder, "polars.mjs"), `${codeOf("Polars")[0]}\n${tell}\n`);
          await bash(`'${process.execPath}' polars.mjs`);
          return toldRows(await readJson("polars.json"));
        },
        () => expected(),
      );
    },
    ms,
  );

  it(
    "is exact in a reader of its own kind, hyparquet, and in parquet-wasm with Arrow",
    async () => {
      const tell = `import { writeFileSync } from "node:fs"; import { readFileSync } from "node:fs";
import { parquetReadObjects } from "hyparquet"; import { readParquet } from "parquet-wasm/node"; import { tableFromIPC } from "apache-arrow";
const told = (rows) => JSON.stringify(rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) =>
  [name, value === null ? null : value instanceof Date ? value.toISOString() : /_at$|birthday$/.test(name) ? new Date(Number(value)).toISOString() : String(value)]))));
const bytes = readFileSync("responses.parquet");
writeFileSync("hyparquet.json", told(await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) })));
writeFileSync("arrow.json", told(tableFromIPC(readParquet(bytes).intoIPCStream()).toArray().map((row) => row.toJSON())));`;
      await compare(
        async () => {
          await npm("hyparquet@1.33.0 parquet-wasm@0.8.0 apache-arrow@21.2.0");
          await writeFile(join(folder, "arrow.mjs"), tell);
          await bash(`'${process.execPath}' arrow.mjs`);
          expect(toldRows(await readJson("hyparquet.json"))).toEqual(expected());
          return toldRows(await readJson("arrow.json"));
        },
        () => expected(),
      );
    },
    ms,
  );
});

describe("plain CSV and NDJSON", () => {
  it(
    "are exact in SQLite, which compares the numbers as numbers",
    async () => {
      await compare(async () => {
        await bash(`${codeOf("SQLite")[0]}\nsqlite3 -json shop.db 'SELECT * FROM responses' > sqlite.json`);
        const found = await readJson("sqlite.json");
        const above = await bash("sqlite3 shop.db 'SELECT count(*) FROM responses WHERE budget > 9'");
        expect(Number(above)).toBe(rows.filter((row) => Number(row["answers.budget"] ?? "-1") > 9).length);
        expect(found.map(({ budget }: { budget: number | null }) => (budget === null ? null : String(budget)))).toEqual(
          rows.map((row) => row["answers.budget"]),
        );
        return toldRows(found);
      }, asCsv);
    },
    ms,
  );

  it(
    "are exact in PostgreSQL, as JSON and as CSV",
    async () => {
      const { host, port, user, database, password } = t.connection;
      const env = {
        DATABASE_URL: `postgres:///${database}`,
        ...{ PGHOST: String(host), PGPORT: String(port), PGUSER: String(user) },
        ...(typeof password === "string" ? { PGPASSWORD: password } : {}),
      };
      // beside the program's own tables
      const schema = "CREATE SCHEMA recipes";
      const [json = "", csv = ""] = codeOf("PostgreSQL");
      const ask = (sql: string) =>
        bash(`psql -qAtX "$DATABASE_URL" -c "${sql}"`, { ...env, PGOPTIONS: "-c search_path=recipes" });
      await compare(async () => {
        await ask(schema);
        await bash(`${json}\n${csv}`, { ...env, PGOPTIONS: "-c search_path=recipes" });
        const found = JSON.parse(
          await ask("SET TimeZone = 'UTC'; SELECT json_agg(answers ORDER BY started_at) FROM answers"),
        );
        const short = (name: string) => name.replace("answers.", "");
        expect(
          found.map((row: Record<string, unknown>) => ({
            ...{ session_id: row["session_id"], skin: row["skin"], note: row["note"], birthday: row["birthday"] },
            budget: row["budget"] === null ? null : String(row["budget"]),
            concerns: JSON.stringify(row["concerns"]),
            started_at: instant(String(row["started_at"]).replace("T", " ")),
          })),
        ).toEqual(
          rows.map((row) => ({
            ...Object.fromEntries(
              ["session_id", "started_at", "answers.skin", "answers.note", "answers.birthday", "answers.budget"].map(
                (name) => [short(name), row[name]],
              ),
            ),
            concerns: row["answers.concerns.option_ids"],
          })),
        );
        return toldRows(JSON.parse(await ask("SELECT json_agg(r ORDER BY started_at) FROM responses_csv r")));
      }, asCsv);
    },
    ms,
  );

  it(
    "are exact in MariaDB, with booleans and backslashes",
    async () => {
      const server = await openMariaDb(folder);
      if (server === null) return;
      const { env } = server;
      try {
        await bash("mariadb -e 'CREATE DATABASE shop'", env);
        await bash(codeOf("MariaDB")[0] ?? "", env);
        const names = Object.keys(columns).map((name) => `'${name}', "${name}"`);
        const select = `SELECT JSON_OBJECT(${names}, 'budget', budget, 'agreed', email_agreed) FROM responses ORDER BY started_at`;
        await writeFile(join(folder, "tell.sql"), `SET sql_mode = 'ANSI_QUOTES'; ${select};`);
        const lines = await bash("mariadb -N --raw --default-character-set=utf8mb4 shop < tell.sql", env);
        const found = lines
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line));
        expect(found.map(({ budget }) => (budget === null ? null : String(budget)))).toEqual(
          rows.map((row) => row["answers.budget"]),
        );
        expect(found.map(({ agreed }) => (agreed === null ? null : String(agreed === 1)))).toEqual(
          rows.map((row) => row["email_consent"]),
        );
        expect(toldRows(found)).toEqual(asCsv());
      } finally {
        await server.close();
      }
    },
    ms,
  );

  it(
    "are exact in Miller",
    async () => {
      await compare(
        async () => {
          await bash(`(${codeOf("Miller")[0]}) > miller.csv`);
          return toldRows(JSON.parse(await rowsOfCsv("miller.csv")));
        },
        () => asCsv().filter((row) => Number(row["answers.budget"] ?? "0") > 9),
      );
    },
    ms,
  );

  it(
    "are exact in csvkit",
    async () => {
      await compare(async () => toldRows(JSON.parse(await bash(codeOf("csvkit")[0] ?? ""))), asCsv);
    },
    ms,
  );
});
