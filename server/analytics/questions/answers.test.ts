import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { QuizDocument } from "../../../engine/document.ts";
import { askedOf, at, type HandStore, openHandStore, uuid } from "../../../testkit/hand-copy.ts";
import { makeQuiz } from "../../../testkit/quizzes.ts";
import { Problem } from "../../platform/problems.ts";
import { answers } from "./answers.ts";

const choice = (component_key: string, kind: "choice" | "image", ...options: string[]) => ({
  kind,
  component_key,
  question: `Which ${component_key}?`,
  required: false,
  multiple: true,
  options: options.map((option_id) => ({
    option_id,
    label: `Label of ${option_id}`,
    image_url: kind === "image" ? `https://img.example/${option_id}` : null,
    points: {},
  })),
});
const number = (component_key: string) => ({
  kind: "number" as const,
  component_key,
  question: "How many?",
  required: false,
  min: null,
  max: null,
  step: 0.1,
  unit: null,
  style: "field" as const,
});
const documentOf = (...components: QuizDocument["pages"][number]["components"]): QuizDocument => ({
  pages: [
    { page_key: "one", title: "One", kind: "question", skippable: false, visible_when: null, components },
    {
      page_key: "two",
      title: "Two",
      kind: "question",
      skippable: false,
      visible_when: null,
      components: [number("size")],
    },
  ],
  jump_rules: [],
  dimensions: [],
  property_mappings: [],
});

let hand: HandStore;
beforeAll(async () => {
  hand = await openHandStore(
    documentOf(choice("former", "choice", "x"), choice("skin", "choice", "dry", "oily", "old", "unused")),
  );
  const quizId = `quiz_${hand.quizId.replaceAll("-", "")}`;
  const text = { kind: "text", component_key: "remark", question: "?", required: false, max_length: 10 } as const;
  await makeQuiz(hand.t, hand.store, {
    document: documentOf(text, choice("skin", "choice", "oily", "dry"), choice("look", "image", "light")),
    publish: true,
    quizId,
  });
});
beforeEach(async () => {
  await hand.begin();
  const question = (question: number, component_key: string, kind: string, page_key = "one") => {
    return { question, quiz: 1, page_key, component_key, kind };
  };
  await hand.copy.put(
    "questions",
    question(1, "skin", "choice"),
    question(2, "size", "number", "two"),
    // before it moved to its page
    question(3, "skin", "choice", "two"),
    question(4, "look", "image"),
    question(5, "former", "choice"),
    { ...question(6, "skin", "choice"), quiz: 2 },
  );
  const options = [
    [1, 1, "dry"],
    [2, 1, "oily"],
    [3, 1, "old"],
    [4, 3, "dry"],
    [5, 4, "light"],
    [6, 5, "x"],
  ].map(([option, question, option_id]) => ({ option, question, option_id }));
  await hand.copy.put("options", ...options);
});
afterAll(() => hand.close());

const ask = (key: string | null = null, filters: Parameters<typeof askedOf>[4] = {}) =>
  answers(hand.copy.query, hand.db, askedOf(hand, hand.quizId, "2026-03-01", "2026-03-31", filters), key);
const usd = (amount: string) => ({ amount, currency: "USD" });

/** A session with its answers in force. */
async function answered(session: number, given: Record<string, unknown>[], more: Record<string, unknown> = {}) {
  const { quiz = 1, started = at("2026-03-02T10:00") } = more;
  await hand.copy.put("sessions", { session, opened: started, started, ...more });
  const has = (...moments: string[]) => moments.some((moment) => typeof more[moment] === "number");
  const outcome = { completed: has("completed"), opted_in: has("email_at", "phone_at") };
  await hand.copy.put(
    "answers",
    ...given.map((answer) => ({ session, quiz, answered: started, ...outcome, ...answer })),
  );
}

it("lists the present questions in document order, and takes the first unless told [answers.questions]", async () => {
  const body = await ask();
  const selection = (component_key: string, page_key: string, question: string, page_title: string, kind: string) => {
    return { component_key, page_key, question, page_title, kind };
  };
  expect(body.questions).toEqual([
    selection("skin", "one", "Which skin?", "One", "choice"),
    selection("look", "one", "Which look?", "One", "choice"),
    selection("size", "two", "How many?", "Two", "number"),
  ]);
  expect(body.question).toEqual(body.questions[0]);
  expect(body).toMatchObject({ currency: "USD", answered: 0, buckets: [], summary: null });
  const none = { chose: 0, completed: 0, buyers: 0, answer_orders: 0, opted_in: 0, answer_revenue: usd("0.00") };
  const noRates = { chose_share: null, completion_rate: null, buyer_rate: null, opt_in_rate: null };
  const option = { kind: "choice", image_url: null, removed: false, ...none, ...noRates };
  expect(body.options).toEqual([
    { option_id: "oily", label: "Label of oily", ...option },
    { option_id: "dry", label: "Label of dry", ...option },
  ]);
});

it("counts each option's sessions and what became of them, whenever it happened [answers.cohort, answers.outcomes]", async () => {
  const window = 30 * 86_400_000;
  await answered(
    1,
    [
      { question: 1, option: 1 },
      { question: 1, option: 2 },
    ],
    {
      completed: at("2026-05-01T10:00"),
      email_at: at("2026-05-01T10:00"),
      phone_at: at("2026-05-01T10:00"),
    },
  );
  await answered(2, [{ question: 3, option: 4 }], { phone_at: at("2026-03-02T10:00") });
  await answered(3, [{ question: 1, option: 1 }]);
  await answered(4, [{ question: 1, option: 1 }], { started: at("2026-04-01T00:00") });
  await answered(5, [{ question: 6, option: 1 }], { quiz: 2 });
  const order = (id: number, session: number, total: string, more: Record<string, unknown> = {}) =>
    hand.copy.put("orders", { id: uuid(id), session, created: at("2026-05-01T11:00"), total, ...more });
  await order(1, 1, "10.10", { after_start_ms: window });
  await order(2, 1, "0.20");
  await order(3, 1, "99.00", { in_currency: false });
  await order(4, 2, "99.00", { after_start_ms: window + 1 });
  const body = await ask("skin");
  expect(body.answered).toBe(3);
  const [oily, dry] = body.options;
  expect(dry).toMatchObject({
    chose: 3,
    completed: 1,
    buyers: 1,
    answer_orders: 3,
    opted_in: 2,
    answer_revenue: usd("10.30"),
  });
  expect(dry).toMatchObject({ chose_share: 1, completion_rate: 1 / 3, buyer_rate: 1 / 3, opt_in_rate: 2 / 3 });
  expect(oily).toMatchObject({
    chose: 1,
    completed: 1,
    buyers: 1,
    answer_orders: 3,
    opted_in: 1,
    answer_revenue: usd("10.30"),
  });
  expect(oily?.chose_share).toBe(1 / 3);
});

it("lists removed options after the present ones where they have counts [answers.removed-options]", async () => {
  await answered(1, [{ question: 1, option: 3 }]);
  const { options } = await ask("skin");
  expect(options.map(({ option_id, label, removed, chose }) => [option_id, label, removed, chose])).toEqual([
    ["oily", "Label of oily", false, 0],
    ["dry", "Label of dry", false, 0],
    ["old", "Label of old", true, 1],
  ]);
});

it("answers about image questions with their images, and about removed questions by their key [answers.questions]", async () => {
  await answered(1, [
    { question: 4, option: 5 },
    { question: 5, option: 6 },
  ]);
  expect((await ask("look")).options).toMatchObject([
    { option_id: "light", kind: "image", image_url: "https://img.example/light", chose: 1 },
  ]);
  const former = await ask("former");
  expect(former.question).toMatchObject({ component_key: "former", question: "Which former?", kind: "choice" });
  expect(former.options).toMatchObject([{ option_id: "x", label: "Label of x", removed: true, chose: 1 }]);
});

it("refuses a key that is no such question [answers.unknown-question]", async () => {
  for (const key of ["nothing", "remark", ""]) {
    const refused = await ask(key).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Problem);
    expect(JSON.stringify((refused as Problem).extra)).toContain("query.component_key");
  }
});

it("puts numbers into aligned buckets, empty ones between too, and sums them up [answers.number-buckets, answers.number-summary]", async () => {
  const given = [18, 19.5, 25, 44];
  for (const [index, value] of given.entries()) await answered(index, [{ question: 2, number: value }]);
  await hand.copy.put("orders", { id: uuid(1), session: 3, created: at("2026-05-01T11:00"), total: "7" });
  const body = await ask("size");
  expect(body).toMatchObject({ answered: 4, options: [] });
  expect(body.summary).toEqual({ count: 4, min: 18, max: 44, mean: 26.625, median: 22.25 });
  expect(
    body.buckets.map(({ label, low, high, answered: count, buyers }) => [label, low, high, count, buyers]),
  ).toEqual([
    ["15–20", 15, 20, 2, 0],
    ["20–25", 20, 25, 0, 0],
    ["25–30", 25, 30, 1, 0],
    ["30–35", 30, 35, 0, 0],
    ["35–40", 35, 40, 0, 0],
    ["40–45", 40, 45, 1, 1],
  ]);
  expect(body.buckets[0]).toMatchObject({ answered_share: 0.5, completion_rate: 0, answer_revenue: usd("0.00") });
  expect(body.buckets[1]).toMatchObject({ answered_share: 0, completion_rate: null, buyer_rate: null });
  expect(body.buckets[5]).toMatchObject({ answer_orders: 1, buyer_rate: 1, answer_revenue: usd("7.00") });
});

it("has buckets below zero and of tenths [answers.number-buckets]", async () => {
  for (const [index, value] of [-0.3, 0.1, 0.3].entries()) await answered(index, [{ question: 2, number: value }]);
  const { buckets } = await ask("size");
  expect(buckets.map(({ low, answered: count }) => [low, count])).toEqual([
    [-0.3, 1],
    [-0.2, 0],
    [-0.1, 0],
    [0, 0],
    [0.1, 1],
    [0.2, 0],
    [0.3, 1],
  ]);
});

it("has no buckets and no summary of a number question without answers [answers.number-summary]", async () => {
  expect(await ask("size")).toMatchObject({ answered: 0, options: [], buckets: [], summary: null });
});

it("filters the sessions that answered [analytics.filters]", async () => {
  await answered(
    1,
    [
      { question: 1, option: 1 },
      { question: 2, number: 5 },
    ],
    { country: "DE" },
  );
  await answered(2, [
    { question: 1, option: 1 },
    { question: 2, number: 7 },
  ]);
  expect(await ask("skin", { country: "DE" })).toMatchObject({ answered: 1, options: [{ chose: 0 }, { chose: 1 }] });
  expect((await ask("size", { country: "unknown" })).summary).toMatchObject({ count: 1, min: 7, max: 7 });
});
