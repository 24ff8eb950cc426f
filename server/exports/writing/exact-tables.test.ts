import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { plain, readCsv, readCsvCells } from "../../../testkit/csv.ts";
import { choice, date, number, option, page, quizDocument, text } from "../../../testkit/document-parts.ts";
import { erasePersonIn } from "../../../testkit/erasure.ts";
import { askExport, buildDepsOf, exported, MemoryFiles } from "../../../testkit/export-files.ts";
import { makeQuiz, type TestQuiz } from "../../../testkit/quizzes.ts";
import { newShopper, searchQuiz, shop } from "../../../testkit/search-quiz.ts";
import { ownStore, sql } from "../../platform/database/sql.ts";
import { parseId } from "../../platform/ids.ts";
import { buildDueExports } from "./builds.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;

beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const minute = 60_000;
const labels = ["Dry; flaky", "Dry", "flaky"];
/** what is asked of a page at a time, so that a few rows take several */
const limits = { pageRows: 3, batchRows: 2 };

beforeEach(async () => {
  t.passTime(minute);
  store = await t.store({ plan: "enterprise" });
  await t.update(store, { limits: { export_page_pause_ms: 0 } });
  quiz = await searchQuiz(t, store, { labels });
});

type Answers = Parameters<typeof shop>[4];

async function take(answers: Answers, finish = false, of = quiz): Promise<string> {
  t.calendar.advance(minute);
  const shopper = newShopper();
  await shop(t, store, of, shopper, answers, finish);
  return shopper.session;
}

const file = (body: object) => exported(t, store, { dataset: "responses", ...body }, { limits });
const plainCsv = async (body: object = {}) => readCsv(await file({ csv_style: "plain", ...body }), plain);
const headOf = async (body: object) => readCsvCells(await file({ csv_style: "plain", ...body }), plain)[0] ?? [];
const answersIn = (head: readonly string[], prefix = "answers.") =>
  head.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));

describe("plain CSV of responses", () => {
  it("has what shoppers typed, where a spreadsheet's CSV escapes it or joins it [exports.csv-plain, exports.typed-columns]", async () => {
    await take(
      {
        tone: ["o2", "o3"],
        years: 30,
        born: { date: "2000-02-29", time: "10:00" },
        note: '=1+1\r\n"quoted"; -2',
        mail: "ada+news@example.com",
        phone: "+49 151 12345678",
      },
      true,
    );
    await take({ tone: ["o1"], note: "'=1+1", born: { date: "1899-12-31", time: null } });
    await take({ note: "NULL" });
    const text = await file({ csv_style: "plain", quiz_id: quiz.id });
    expect(text.startsWith("session_id,status,")).toBe(true);
    expect(text).toContain('"NULL"');
    const rows = readCsv(text, plain);
    expect(rows[0]).toMatchObject({
      status: "completed",
      version_number: "1",
      email: "ada+news@example.com",
      email_consent: "true",
      phone: "+4915112345678",
      phone_consent: "",
      points: '["Calm: 3"]',
      formulas: '["Twice: 60"]',
      "answers.tone": '["Dry","flaky"]',
      "answers.tone.option_ids": '["o2","o3"]',
      "answers.years": "30",
      "answers.born": "2000-02-29 10:00",
      "answers.note": '=1+1 "quoted"; -2',
      "answers.mail": "ada+news@example.com",
      "answers.phone": "+49 151 12345678",
    });
    expect(rows[1]).toMatchObject({ "answers.born": "1899-12-31", "answers.note": "'=1+1", points: "", formulas: "" });
    expect(rows[2]).toMatchObject({ "answers.note": "NULL", "answers.tone": "", "answers.tone.option_ids": "" });
  });

  it("tells one option from two that read alike, by labels and by ids [exports.option-ids, exports.typed-columns]", async () => {
    await take({ tone: ["o1"] });
    await take({ tone: ["o2", "o3"] });
    const rows = await plainCsv({ quiz_id: quiz.id });
    expect(rows.map((row) => JSON.parse(row["answers.tone"] ?? ""))).toEqual([["Dry; flaky"], ["Dry", "flaky"]]);
    expect(rows.map((row) => JSON.parse(row["answers.tone.option_ids"] ?? ""))).toEqual([["o1"], ["o2", "o3"]]);
    const spreadsheet = readCsv(await file({ quiz_id: quiz.id }));
    expect(spreadsheet.map((row) => row["answers.tone"])).toEqual(["Dry; flaky", "Dry; flaky"]);
    expect(Object.keys(spreadsheet[0] ?? {})).not.toContain("answers.tone.option_ids");
  });

  it("has lists only for questions that took several choices in some version, and no name twice [exports.typed-columns]", async () => {
    const two = [option("a", { label: '["x"]' }), option("b")];
    const questions = (multiple: boolean) => [
      choice("one", two),
      choice("later", two, { multiple }),
      text("one.option_ids"),
      date("day"),
      number("size"),
    ];
    const documentOf = (multiple: boolean) => quizDocument([page("start", questions(multiple)), page("end", [])]);
    const first = await makeQuiz(t, store, { document: documentOf(false), publish: true });
    await take(
      { one: ["a"], later: ["b"], "one.option_ids": "typed", day: { date: "2000-02-29", time: null } },
      false,
      first,
    );
    const next = await makeQuiz(t, store, { document: documentOf(true), publish: true, quizId: first.id });
    await take({ later: ["a", "b"], size: 2 }, false, next);
    const cells = readCsvCells(await file({ csv_style: "plain", quiz_id: first.id }), plain);
    const from = cells[0]?.indexOf("answers.one") ?? -1;
    expect(cells.map((row) => row.slice(from))).toEqual([
      ["one", "one.option_ids", "later", "later.option_ids", "one.option_ids_2", "day", "size"].map(
        (name) => `answers.${name}`,
      ),
      ['["x"]', "a", '["b"]', '["b"]', "typed", "2000-02-29", ""],
      ["", "", '["[\\"x\\"]","b"]', '["a","b"]', "", "", "2"],
    ]);
  });

  it("of people and figures keeps names, amounts and lists [exports.typed-columns]", async () => {
    await take({ mail: "ada+1@example.com" }, true);
    const [person = {}] = readCsv(await file({ dataset: "profiles", csv_style: "plain" }), plain);
    expect(person).toMatchObject({
      email: "ada+1@example.com",
      quizzes: '["Find your routine"]',
      quiz_ids: JSON.stringify([quiz.id]),
      ...{ removed: "false", returning: "false", completed_count: "1" },
    });
    expect(Object.keys(person)).toEqual(Object.keys(readCsv(await file({ dataset: "profiles" }))[0] ?? {}));
    const [figures = {}] = readCsv(await file({ dataset: "quiz_analytics", csv_style: "plain" }), plain);
    expect(figures).toMatchObject({ quiz_name: "Find your routine", starts: "1" });
  });

  it("has nothing of an erased person, in any column [exports.erasure]", async () => {
    await take({ mail: "ada@example.com", note: "mail me", years: 3 });
    const { body } = await t.request("GET", "/v1/profiles", { key: store.key });
    await erasePersonIn(t, store, body.data[0].id);
    for (const more of [{ csv_style: "plain" }, { format: "ndjson" }]) {
      const text = await file(more);
      expect(text).not.toContain("ada@example.com");
      expect(text).not.toContain("mail me");
    }
  });
});

describe("columns named by questions", () => {
  it("begin with the question's number, in a file of one quiz and on through one of all [exports.headers]", async () => {
    const other = await searchQuiz(t, store, { labels });
    await take({ years: 30 });
    await take({ years: 31 }, false, other);
    const one = await headOf({ quiz_id: quiz.id, headers: "texts" });
    const questions = ["Tone?", "Age?", "Born?", "Anything?", "Email?", "Phone?"];
    const numbered = (from: number) => questions.map((question, index) => `${from + index}. ${question}`);
    expect(one.filter((name) => /^\d/.test(name) && !name.includes("Option ids"))).toEqual(numbered(1));
    expect(one).toContain("1. Option ids: Tone?");
    expect(one.slice(0, 2)).toEqual(["session_id", "status"]);
    const all = await headOf({ headers: "texts" });
    expect(all.filter((name) => /^\d/.test(name) && !name.includes("Option ids"))).toEqual([
      ...numbered(1),
      ...numbered(7),
    ]);
    // cut as tools cut names, they still differ
    expect(new Set(all.map((name) => name.slice(0, 31))).size).toBe(all.length);
    const spreadsheet = readCsvCells(await file({ headers: "texts" }))[0] ?? [];
    expect(spreadsheet.slice(-12)).toEqual([...numbered(1), ...numbered(7)]);
  });

  it("are keys where a question has no text, and unless texts are asked for [exports.headers, exports.question-columns]", async () => {
    const document = quizDocument([page("start", [text("note", { question: "" })]), page("end", [])]);
    const silent = await makeQuiz(t, store, { document, publish: true });
    await take({ note: "x" }, false, silent);
    expect((await headOf({ quiz_id: silent.id, headers: "texts" })).at(-1)).toBe("1. note");
    await take({ years: 1 });
    expect(answersIn(await headOf({ quiz_id: quiz.id }))).toEqual([
      ...["tone", "tone.option_ids", "years", "born", "note", "mail", "phone"],
    ]);
  });
});

describe("NDJSON", () => {
  it("is the items of the JSON format, one on each line, and nothing else [exports.ndjson]", async () => {
    await take({ note: "two\nlines\u2028and\u2029more\u0085still", tone: ["o1"] }, true);
    for (const years of [1, 2, 3, 4]) await take({ years, mail: `a${years}@example.com` });
    for (const dataset of ["profiles", "responses", "quiz_analytics"]) {
      const text = await file({ dataset, format: "ndjson" });
      const { items } = JSON.parse(await file({ dataset, format: "json" }));
      // what Python, Node's readline and others take for the end of a line besides
      for (const end of ["\r", "\v", "\f", "\u001c", "\u001d", "\u001e", "\u0085", "\u2028", "\u2029"])
        expect(text).not.toContain(end);
      const lines = text.split("\n");
      expect(lines.pop()).toBe("");
      expect(lines.map((line) => JSON.parse(line))).toEqual(items);
      const keys = (each: Body) => JSON.stringify(each).match(/"[a-z_]+":/g);
      expect(lines.map((line) => keys(JSON.parse(line)))).toEqual(items.map(keys));
    }
    expect(await file({ format: "ndjson", quiz_id: (await searchQuiz(t, store, { labels })).id })).toBe("");
  });
});

describe("an export that an earlier release cannot build", () => {
  it("is not begun by it, and by one that can [exports.layout-lease]", async () => {
    for (const body of [{ csv_style: "plain" }, { headers: "texts" }, { format: "ndjson" }, {}]) {
      const { id } = await askExport(t, store, { dataset: "responses", ...body });
      const claimAsBefore = t.database.transaction((tx) =>
        tx.forStore(store.uuid).all(sql`
          UPDATE exports SET status = 'running', started_at = requested_at, claims = claims + 1,
            lease_id = ${randomUUID()}, lease_until = requested_at, due_at = requested_at
          WHERE store_id = ${ownStore} AND id = ${parseId("exp", id)}`),
      );
      if (Object.keys(body).length === 0) await claimAsBefore;
      else await expect(claimAsBefore).rejects.toThrow("exports_layout_check");
      // the worker of before is lost, if it had begun
      t.calendar.advance(minute);
      expect(await buildDueExports(buildDepsOf(t, new MemoryFiles(), { limits }))).toBe(1);
    }
  });
});
