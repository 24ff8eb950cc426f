import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { page, quizDocument, text } from "../../../testkit/document-parts.ts";
import { exported, exportedFile } from "../../../testkit/export-files.ts";
import { makeQuiz, type TestQuiz } from "../../../testkit/quizzes.ts";
import { newShopper, searchQuiz, shop } from "../../../testkit/search-quiz.ts";
import { momentOf, readWorkbook, type Sheet, type SheetCell } from "../../../testkit/workbook.ts";

/** Exports as XLSX and Parquet, with what shoppers answered. */

let t: TestApp;
let store: TestStore;
let skin: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const limits = { pageRows: 3, batchRows: 2 };
const notes = ["=1+1", "'=1+1", "01067", "1-2", " two\n\nlines ", "+49 151", "NULL", "_x0041_"];

beforeEach(async () => {
  store = await t.store({ plan: "enterprise" });
  await t.update(store, { limits: { export_page_pause_ms: 0 } });
  skin = await searchQuiz(t, store, { labels: ["Dry; flaky", "Dry", "flaky"] });
  for (const [at, note] of notes.entries()) {
    t.calendar.advance(1_234);
    const born = { date: at === 0 ? "1900-02-28" : "2000-02-29", time: at % 2 === 0 ? null : "18:00" };
    await shop(t, store, skin, newShopper(), { note, tone: ["o2", "o3"], years: 20 + at, born }, at % 2 === 0);
  }
});

/** A quiz with another question, taken twice in between. */
async function takeHair(): Promise<TestQuiz> {
  const question = text("note", { question: "Hair?" });
  const document = quizDocument([page("start", [question]), page("end", [], { kind: "result" })]);
  const hair = await makeQuiz(t, store, { document, publish: true, name: "Hair: short/long?" });
  for (const note of ["a", "b"]) {
    t.calendar.advance(1_234);
    await shop(t, store, hair, newShopper(), { note });
  }
  return hair;
}

const file = (body: object) => exportedFile(t, store, { dataset: "responses", ...body }, { limits });
const itemsOf = async (body: object = {}) =>
  JSON.parse(await exported(t, store, { dataset: "responses", format: "json", ...body }, { limits })).items;
const columnOf = ({ rows: [head = [], ...rows] }: Sheet, name: string): SheetCell[] =>
  rows.map((row) => row[head.indexOf(name)] ?? null);
const instantsOf = (cells: readonly SheetCell[]): (string | null)[] =>
  cells.map((cell) => (cell === null ? null : `${momentOf((cell as { serial: number }).serial)}Z`));

describe("a workbook of responses", () => {
  it("has every value as its own kind, and texts as they were typed [exports.xlsx, exports.xlsx-limits]", async () => {
    const [sheet, ...others] = readWorkbook(await file({ format: "xlsx", quiz_id: skin.id }));
    if (sheet === undefined) throw new Error("there is no sheet");
    expect(others).toEqual([]);
    const items = await itemsOf({ quiz_id: skin.id });
    expect(columnOf(sheet, "session_id")).toEqual(items.map(({ id }: { id: string }) => id));
    expect(instantsOf(columnOf(sheet, "started_at"))).toEqual(
      items.map((each: { started_at: string }) => each.started_at),
    );
    expect(instantsOf(columnOf(sheet, "completed_at"))).toEqual(
      items.map((each: { completed_at?: string }) => each.completed_at ?? null),
    );
    expect(columnOf(sheet, "version_number")).toEqual(notes.map(() => 1));
    expect(columnOf(sheet, "answers.note")).toEqual(notes);
    expect(columnOf(sheet, "answers.years")).toEqual(notes.map((_, at) => 20 + at));
    expect(columnOf(sheet, "answers.tone")).toEqual(notes.map(() => '["Dry","flaky"]'));
    expect(columnOf(sheet, "answers.tone.option_ids")).toEqual(notes.map(() => '["o2","o3"]'));
    const [first, second, third] = columnOf(sheet, "answers.born");
    expect([first, second, third]).toEqual([
      ...["1900-02-28", { serial: 36_585.75, shown: "yyyy-mm-dd hh:mm" }, { serial: 36_585, shown: "yyyy-mm-dd" }],
    ]);
  });

  it("has a sheet for each quiz, headed by questions if asked for [exports.xlsx, exports.headers]", async () => {
    await takeHair();
    const book = readWorkbook(await file({ format: "xlsx", headers: "texts" }));
    const byName = new Map(book.map((sheet) => [sheet.name, sheet]));
    expect(book.length).toBe(2);
    const hair = byName.get("Hair short long");
    expect(hair && columnOf(hair, "1. Hair?")).toEqual(["a", "b"]);
    const [other] = book.filter(({ name }) => name !== "Hair short long");
    expect(other && columnOf(other, "4. Anything?")).toEqual(notes);
  });

  it("has a head where there is nothing else [exports.xlsx]", async () => {
    const body = { format: "xlsx", from: "2020-01-01", to: "2020-01-01" };
    const book = readWorkbook(await file(body));
    expect(book.map(({ rows }) => rows.length)).toEqual([1]);
    const people = await exportedFile(t, store, { dataset: "profiles", ...body }, { limits });
    expect(readWorkbook(people).map(({ name, rows }) => [name, rows.length, rows[0]?.[0]])).toEqual([
      ["profiles", 1, "id"],
    ]);
  });
});

describe("a Parquet file of responses", () => {
  const folder = mkdtempSync(join(tmpdir(), "quizstore-parquet-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function rowsOf(bytes: Buffer, select: string): Promise<Record<string, unknown>[]> {
    const path = join(folder, "responses.parquet");
    writeFileSync(path, bytes);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    try {
      await connection.run("SET TimeZone = 'America/New_York'");
      return (await connection.runAndReadAll(`SELECT ${select} FROM '${path}'`)).getRowObjectsJson();
    } finally {
      connection.closeSync();
    }
  }

  it("has every value with its type, and texts as they were typed [exports.parquet]", async () => {
    await takeHair();
    const bytes = await file({ format: "parquet", quiz_id: skin.id });
    const items = await itemsOf({ quiz_id: skin.id });
    const rows = await rowsOf(
      bytes,
      `session_id, epoch_ms(started_at)::VARCHAR AS started, "answers.note" AS note, "answers.years" AS years,
       "answers.tone.option_ids"::JSON ->> 1 AS second, "answers.born" AS born, version_number + 1 AS next`,
    );
    expect(rows).toEqual(
      notes.map((note, at) => ({
        ...{ session_id: items[at].id, started: String(Date.parse(items[at].started_at)), note, years: 20 + at },
        ...{ second: "o3", next: "2" },
        born: `${at === 0 ? "1900-02-28" : "2000-02-29"}${at % 2 === 0 ? "" : " 18:00"}`,
      })),
    );
    const all = await rowsOf(
      await file({ format: "parquet" }),
      "count(*)::INTEGER AS rows, count(DISTINCT quiz_id)::INTEGER AS quizzes",
    );
    expect(all).toEqual([{ rows: notes.length + 2, quizzes: 2 }]);
  });
});
