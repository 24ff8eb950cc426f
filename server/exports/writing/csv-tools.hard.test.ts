import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../../testkit/app.ts";
import { awkwardTexts } from "../../../testkit/awkward-texts.ts";
import { plain, readCsvCells } from "../../../testkit/csv.ts";
import { exported } from "../../../testkit/export-files.ts";
import { newShopper, searchQuiz, shop } from "../../../testkit/search-quiz.ts";

/**
 * A real export as plain CSV in the tools that programs of shops are written with: each has to find every row, the name
 * of the first column, and each cell. Tried with Debian 12's packages (csvkit, datamash, gretl, miller, php-cli,
 * postgresql, pspp, r-base-core, ruby, sqlite3, visidata) and npm's; one that is absent is named and left out.
 */

const run = promisify(execFile);
const note = "answers.note";

const cells = awkwardTexts.map((text) => text.replaceAll(/\r\n|\r|\n/g, " "));

/** What a tool found, as far as it tells. */
interface Found {
  rows: number;
  first?: string;
  notes?: string[];
}

interface Tool {
  name: string;
  /** throws if the tool is absent */
  find: (at: Place) => Promise<Found>;
}

interface Place {
  folder: string;
  path: string;
  columns: readonly string[];
  connection: TestApp["connection"];
}

const said = async (
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) => (await run(program, [...args], { maxBuffer: 64 << 20, ...options })).stdout;

/** From JSON rows as objects. */
function fromObjects(text: string): Found {
  const rows = JSON.parse(text) as Record<string, unknown>[];
  const [first = ""] = Object.keys(rows[0] ?? {});
  return { rows: rows.length, first, notes: rows.map((row) => String(row[note] ?? "")) };
}

const byNpm =
  (what: string, script: string): Tool["find"] =>
  async ({ folder, path }) => {
    const args = ["install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--prefer-offline", what];
    await run("npm", args, { cwd: folder });
    const file = join(folder, "read.mjs");
    await writeFile(file, script);
    return fromObjects(await said(process.execPath, [file, path], { cwd: folder }));
  };

const tools: Tool[] = [
  {
    name: "csv-parse",
    find: byNpm(
      "csv-parse@7.0.3",
      `import { readFileSync } from "node:fs"; import { parse } from "csv-parse/sync";
       console.log(JSON.stringify(parse(readFileSync(process.argv[2]), { columns: true })));`,
    ),
  },
  {
    name: "csv-parser",
    find: byNpm(
      "csv-parser@3.2.1",
      `import { createReadStream } from "node:fs"; import csv from "csv-parser"; const rows = [];
       createReadStream(process.argv[2]).pipe(csv()).on("data", (row) => rows.push(row))
         .on("end", () => console.log(JSON.stringify(rows)));`,
    ),
  },
  {
    name: "d3-dsv",
    find: byNpm(
      "d3-dsv@3.0.2",
      `import { readFileSync } from "node:fs"; import { csvParse } from "d3-dsv";
       console.log(JSON.stringify(csvParse(readFileSync(process.argv[2], "utf8"))));`,
    ),
  },
  {
    name: "Python",
    find: async ({ path }) =>
      fromObjects(
        await said("python3", [
          "-c",
          "import csv, json, sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline='', encoding='utf-8')))))",
          path,
        ]),
      ),
  },
  {
    name: "csvkit",
    find: async ({ path }) => fromObjects(await said("csvjson", ["--no-inference", "--blanks", path])),
  },
  {
    name: "Miller",
    find: async ({ path }) => {
      const text = await said("mlr", ["--icsv", "--ojson", "-S", "--no-auto-unflatten", "cat", path]);
      // Miller 6.6 writes control characters into JSON as they are, which no text in JSON may have
      return fromObjects(text.replaceAll("\u0001", String.raw`\u0001`));
    },
  },
  {
    name: "Ruby",
    find: async ({ path }) =>
      fromObjects(
        await said("ruby", [
          "-Eutf-8",
          "-rcsv",
          "-rjson",
          "-e",
          "puts JSON.generate(CSV.read(ARGV[0], headers: true).map(&:to_h))",
          path,
        ]),
      ),
  },
  {
    name: "PHP",
    find: async ({ path }) =>
      fromObjects(
        await said("php", [
          "-r",
          `$f = fopen($argv[1], "r"); $names = fgetcsv($f, null, ",", '"', ""); $rows = [];
           while (($row = fgetcsv($f, null, ",", '"', "")) !== false) $rows[] = array_combine($names, $row);
           echo json_encode($rows);`,
          path,
        ]),
      ),
  },
  {
    name: "VisiData",
    find: async ({ folder, path }) => {
      const out = join(folder, "visidata.json");
      await said("vd", ["--batch", "--encoding", "utf-8", "--csv-skipinitialspace=False", path, "-o", out]);
      return fromObjects(await said("cat", [out]));
    },
  },
  {
    name: "R",
    find: async ({ path }) => {
      const script = `d <- read.csv(commandArgs(TRUE)[1], colClasses = "character", na.strings = character(0),
          check.names = FALSE, encoding = "UTF-8", strip.white = FALSE)
        writeLines(c(nrow(d), names(d)[1], paste0(d[["${note}"]], "|")))`;
      const [rows = "", first = "", ...lines] = (await said("Rscript", ["-e", script, path])).trimEnd().split("\n");
      return { rows: Number(rows), first, notes: lines.map((line) => line.slice(0, -1)) };
    },
  },
  {
    name: "datamash",
    find: async ({ path }) => {
      const text = await said("sh", ["-c", `datamash -t, --header-in count session_id < "$0"`, path]);
      return { rows: Number(text), first: "session_id" };
    },
  },
  {
    name: "gretl",
    find: async ({ folder, path }) => {
      const script = join(folder, "read.inp");
      await writeFile(script, `open "${path}" --quiet\nprintf "rows %d\\n", $nobs\nvarlist\n`);
      const text = await said("gretlcli", ["-b", script], { cwd: folder });
      return { rows: Number(/^rows (\d+)$/m.exec(text)?.[1]), first: /\b1\) (\S+)/.exec(text)?.[1] ?? "" };
    },
  },
  {
    name: "PSPP",
    find: async ({ folder, path, columns }) => {
      const script = join(folder, "read.sps");
      const variables = columns.map((_, index) => `v${index} A255`).join(" ");
      await writeFile(
        script,
        `GET DATA /TYPE=TXT /FILE="${path}" /ENCODING="UTF-8" /ARRANGEMENT=DELIMITED /DELIMITERS="," /QUALIFIER='"'
           /FIRSTCASE=2 /VARIABLES=${variables}.
         SAVE TRANSLATE /OUTFILE="${join(folder, "pspp.csv")}" /TYPE=CSV /REPLACE.\n`,
      );
      await said("pspp", ["-b", script], { cwd: folder });
      const read = await said("python3", [
        "-c",
        "import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], newline='', encoding='utf-8')))))",
        join(folder, "pspp.csv"),
      ]);
      const rows = JSON.parse(read) as string[][];
      return { rows: rows.length };
    },
  },
  {
    name: "SQLite",
    find: async ({ path }) => {
      const commands = [".mode csv", `.import '${path}' t`, ".mode json", "SELECT * FROM t;"];
      return fromObjects(await said("sqlite3", [":memory:", ...commands]));
    },
  },
  {
    name: "PostgreSQL",
    find: async ({ path, columns, connection: { host, port, user, database, password } }) => {
      const quoted = columns.map((name) => `"${name}"`);
      const env = {
        ...process.env,
        ...{ PGHOST: host, PGPORT: String(port), PGUSER: user, PGDATABASE: database },
        ...(typeof password === "string" ? { PGPASSWORD: password } : {}),
      };
      const statements = [
        `CREATE TEMP TABLE t (place serial, ${quoted.map((name) => `${name} text`).join(", ")})`,
        `\\copy t(${quoted.join(", ")}) FROM '${path}' (FORMAT csv, HEADER match)`,
        `SELECT json_agg(row_to_json(u)) FROM (SELECT ${quoted.join(", ")} FROM t ORDER BY place) u`,
      ];
      return fromObjects(await said("psql", ["-qAtX", ...statements.flatMap((each) => ["-c", each])], { env }));
    },
  },
  {
    name: "DuckDB",
    find: async ({ path }) => {
      const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
      const connection = await instance.connect();
      // as people call it: with everything guessed but types
      const read = await connection.runAndReadAll(`SELECT * FROM read_csv('${path}', all_varchar = true)`);
      const text = JSON.stringify(read.getRowObjectsJson());
      connection.closeSync();
      instance.closeSync();
      return fromObjects(text);
    },
  },
];

describe("a real export as plain CSV, read by other programs", () => {
  let t: TestApp;
  let place: Place;
  beforeAll(async () => {
    t = await openTestApp();
    const store = await t.store({ plan: "enterprise" });
    await t.update(store, { limits: { export_page_pause_ms: 0 } });
    const quiz = await searchQuiz(t, store, { labels: ["Dry; flaky", "Dry", 'Fla"ky\nskin'] });
    for (const text of awkwardTexts) {
      t.calendar.advance(1_000);
      await shop(t, store, quiz, newShopper(), {
        note: text,
        tone: ["o2", "o3"],
        years: 30,
        phone: "+49 151 12345678",
      });
    }
    const text = await exported(t, store, { dataset: "responses", csv_style: "plain", quiz_id: quiz.id });
    const folder = await mkdtemp(join(tmpdir(), "csv-tools-"));
    const path = join(folder, "responses.csv");
    await writeFile(path, text);
    place = { folder, path, columns: readCsvCells(text, plain)[0] ?? [], connection: t.connection };
  }, 120_000);
  afterAll(async () => {
    await t.close();
    if (place) await rm(place.folder, { recursive: true });
  });

  it.each(tools)(
    "has every row, the first column's name and each cell in $name [exports.csv-plain]",
    async (tool) => {
      const found = await tool.find(place).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT" && !/ not found|ENOTFOUND|EAI_AGAIN/.test(error.message)) throw error;
        process.stderr.write(`${tool.name} is absent: ${error.message.split("\n")[0]}\n`);
        return null;
      });
      if (found === null) return;
      expect(found).toEqual({
        rows: awkwardTexts.length,
        ...(found.first === undefined ? {} : { first: "session_id" }),
        ...(found.notes === undefined ? {} : { notes: cells }),
      });
    },
    120_000,
  );
});
