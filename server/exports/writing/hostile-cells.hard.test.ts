import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { postWebhook } from "../../../testkit/commerce.ts";
import { readCsv } from "../../../testkit/csv.ts";
import {
  choice,
  email,
  formula,
  option,
  page,
  phone,
  products,
  quizDocument,
  text,
} from "../../../testkit/document-parts.ts";
import { exported } from "../../../testkit/export-files.ts";
import { eventId } from "../../../testkit/histories.ts";
import { bareHostileStrings, heldText } from "../../../testkit/hostile-strings.ts";
import { makeQuiz, type TestQuiz } from "../../../testkit/quizzes.ts";
import { send, sessionId, visitorId } from "../../../testkit/storefront.ts";
import { OperatorError } from "../../platform/operator-error.ts";

/** Every hostile text through every text column of every table, from wherever that column has its texts. */

let t: TestApp;
let store: TestStore;
/** texts that nobody but a document's author writes, and could not be written */
const refused: string[] = [];
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
  for (const [index, words] of bareHostileStrings.entries()) await take(index, words);
}, 120_000);
afterAll(() => t.close());

const productOf = (index: number): string => `gid://shopify/Product/${index + 1}`;

/** A quiz all of whose texts are the given one, its keys too if they may be. */
const documentOf = (index: number, words: string, key: string) =>
  quizDocument(
    [
      page(
        `${key}`,
        [
          choice(`${key}pick`, [option("one", { label: words, points: { dim: 1 } })]),
          text(`${key}words`, { max_length: 10_000 }),
          email(`${key}mail`, { consent: null }),
          phone(`${key}tel`),
        ],
        { title: words },
      ),
      page(`${key}end`, [formula("sum", words, "1 + 1"), products("block", [index + 1])], {
        ...{ kind: "result", title: words },
      }),
    ],
    { dimensions: [{ dimension_id: "dim", name: words }] },
  );

/** Makes the quiz with as many hostile parts as are taken; answers it with the key of its pages and questions. */
async function quizOf(index: number, words: string): Promise<{ quiz: TestQuiz; key: string }> {
  const plain = `key ${index}`;
  for (const { key, told } of [
    { key: words, told: words },
    { key: plain, told: words },
    { key: plain, told: plain },
  ]) {
    const given = { document: documentOf(index, told, key), publish: true, name: told.trim() || plain };
    const made = await makeQuiz(t, store, given).catch((error: unknown) => error);
    if (!(made instanceof Error)) return { quiz: made as TestQuiz, key };
    expect(made).toBeInstanceOf(OperatorError);
    if (key === plain) refused.push(words);
  }
  throw new Error("a plain document was refused");
}

/** One whole session, in which everything that a shopper, a page or the shop can write is the text. */
async function take(index: number, words: string): Promise<void> {
  const { quiz, key } = await quizOf(index, words);
  await postWebhook(t, store, { topic: "products/create", payload: { id: index + 1, title: words, variants: [] } });
  const at = new Date(t.calendar.now() - 60_000).toISOString();
  const answer = { type: "answer_saved", page_key: key };
  const shown = { type: "products_shown", page_key: `${key}end`, block_key: "block" };
  const events = [
    { type: "quiz_opened" },
    { type: "page_entered", page_key: key, cause: "start" },
    { ...answer, component_key: `${key}pick`, option_ids: ["one"] },
    { ...answer, component_key: `${key}words`, value: words },
    { ...answer, component_key: `${key}mail`, value: `${words}@example.com` },
    { ...answer, component_key: `${key}tel`, value: index % 7 === 0 ? `+4930123${1000 + index}` : words },
    { type: "page_entered", page_key: `${key}end`, cause: "next" },
    { ...shown, products: [{ product_id: productOf(index) }] },
    { type: "quiz_finished", page_key: `${key}end` },
  ].map((event, seq) => ({ ...event, seq, at, id: eventId(index * 20 + seq) }));
  const utm = { source: words, medium: words, campaign: words, content: words, term: words };
  const session = { id: sessionId(index + 1), visitor_id: visitorId(index + 1) };
  const facts = { placement: words, page_url: `https://shop.example/${words}`, referrer: words, utm };
  t.passTime(60_000);
  let answered = await send(t, store, quiz, events, { session: { ...session, ...facts } });
  // what is too long for a session's facts spoils the whole request
  if (answered.status === 422) answered = await send(t, store, quiz, events, { session });
  expect([words.slice(0, 40), answered.status]).toEqual([words.slice(0, 40), 202]);
}

type Row = Record<string, string>;

async function bothForms(body: object): Promise<{ rows: Row[]; items: Body[] }> {
  const csv = await exported(t, store, { ...body, format: "csv" });
  const json = JSON.parse(await exported(t, store, { ...body, format: "json" }));
  const read = readCsv(csv);
  // each row has hundreds, which are the same in every row
  const names = new Map([...new Set(read.flatMap(Object.keys))].map((name) => [name, plainly(name)]));
  for (const name of names.keys()) expectHarmless("a name of a column", name);
  const rows = read.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [names.get(name) ?? "", cell])),
  );
  expect(rows.length).toBe(json.items.length);
  return { rows, items: json.items };
}

const formulaSigns = "=+\\-@\uff1d\uff0b\uff0d\uff20";
/** Read as one who takes each of these for the end of a cell, and knows no quotes. */
const cellsInside = ([first = "", ...parts]: string[]): string[] => [
  first,
  ...parts.map((part) => part.replace(/^"*/, "")),
];
const runs = new RegExp(`^[${formulaSigns}]`);
/** Without the apostrophes that keep a spreadsheet from running it. */
const plainly = (value: string): string =>
  value.replaceAll(new RegExp(`(^|[;\\t\\r\\n]"*)'(?=[${formulaSigns}\\t\\r\\n])`, "g"), "$1");

function expectHarmless(column: string, cell: string): void {
  for (const part of cellsInside(cell.split(/[;\t\r\n]/)))
    expect([column, part]).toEqual([column, expect.not.stringMatching(runs)]);
  expect([column, cell]).toEqual([column, expect.not.stringMatching(/^[\t\r\n]/)]);
}

/** No spreadsheet runs any of the cells, and each says what the JSON says. */
function expectCells(column: string, cells: readonly string[], told: readonly (string | null)[]): void {
  for (const [index, cell] of cells.entries()) {
    expectHarmless(column, cell);
    expect([column, plainly(cell)]).toEqual([column, plainly(told[index] ?? "")]);
  }
}

/** Whether a formula was among the texts, so that the column was put to the test. */
const wasTried = (cells: readonly string[]): boolean =>
  cells.some((cell) => cell.startsWith("'=")) && cells.some((cell) => /^'?x*\u{1f600}|\u05d0/u.test(cell));

describe("hostile texts [exports.safe-cells, exports.csv, api.texts]", () => {
  it("are harmless in every text column of responses, and say there what they say in JSON", async () => {
    const { rows, items } = await bothForms({ dataset: "responses" });
    expect(rows.length).toBe(bareHostileStrings.length);
    expect(rows.map((row) => row["session_id"])).toEqual(items.map(({ id }) => id));
    const contacts = (item: Body, kind: string): string =>
      item.identities.flatMap((one: Body) => (one.kind === kind ? [one.value] : [])).join("; ");
    const columns: Record<string, (item: Body) => string | null> = {
      quiz_name: (item) => item.quiz_name,
      page_url: (item) => item.page_url,
      utm_source: (item) => item.utm_source,
      utm_medium: (item) => item.utm_medium,
      utm_campaign: (item) => item.utm_campaign,
      utm_content: (item) => item.utm_content,
      utm_term: (item) => item.utm_term,
      last_page_key: (item) => item.last_page.page_key,
      last_page_title: (item) => item.last_page.title,
      points: (item) => item.points.map((one: Body) => `${one.name}: ${one.total}`).join("; "),
      formulas: (item) => item.formulas.map((one: Body) => `${one.label}: ${one.value}`).join("; "),
      result_page_key: (item) => item.terminal_page.page_key,
      result_page_title: (item) => item.terminal_page.title,
      products_shown: (item) => item.products_shown.map((one: Body) => one.title ?? one.product_id).join("; "),
      email: (item) => contacts(item, "email"),
    };
    for (const [column, read] of Object.entries(columns)) {
      const cells = rows.map((row) => row[column] ?? "none");
      expectCells(column, cells, items.map(read));
      // addresses begin as addresses do: an equals sign before an email is taken for what is around it
      expect([column, wasTried(cells)]).toEqual([column, column !== "page_url" && column !== "email"]);
    }
  });

  it("are harmless as answers, whatever their questions' columns are called", async () => {
    const { rows, items } = await bothForms({ dataset: "responses" });
    const answered: Record<string, string[]> = { pick: [], words: [], mail: [], tel: [] };
    for (const [index, row] of rows.entries()) {
      const { quiz_id, answers } = items[index];
      const own = Object.entries<Body>(answers);
      expect(own.length).toBeGreaterThan(0);
      for (const [key, { kind, values }] of own) {
        const cell = row[`answers.${quiz_id}.${key}`];
        const name = /(pick|words|mail|tel)$/.exec(key)?.[0] ?? "";
        answered[name]?.push(cell ?? "");
        const told = values.join("; ");
        if (kind === "phone" && /^\+49/.test(told)) expect(cell).toBe(told);
        else expectCells(key, [cell ?? "none"], [told]);
      }
    }
    for (const name of ["pick", "words", "mail", "tel"]) {
      expect([name, wasTried(answered[name] ?? [])]).toEqual([name, true]);
    }
  });

  it("are harmless in the tables of people and of figures", async () => {
    const people = await bothForms({ dataset: "profiles" });
    expect(people.rows.length).toBeGreaterThan(50);
    const [emails, quizzes] = ["email", "quizzes"].map((column) => people.rows.map((row) => row[column] ?? "none"));
    expectCells(
      "email",
      emails ?? [],
      people.items.map(({ email: address }) => address),
    );
    expectCells(
      "quizzes",
      quizzes ?? [],
      people.items.map((one) => one.quizzes.map(({ name }: Body) => name).join("; ")),
    );
    expect([emails, quizzes].map((cells) => wasTried(cells ?? []))).toEqual([false, true]);
    const day = new Date(t.calendar.now()).toISOString().slice(0, 10);
    const figures = await bothForms({ dataset: "quiz_analytics", from: day, to: day });
    const names = figures.rows.map((row) => row["quiz_name"] ?? "none");
    expectCells(
      "quiz_name",
      names,
      figures.items.map((one) => one.quiz_name),
    );
    expect(wasTried(names)).toBe(true);
  });

  it("are refused in documents only for what nothing can hold, for their length, or as options without a text", () => {
    const held = refused.filter((words) => words === heldText(words) && words.length <= 200 && words.trim() !== "");
    expect(held).toEqual([]);
  });
});
