import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { readCsv, readCsvCells } from "../../../testkit/csv.ts";
import { handOverDue, insertEndpoint, objectsOf } from "../../../testkit/deliveries.ts";
import { exported } from "../../../testkit/export-files.ts";
import { eventId } from "../../../testkit/histories.ts";
import { makeQuiz, type TestQuiz } from "../../../testkit/quizzes.ts";
import { newShopper, searchDocument, searchQuiz, shop } from "../../../testkit/search-quiz.ts";
import { send } from "../../../testkit/storefront.ts";
import { ownStore, sql } from "../../platform/database/sql.ts";
import { parseId } from "../../platform/ids.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;

beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const labels = ["=Dry", '50% "best", really', "🌸 \u202Eעברית"];
const minute = 60_000;
/** what is asked of a page at a time, so that a few rows take several */
const limits = { pageRows: 3, batchRows: 2 };

beforeEach(async () => {
  // every test begins at noon
  const day = 24 * 60 * minute;
  t.calendar.advance(day - ((t.calendar.now() + day / 2) % day));
  store = await t.store({ plan: "enterprise" });
  await t.update(store, { limits: { export_page_pause_ms: 0 } });
  quiz = await searchQuiz(t, store, { labels });
});

type Answers = Parameters<typeof shop>[4];

async function take(answers: Answers, finish = false, of = quiz, shopper = newShopper()) {
  t.calendar.advance(minute);
  await shop(t, store, of, shopper, answers, finish);
  return shopper;
}

const csvOf = async (body: object) => readCsv(await exported(t, store, { ...body, format: "csv" }, { limits }));
const jsonOf = async (body: object): Promise<Body> =>
  JSON.parse(await exported(t, store, { ...body, format: "json" }, { limits }));

/** Every person whom the API lists, page by page. */
async function listed(query = ""): Promise<Body[]> {
  const people: Body[] = [];
  for (let cursor = ""; ; ) {
    t.passTime(60_000);
    const more = cursor === "" ? "" : `&cursor=${cursor}`;
    const { body } = await t.request("GET", `/v1/profiles?limit=2${query}${more}`, { key: store.key });
    people.push(...body.data);
    if (!body.has_more) return people;
    cursor = body.next_cursor;
  }
}

const cells = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === null ? "" : String(value)]));

describe("a file of profiles", () => {
  beforeEach(async () => {
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) await take({ mail: `${name}@example.com` }, name < "c");
    await take({ phone: "+4915112345678" });
    await take({ mail: "=cmd@example.com", phone: "+4915112345679" }, true);
  });

  it("has the people of the list as the API answers them, in its order [exports.profiles, exports.json]", async () => {
    const file = await jsonOf({ dataset: "profiles" });
    const people = await listed();
    expect(people).toHaveLength(9);
    expect(file).toEqual({
      dataset: "profiles",
      filters: { from: null, to: null, quiz_id: null, search: null, tz: null },
      generated_at: new Date(t.calendar.now()).toISOString(),
      items: people,
    });
    expect(Object.keys(file)).toEqual(["dataset", "filters", "generated_at", "items"]);
  });

  it("is a table with the same figures [exports.profiles, exports.csv]", async () => {
    const rows = await csvOf({ dataset: "profiles" });
    const people = await listed();
    const wanted = people.map(({ quizzes, spent, email, ...person }) =>
      cells({
        ...person,
        email: email === "=cmd@example.com" ? "'=cmd@example.com" : email,
        quizzes: quizzes.map((one: Body) => one.name).join("; "),
        quiz_ids: quizzes.map((one: Body) => one.id).join("; "),
        spent_amount: spent.amount,
        spent_currency: spent.currency,
      }),
    );
    expect(rows).toEqual(wanted);
    const phones = rows.map((row) => row["phone"]).filter((phone) => phone !== "");
    expect(phones).toEqual(["+4915112345679", "+4915112345678"]);
  });

  it("asks for one session in the days and of the quiz, as the list does [exports.profiles, exports.filters]", async () => {
    t.calendar.advance(24 * 60 * minute);
    const other = await searchQuiz(t, store, { labels });
    await take({ mail: "a@example.com" }, false, other);
    await take({ mail: "z@example.com" });
    const today = new Date(t.calendar.now()).toISOString().slice(0, 10);
    for (const filters of [{ from: today }, { quiz_id: other.id }, { from: today, quiz_id: quiz.id }, { to: today }]) {
      const query = Object.entries(filters).map(([name, value]) => `&${name}=${value}`);
      const { items } = await jsonOf({ dataset: "profiles", ...filters });
      expect(items).toEqual(await listed(query.join("")));
      expect(items.length).toBeGreaterThan(0);
    }
    const there = await jsonOf({ dataset: "profiles", from: today, tz: "America/Los_Angeles" });
    expect(there.filters.tz).toBe("America/Los_Angeles");
    expect(there.items).toHaveLength(2);
    // that day began there at ten o'clock of the day before
    expect((await jsonOf({ dataset: "profiles", from: today, tz: "Pacific/Kiritimati" })).items).toHaveLength(10);
  });
});

describe("a file of responses", () => {
  const everything: Answers = {
    tone: ["o1", "o2"],
    years: 30,
    born: { date: "2000-02-29", time: "10:00" },
    note: '=1+1\r\n"quoted", \ufeff👩‍🔬',
    mail: "Ada@Example.com",
    phone: "+49 151 12345678",
  };

  it("tells sessions as webhooks do, in the order of their starts [exports.responses]", async () => {
    await insertEndpoint(t, store);
    const first = await take(everything, true);
    await take({ tone: ["o3"] });
    await take({ years: 4 }, true);
    await take({ note: "\u202Eעברית" });
    await take({});
    t.calendar.advance(31 * minute);
    await handOverDue(t);
    const { items } = await jsonOf({ dataset: "responses" });
    const told = [...(await objectsOf(t, store, "quiz.finished")), ...(await objectsOf(t, store, "quiz.abandoned"))];
    const byStart = (a: Body, b: Body) => (a.started_at < b.started_at ? -1 : 1);
    expect(items).toEqual(told.sort(byStart));
    expect(items).toHaveLength(4);
    expect(items[0].id).toBe(first.session);
    expect(items[0].identities.map((one: Body) => one.value)).toEqual(["ada@example.com", "+4915112345678"]);
    expect("completed_at" in items[1]).toBe(false);
  });

  it("is a table with a column per question, safe to open [exports.responses, exports.safe-cells]", async () => {
    await take(everything, true);
    await take({ tone: ["o3"], phone: "=1+1" });
    const rows = await csvOf({ dataset: "responses", quiz_id: quiz.id });
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      status: "completed",
      quiz_id: quiz.id,
      quiz_name: "Find your routine",
      version_number: "1",
      channel: "online_store",
      email: "ada@example.com",
      email_consent: "true",
      phone: "+4915112345678",
      phone_consent: "",
      points: "Calm: 1",
      formulas: "Twice: 60",
      result_page_key: "end",
      "answers.tone": `'=Dry; ${labels[1]}`,
      "answers.years": "30",
      "answers.born": "2000-02-29 10:00",
      "answers.note": `'${everything["note"]}`,
      "answers.mail": "Ada@Example.com",
      "answers.phone": "+49 151 12345678",
    });
    expect(rows[1]).toMatchObject({
      status: "in_progress",
      completed_at: "",
      points: "",
      formulas: "",
      "answers.tone": labels[2],
      "answers.years": "",
      "answers.phone": "'=1+1",
    });
  });

  it("has columns for questions of every version, removed ones too, and for each quiz [exports.question-columns]", async () => {
    await take({ years: 30 });
    const document = searchDocument({ labels, withoutYears: true });
    const next = await makeQuiz(t, store, { document, publish: true, quizId: quiz.id });
    await take({ tone: ["o1"] }, false, next);
    const other = await searchQuiz(t, store, { labels });
    await take({ years: 31 }, false, other);
    await searchQuiz(t, store, { labels });
    const rows = await csvOf({ dataset: "responses" });
    const columns = Object.keys(rows[0] ?? {}).filter((name) => name.startsWith("answers."));
    const keys = ["tone", "born", "note", "mail", "phone", "years"];
    expect(columns.slice(0, 6)).toEqual(keys.map((key) => `answers.${quiz.id}.${key}`));
    expect(columns).toHaveLength(12);
    expect(columns[6]).toBe(`answers.${other.id}.tone`);
    expect(rows.map((row) => row[`answers.${quiz.id}.years`])).toEqual(["30", "", ""]);
    expect(rows.map((row) => row[`answers.${other.id}.years`])).toEqual(["", "", "31"]);
    expect(rows.map((row) => row["version_number"])).toEqual(["1", "2", "1"]);
  });

  it("goes by the day of the start in the zone, of one quiz, without previews [exports.responses, exports.filters]", async () => {
    const early = await take({ years: 1 });
    t.calendar.advance(12 * 60 * minute);
    const late = await take({ years: 2 });
    await take({ years: 3 }, false, await searchQuiz(t, store, { labels }));
    const tried = { type: "answer_saved", page_key: "start", component_key: "years", value: 9 };
    const at = new Date(t.calendar.now()).toISOString();
    const previewed = await send(t, store, quiz, [{ id: eventId(1), seq: 0, at, ...tried }], {
      session: { preview: true },
    });
    expect(previewed.body.accepted).toBe(1);
    const day = new Date(t.calendar.now()).toISOString().slice(0, 10);
    const dayBefore = new Date(t.calendar.now() - 24 * 60 * minute).toISOString().slice(0, 10);
    const ids = async (body: object) =>
      (await jsonOf({ dataset: "responses", ...body })).items.map((one: Body) => one.id);
    expect(await ids({ quiz_id: quiz.id })).toEqual([early.session, late.session]);
    expect(await ids({ quiz_id: quiz.id, from: day })).toEqual([late.session]);
    expect(await ids({ quiz_id: quiz.id, to: dayBefore })).toEqual([early.session]);
    expect(await ids({ quiz_id: quiz.id, from: day, tz: "America/Los_Angeles" })).toEqual([]);
    expect(await ids({ quiz_id: quiz.id, from: day, tz: "Pacific/Kiritimati" })).toEqual([early.session, late.session]);
    expect(await ids({ quiz_id: quiz.id, to: dayBefore, tz: "Pacific/Kiritimati" })).toEqual([]);
  });

  it("goes by the local date where clocks go back over midnight [exports.filters, time.days]", async () => {
    // 23:15 in summer time, 00:00:30 of the next day, then 23:15 again, and 00:10
    const starts = ["2010-11-07T01:45:00Z", "2010-11-07T02:30:30Z", "2010-11-07T02:45:00Z", "2010-11-07T03:40:00Z"];
    for (const [years, start] of starts.entries()) {
      const { session } = await take({ years, mail: `${years}@example.com` });
      await t.database.transaction((tx) =>
        tx.forStore(store.uuid).all(sql`
            UPDATE sessions SET started_at = ${start}
            WHERE store_id = ${ownStore} AND id = ${parseId("sess", session)}`),
      );
    }
    const told = async (body: object) => {
      const asked = { quiz_id: quiz.id, tz: "America/St_Johns", ...body };
      const responses = await jsonOf({ dataset: "responses", ...asked });
      const people = await jsonOf({ dataset: "profiles", ...asked });
      const years = responses.items.map((one: Body) => one.answers.years.value);
      expect(people.items.map((one: Body) => Number(one.email[0])).sort()).toEqual(years);
      return years;
    };
    expect(await told({ to: "2010-11-06" })).toEqual([0, 2]);
    expect(await told({ from: "2010-11-07" })).toEqual([1, 3]);
    expect(await told({ from: "2010-11-06", to: "2010-11-07" })).toEqual([0, 1, 2, 3]);
    expect(await told({ from: "2010-11-06", to: "2010-11-06" })).toEqual([0, 2]);
  });

  it("without a row is a header, or an empty list [exports.csv, exports.json]", async () => {
    const text = await exported(t, store, { dataset: "responses", quiz_id: quiz.id });
    expect(readCsvCells(text)).toHaveLength(1);
    expect((await jsonOf({ dataset: "responses" })).items).toEqual([]);
  });
});

describe("fields of JSON files", () => {
  it("come in the order of the API's, in each dataset and in what was asked for [exports.json]", async () => {
    await insertEndpoint(t, store);
    for (const name of ["a", "b"]) await take({ mail: `${name}@example.com`, years: 3, tone: ["o1"] }, true);
    await take({ years: 2, tone: ["o2"] });
    t.calendar.advance(31 * minute);
    await handOverDue(t);
    const day = new Date(t.calendar.now()).toISOString().slice(0, 10);
    const overview = `/v1/quizzes/${quiz.id}/analytics/overview?from=${day}&to=${day}`;
    const { body: figures } = await t.request("GET", overview, { key: store.key });
    const told = [...(await objectsOf(t, store, "quiz.finished")), ...(await objectsOf(t, store, "quiz.abandoned"))];
    const api: Record<string, Body[]> = {
      profiles: await listed(),
      responses: told.sort((a, b) => (a.started_at < b.started_at ? -1 : 1)),
      quiz_analytics: figures.series.map((point: Body) => ({
        quiz_id: quiz.id,
        quiz_name: "Find your routine",
        ...point,
      })),
    };
    const { body: asked } = await t.request("GET", "/v1/exports", { key: store.key });
    for (const [dataset, rows] of Object.entries(api)) {
      const file = await jsonOf({ dataset });
      // as texts: a comparison of objects ignores the order of their fields
      expect([dataset, file.items.map((row: Body) => JSON.stringify(row))]).toEqual([
        dataset,
        rows.map((row) => JSON.stringify(row)),
      ]);
      const { body } = await t.request("GET", "/v1/exports", { key: store.key });
      expect([dataset, Object.keys(file.filters)]).toEqual([dataset, Object.keys(body.data[0].filters)]);
    }
    expect(asked.data).toEqual([]);
  });
});

describe("a file of analytics", () => {
  const point = (quizId: string, query: string): Promise<Body> => {
    t.passTime(60_000);
    return t
      .request("GET", `/v1/quizzes/${quizId}/analytics/overview?${query}`, { key: store.key })
      .then((a) => a.body);
  };

  it("has the days of each quiz's overview [exports.quiz-analytics]", async () => {
    const other = await makeQuiz(t, store, { document: searchDocument({ labels }), publish: true, name: "-1 A" });
    await take({ years: 1, mail: "a@example.com" }, true);
    t.calendar.advance(24 * 60 * minute);
    await take({ years: 2 });
    await take({ years: 2 }, true, other);
    const today = new Date(t.calendar.now()).toISOString().slice(0, 10);
    const yesterday = new Date(t.calendar.now() - 24 * 60 * minute).toISOString().slice(0, 10);
    const file = await jsonOf({ dataset: "quiz_analytics" });
    const wanted: Body[] = [];
    for (const [id, quiz_name] of [
      [other.id, "-1 A"],
      [quiz.id, "Find your routine"],
    ] as const) {
      const { series } = await point(id, `from=${yesterday}&to=${today}`);
      wanted.push(...series.map((day: Body) => ({ quiz_id: id, quiz_name, ...day })));
    }
    expect(file.items).toEqual(wanted);
    expect(file.items.map((row: Body) => row.views)).toEqual([0, 1, 1, 1]);
    const rows = await csvOf({ dataset: "quiz_analytics", quiz_id: other.id, from: today, to: "2030-01-01" });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      quiz_id: other.id,
      quiz_name: "'-1 A",
      day: today,
      views: "1",
      completions: "1",
      avg_time_to_complete_ms: "0",
      currency: "USD",
      revenue: "0.00",
      revenue_bought_not_shown: "0.00",
    });
  });

  it("is empty where nothing was ever opened [exports.quiz-analytics]", async () => {
    expect((await jsonOf({ dataset: "quiz_analytics" })).items).toEqual([]);
  });
});
