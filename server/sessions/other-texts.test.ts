import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { plain, readCsvCells } from "../../testkit/csv.ts";
import { deliveriesOf, handOverDue, insertEndpoint, objectsOf } from "../../testkit/deliveries.ts";
import { choice, email, option, page, quizDocument } from "../../testkit/document-parts.ts";
import { backUp, erasePersonIn, verifyIn } from "../../testkit/erasure.ts";
import { exported } from "../../testkit/export-files.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { enter, finish, opened, say } from "../../testkit/session-scripts.ts";
import { recently, send, sessionId, sessionRow, visitorId } from "../../testkit/storefront.ts";

/** Choices with limits, and with what shoppers write beside an option, from the batch to wherever answers are read. */

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const scents = ["rose", "oud", "musk"].map((id) => option(id, { points: { warm: 1 } }));
const none = option("none", { label: "Nothing yet", exclusive: true });
const other = option("other", { label: "Another one", other: true, points: { warm: 1 } });
const scent = choice("scent", [...scents, none, other], {
  question: "Scents?",
  multiple: true,
  required: true,
  min_choices: 2,
  max_choices: 3,
});
const document = quizDocument(
  [page("ask", [scent]), page("contact", [email("mail")]), page("end", [], { kind: "result" })],
  {
    dimensions: [{ dimension_id: "warm", name: "Warm" }],
  },
);

beforeEach(async () => {
  store = await t.store({ plan: "enterprise" });
  await t.update(store, { limits: { export_page_pause_ms: 0 } });
  quiz = await makeQuiz(t, store, { document, publish: true });
});

const pick = (option_ids: string[], other_text?: string | null) => ({
  type: "answer_saved" as const,
  page_key: "ask",
  component_key: "scent",
  option_ids,
  ...(other_text !== undefined && { other_text }),
});

/** A shopper of their own, with an email. */
async function take(number: number, address: string, ...answers: ReturnType<typeof pick>[]) {
  const way = [
    opened(),
    enter("ask", "start"),
    ...answers,
    enter("contact"),
    say("contact", "mail", address, { consent: true }),
  ];
  const events = recently(t, [...way, enter("end"), finish("end")], { firstId: number * 100 });
  return send(t, store, quiz, events, { session: { id: sessionId(number), visitor_id: visitorId(number) } });
}
const personOf = async (address: string): Promise<{ id: string }> =>
  (await t.request("GET", `/v1/profiles?q=${encodeURIComponent(address)}`, { key: store.key })).body.data[0];
const answerIn = async (number: number) => (await sessionRow(t, store, sessionId(number)))?.state.answers?.[0];

it("refuses an exclusive option beside others, too many, and a text that is too long [engine.choice-limits, engine.other-text]", async () => {
  const wrong = [
    pick(["none", "rose"]),
    pick(["rose", "oud", "musk", "other"]),
    pick(["other", "rose"], "x".repeat(201)),
  ];
  const { body } = await take(1, "ann@x.example", ...wrong, pick(["other", "rose"], "x".repeat(200)));
  expect(body.rejected.map(({ reason }: { reason: string }) => reason)).toEqual(wrong.map(() => "invalid_value"));
  expect(await answerIn(1)).toMatchObject({ option_ids: ["other", "rose"], other_text: "x".repeat(200) });
});

it("keeps too few options, and lets them finish a session as little as no answer [engine.choice-limits]", async () => {
  await take(1, "ann@x.example", pick(["other"], "Leather"));
  expect((await sessionRow(t, store, sessionId(1)))?.state).toMatchObject({
    completed_at: null,
    started_at: expect.any(Number),
  });
  expect(await answerIn(1)).toMatchObject({ option_ids: ["other"], other_text: "Leather" });
  for (const [number, options] of [["rose", "other"], ["none"]].entries()) {
    await take(10 + number, `bob${number}@x.example`, pick(options));
    expect((await sessionRow(t, store, sessionId(10 + number)))?.state.completed_at).toEqual(expect.any(Number));
  }
});

it("shows what was written in results, payloads and files, never in points [engine.other-text, exports.other-texts, people.answers]", async () => {
  await handOverDue(t);
  const endpoint = await insertEndpoint(t, store, { topics: ["quiz.finished"], includePii: false });
  await take(1, "ann@x.example", pick(["rose", "other"], "=Leather; 2 \n"));
  await take(2, "bob@y.example", pick(["rose", "oud"], "not chosen"));
  t.calendar.advance(60_000);
  await handOverDue(t);
  type Told = { id: string; answers: Record<string, object>; points: { total: number }[] };
  const objects = (await objectsOf(t, store, "quiz.finished", endpoint)) as Told[];
  const [told, second] = [1, 2].map((number) => objects.find(({ id }) => id === sessionId(number)));
  expect(told?.answers["scent"]).toMatchObject({ values: ["rose", "Another one"], other_text: "=Leather; 2 \n" });
  expect(told?.points).toEqual([{ dimension_id: "warm", name: "Warm", total: 2 }]);
  expect(second?.answers["scent"]).not.toHaveProperty("other_text");
  const { id } = await personOf("ann@x.example");
  const { body } = await t.request("GET", `/v1/profiles/${id}`, { key: store.key });
  expect(body.latest_results[0].answers[0]).toMatchObject({
    values: ["rose", "Another one"],
    other_text: "=Leather; 2 \n",
  });
  const file = (more: object) => exported(t, store, { dataset: "responses", quiz_id: quiz.id, ...more });
  const rows = readCsvCells(await file({ format: "csv" }));
  const at = rows[0]?.indexOf("answers.scent.other_text") ?? -1;
  expect(rows.map((row) => row[at])).toEqual(["answers.scent.other_text", "'=Leather; 2 \n", ""]);
  const named = readCsvCells(await file({ format: "csv", csv_style: "plain", headers: "texts" }), plain);
  expect(named[0]).toContain("1. Other: Scents?");
  const items = JSON.parse(await file({ format: "json" })).items;
  expect(items[0].answers.scent.other_text).toBe("=Leather; 2 \n");
});

it("erases what the person wrote, and only the text of somebody else with the contact [erasure.other-texts]", async () => {
  await handOverDue(t);
  const endpoint = await insertEndpoint(t, store, { topics: ["quiz.finished"], includePii: true });
  await take(1, "ann@x.example", pick(["rose", "other"], "my own blend"), pick(["oud", "other"], "another blend"));
  await take(2, "bob@y.example", pick(["musk", "other"], "the one that Ann@X.example has"));
  await take(3, "cleo@z.example", pick(["musk", "other"], "amber"));
  t.calendar.advance(60_000);
  await handOverDue(t);
  const before = (await sessionRow(t, store, sessionId(1)))?.state;
  const { id } = await personOf("ann@x.example");
  await erasePersonIn(t, store, id);
  const everything = JSON.stringify([...(await backUp(t, store))]);
  expect(everything).not.toMatch(/blend|ann@x/i);
  expect(everything).toContain("amber");
  const state = (await sessionRow(t, store, sessionId(1)))?.state;
  expect(state).toMatchObject({ completed_at: before?.completed_at, answered_count: before?.answered_count });
  expect(await answerIn(1)).toMatchObject({ option_ids: ["oud", "other"] });
  expect(await answerIn(1)).not.toHaveProperty("other_text");
  expect(await answerIn(2)).toMatchObject({ option_ids: ["musk", "other"] });
  expect(await answerIn(2)).not.toHaveProperty("other_text");
  expect(await answerIn(3)).toMatchObject({ other_text: "amber" });
  expect((await verifyIn(t, store, id, ["my own blend", "another blend"])).ok).toBe(true);
  expect(JSON.stringify(await deliveriesOf(t, store, endpoint))).not.toMatch(/blend|ann@x/i);
  // a late event of Bob's session, which is reduced anew, brings nothing back
  await send(t, store, quiz, recently(t, [pick(["oud", "other"])], { firstId: 900 }), {
    session: { id: sessionId(2), visitor_id: visitorId(2) },
  });
  expect(await answerIn(2)).not.toHaveProperty("other_text");
});
