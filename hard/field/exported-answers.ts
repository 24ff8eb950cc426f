import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Body, TestApp } from "../../testkit/app.ts";
import { awkwardTexts } from "../../testkit/awkward-texts.ts";
import { choice, date, email, number, option, page, phone, quizDocument, text } from "../../testkit/document-parts.ts";
import { exportedFile } from "../../testkit/export-files.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { newShopper, shop } from "../../testkit/search-quiz.ts";

/** Files of a quiz whose shoppers answered awkwardly, and what their cells have to be. */

/** null, or a value in one form whatever program tells it: `2026-03-04T05:06:07.089Z`, `true`, `1.5` */
export type Told = string | null;
export type ToldRow = Record<string, Told>;

/** Longer than what some programs keep of a cell. */
const notes = [...awkwardTexts, "x".repeat(9_999)];

/** Columns whose cells are compared, with the type that a program has to give them if it knows types. */
export const columns = {
  session_id: "text",
  status: "text",
  started_at: "instant",
  completed_at: "instant",
  version_number: "number",
  answered_count: "number",
  email: "text",
  email_consent: "boolean",
  phone: "text",
  "answers.skin": "text",
  "answers.skin.option_ids": "text",
  "answers.concerns": "text",
  "answers.concerns.option_ids": "text",
  "answers.budget": "number",
  "answers.birthday": "date",
  "answers.note": "text",
} as const;
export type ColumnName = keyof typeof columns;

const labels = ["Dry; flaky", "Dry", 'Fla"ky\nskin', "7", "=SUM(A1)"];
const options = labels.map((label, at) => option(`o${at}`, { label }));
const document = quizDocument([
  page("start", [
    choice("skin", options),
    choice("concerns", options, { multiple: true }),
    number("budget", { step: 0.01 }),
    date("birthday"),
    text("note", { max_length: 10_000 }),
    email("mail"),
    phone("phone"),
  ]),
  page("end", [], { kind: "result" }),
]);

/** Writes `responses.csv`, `.xlsx`, `.parquet` and `.ndjson` to the folder; returns what is in them. */
export async function writeFiles(t: TestApp, folder: string): Promise<ToldRow[]> {
  const store = await t.store({ plan: "enterprise" });
  await t.update(store, { limits: { export_page_pause_ms: 0 } });
  const quiz = await makeQuiz(t, store, { document, publish: true });
  const typed = new Map<string, ToldRow>();
  for (const [at, note] of notes.entries()) {
    t.calendar.advance(61_001 + at);
    const shopper = newShopper();
    const some = [`o${at % 5}`, `o${(at + 2) % 5}`].sort();
    const budget = [9, 10.5, 0.1, 100, -3][at % 5] ?? 0;
    const birthday = `${1900 + 2 * at}-03-0${1 + (at % 9)}`;
    const answers = { note, skin: [`o${at % 5}`], concerns: some };
    const more = {
      budget,
      birthday: { date: birthday, time: null },
      mail: `ada+${at}@example.com`,
      phone: "+4915112345678",
    };
    // some leave most of it out
    const given = at % 4 === 3 ? answers : { ...answers, ...more };
    await shop(t, store, quiz, shopper, given, at % 3 === 0);
    const chosen = (id: string): string => labels[Number(id.slice(1))] ?? "";
    typed.set(shopper.session, {
      "answers.note": note,
      "answers.skin": chosen(`o${at % 5}`),
      "answers.skin.option_ids": `o${at % 5}`,
      "answers.concerns": JSON.stringify(some.map(chosen)),
      "answers.concerns.option_ids": JSON.stringify(some),
      "answers.budget": given === answers ? null : String(budget),
      "answers.birthday": given === answers ? null : birthday,
      email: given === answers ? null : `ada+${at}@example.com`,
      email_consent: given === answers ? null : "true",
      phone: given === answers ? null : "+4915112345678",
    });
  }
  const file = (body: object) => exportedFile(t, store, { dataset: "responses", quiz_id: quiz.id, ...body });
  const ndjson = await file({ format: "ndjson" });
  await writeFile(join(folder, "responses.ndjson"), ndjson);
  await writeFile(join(folder, "responses.csv"), await file({ format: "csv", csv_style: "plain" }));
  for (const format of ["xlsx", "parquet"])
    await writeFile(join(folder, `responses.${format}`), await file({ format }));
  const items: Body[] = ndjson
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return items.map((item) => ({
    session_id: item.id,
    status: item.completed_at === undefined ? "in_progress" : "completed",
    started_at: item.started_at,
    completed_at: item.completed_at ?? null,
    version_number: String(item.version_number),
    answered_count: String(item.answered_count),
    ...typed.get(item.id),
  }));
}
