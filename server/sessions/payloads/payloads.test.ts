import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { QuizDocument } from "../../../engine/document.ts";
import { openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { postWebhook } from "../../../testkit/commerce.ts";
import { checkShape, deliveriesOf, handOverDue, insertEndpoint, objectsOf } from "../../../testkit/deliveries.ts";
import { makeQuiz, type TestQuiz } from "../../../testkit/quizzes.ts";
import { choose, closed, enter, finish, opened, restarted, say } from "../../../testkit/session-scripts.ts";
import { finderDocument, surveyDocument } from "../../../testkit/small-quizzes.ts";
import { recently, type Sent, send, sessionId, visitorId } from "../../../testkit/storefront.ts";
import { readConfig } from "../../platform/config.ts";
import { ownStore, raw, sql } from "../../platform/database/sql.ts";
import { parseId } from "../../platform/ids.ts";

/** Payloads of events about sessions, from what a browser sends to the delivery. */

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
let told: string;
let plain: string;
beforeAll(async () => {
  t = await openTestApp({ config: readConfig({ ...places, BASE_URL: "http://api.test", DATA_DIR: "./data" }) });
});
afterAll(() => t.close());
const places = { GEO_COUNTRY_HEADER: "x-country", GEO_REGION_HEADER: "x-region" };

const document: QuizDocument = {
  ...finderDocument,
  property_mappings: [
    { component_key: "skin_type", property_name: "skin", option_values: { skin_type_1: "DRY" } },
    { component_key: "years", property_name: "age" },
    { component_key: "mail", property_name: "address" },
    { component_key: "strength", property_name: "never_answered" },
  ],
};

beforeEach(async () => {
  store = await t.store({ currency: "EUR" });
  quiz = await makeQuiz(t, store, { document, publish: true, name: "Finder" });
  await handOverDue(t);
  told = await insertEndpoint(t, store);
  plain = await insertEndpoint(t, store, {
    topics: ["quiz.started", "quiz.finished", "quiz.abandoned"],
    includePii: false,
  });
});

const minute = 60_000;
const userAgent =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";
const from: Sent = {
  headers: { "user-agent": userAgent, "x-country": "DE", "x-region": "BE" },
  session: {
    channel: "embed",
    placement: "footer",
    page_url: "https://shop.example/quiz?token=secret#x",
    utm: { source: "news", medium: "mail", campaign: "spring" },
  },
};

type Script = Parameters<typeof recently>[1];
let firstId = 0;
/** Sends a script whose last event is now; `minutes` is how long it lasts. */
async function take(script: Script, minutes: number, sent: Sent = from, of = quiz): Promise<object[]> {
  const events = recently(t, script, { minutesAgo: minutes, firstId });
  firstId += script.length;
  const answer = await send(t, store, of, events, sent);
  expect(answer.body).toMatchObject({ accepted: script.length, rejected: [] });
  return events;
}

const timeAt = (minutesAgo: number) => new Date(t.calendar.now() - minutesAgo * minute).toISOString();

const device = {
  class: "mobile",
  family: "iPhone",
  vendor: "Apple",
  model: "iPhone",
  browser: "Safari",
  browser_version: "17.5",
  os: "iOS",
  os_version: "17.5",
};
const origin = () => ({
  id: sessionId(1),
  quiz_id: quiz.id,
  quiz_name: "Finder",
  version_id: quiz.versionId,
  version_number: 1,
  visitor_id: visitorId(1),
  channel: "embed",
  country: "DE",
  page_url: "https://shop.example/quiz",
  utm_source: "news",
  utm_medium: "mail",
  utm_campaign: "spring",
  utm_content: null,
  utm_term: null,
  device,
});

const whole = [
  opened({ min: 0 }),
  enter("skin", "start", { min: 0 }),
  choose("skin", "skin_type", 1, { min: 1 }),
  enter("age", "next", { min: 2 }),
  say("age", "years", 30, { min: 3 }),
  enter("contact", "next", { min: 4 }),
  say("contact", "mail", " Ann@Example.com ", { min: 4, consent: false }),
  say("contact", "remark", "call me", { min: 4 }),
  enter("result", "next", { min: 5 }),
  finish("result", { min: 5 }),
];
const product = (id: string) => `gid://shopify/Product/${id}`;
const shown = {
  type: "products_shown",
  page_key: "result",
  block_key: "picks",
  products: [
    { product_id: product("11"), variant_id: "gid://shopify/ProductVariant/112", position: 1, source: "fixed" },
    { product_id: product("2"), variant_id: null, position: 2, source: "fixed" },
  ],
};

describe("quiz.started [webhooks.quiz-started]", () => {
  it("tells where the session came from, without answers", async () => {
    await take(whole.slice(0, 3), 1);
    await handOverDue(t);
    const [delivery] = await deliveriesOf(t, store, plain);
    expect(delivery?.envelope).toMatchObject({ type: "quiz.started", created: timeAt(0), api_version: "v1" });
    expect(delivery?.envelope.data.object).toEqual({
      ...origin(),
      placement: "footer",
      region: "BE",
      started_at: timeAt(0),
    });
    checkShape(delivery?.envelope);
    expect(await objectsOf(t, store, "quiz.started", told)).toEqual([delivery?.envelope.data.object]);
  });

  it("has nulls for what a browser did not say", async () => {
    await take(whole.slice(0, 3), 1, {});
    await handOverDue(t);
    const [object] = await objectsOf(t, store, "quiz.started", plain);
    const nothing = { placement: null, page_url: null, utm_source: null, utm_medium: null, utm_campaign: null };
    expect(object).toMatchObject({ ...nothing, channel: "online_store" });
    expect(Object.values(object.device)).toEqual(["other", ...Array(7).fill(null)]);
  });
});

const answers = {
  skin_type: {
    page_key: "skin",
    kind: "choice",
    option_ids: ["skin_type_1"],
    value: ["skin_type_1"],
    values: ["skin_type 1"],
    label: "skin_type?",
  },
  years: { page_key: "age", kind: "number", value: 30, values: ["30"], label: "Age?" },
  remark: { page_key: "contact", kind: "text", value: "call me", values: ["call me"], label: "Anything else?" },
};
const mail = {
  page_key: "contact",
  kind: "email",
  value: " Ann@Example.com ",
  values: [" Ann@Example.com "],
  label: "Email?",
};
const identity = {
  kind: "email",
  value: "ann@example.com",
  consent: false,
  page_key: "contact",
  component_key: "mail",
};
const mapped = [
  { question_key: "skin_type", question_label: "skin_type?", property_name: "skin", option_values: ["DRY"] },
  { question_key: "years", question_label: "Age?", property_name: "age", option_values: ["30"] },
];
const mappedMail = {
  question_key: "mail",
  question_label: "Email?",
  property_name: "address",
  option_values: [" Ann@Example.com "],
};
const outcome = {
  formulas: [{ page_key: "result", component_key: "double", label: "Twice", value: 60 }],
  points: [
    { dimension_id: "dry", name: "Dry", total: 2 },
    { dimension_id: "oily", name: "Oily", total: 0 },
  ],
  points_total: 2,
};

async function fillCatalog(): Promise<void> {
  const variant = (id: number, title: string, price: string, position: number) => {
    return { id, admin_graphql_api_id: `gid://shopify/ProductVariant/${id}`, title, price, position };
  };
  const payload = {
    id: 11,
    admin_graphql_api_id: product("11"),
    title: "Calm",
    handle: "calm",
    status: "active",
    updated_at: new Date(t.calendar.now()).toISOString(),
    image: { src: "https://cdn.example/calm.jpg" },
    variants: [variant(111, "30 ml", "10.00", 1), variant(112, "50 ml", "14.50", 2)],
  };
  expect((await postWebhook(t, store, { topic: "products/create", payload })).status).toBe(200);
}

describe("quiz.finished [webhooks.quiz-finished]", () => {
  it("tells the whole session, with the products shown in the minute after", async () => {
    await fillCatalog();
    await take(whole, 5);
    await take([{ ...shown, min: 0, seq: 10 } as Script[number]], 0);
    t.calendar.advance(minute - 1);
    await handOverDue(t);
    expect(await objectsOf(t, store, "quiz.finished")).toEqual([]);
    t.calendar.advance(1);
    await handOverDue(t);
    const calm = {
      product_id: product("11"),
      variant_id: "gid://shopify/ProductVariant/112",
      handle: "calm",
      title: "Calm",
      variant_title: "50 ml",
      price: 14.5,
      currency: "EUR",
      image: "https://cdn.example/calm.jpg",
      block_key: "picks",
    };
    const unknown = {
      ...Object.fromEntries(Object.keys(calm).map((key) => [key, null])),
      product_id: product("2"),
      block_key: "picks",
    };
    const expected = {
      ...origin(),
      started_at: timeAt(5),
      ended_at: timeAt(1),
      answers,
      last_page: { page_key: "result", title: "result", position: 5 },
      answered_count: 4,
      completed_at: timeAt(1),
      ...outcome,
      terminal_page: {
        page_key: "result",
        title: "result",
        position: 5,
        page_count: 5,
        shown_products: [calm, unknown],
        outcome: { page_key: "result", dimension_id: null, name: "result" },
      },
      outcome: { page_key: "result", dimension_id: null, name: "result" },
      products_shown: [
        { ...calm, page_key: "result", position: 1, source: "fixed" },
        { ...unknown, page_key: "result", position: 2, source: "fixed" },
      ],
      property_mappings: mapped,
    };
    const [delivery] = (await deliveriesOf(t, store, plain)).filter((row) => row.topic === "quiz.finished");
    expect(delivery?.envelope).toMatchObject({ created: timeAt(1) });
    expect(delivery?.envelope.data.object).toEqual(expected);
    checkShape(delivery?.envelope);
    expect(delivery?.payload).not.toMatch(/example\.com|Email/i);
    const [full] = (await deliveriesOf(t, store, told)).filter((row) => row.topic === "quiz.finished");
    expect(full?.envelope.data.object).toEqual({
      ...expected,
      answers: { ...answers, mail },
      identities: [identity],
      property_mappings: [...mapped, mappedMail],
    });
    checkShape(full?.envelope);
    const people = await t.request("GET", "/v1/profiles", { key: store.key });
    const person = await t.request("GET", `/v1/profiles/${people.body.data[0].id}`, { key: store.key });
    expect(person.body.latest_results[0].result_page).toEqual(expected.terminal_page);
  });

  it("takes in a contact that was still being typed, and has no result page where the quiz has none", async () => {
    const survey = await makeQuiz(t, store, { document: surveyDocument, publish: true, name: "Survey" });
    const script = [opened({ min: 0 }), say("taste", "sweet", null, { min: 0 }), enter("day", "next", { min: 0 })];
    const date = {
      type: "answer_saved",
      page_key: "day",
      component_key: "when",
      value: { date: "2026-05-01", time: null },
    };
    await take(
      [...script, { ...date, min: 1 }, enter("thanks"), finish("thanks", { min: 2 })] as Script,
      2,
      from,
      survey,
    );
    t.calendar.advance(minute);
    await handOverDue(t);
    const [object] = await objectsOf(t, store, "quiz.finished", told);
    expect(object).toMatchObject({
      quiz_name: "Survey",
      answers: { when: { value: { date: "2026-05-01", time: null }, values: ["2026-05-01"] } },
      last_page: { page_key: "thanks", position: 3 },
      terminal_page: null,
      points: [],
      points_total: null,
      formulas: [],
      products_shown: [],
      property_mappings: [],
      identities: [],
    });
    expect(Object.keys(object.answers)).toEqual(["when"]);
  });

  it("leaves out a formula without a value, and says null for versions and quizzes that are gone [webhooks.session-objects]", async () => {
    await take([...whole.slice(0, 4), enter("contact", "skip", { min: 4 }), finish("result", { min: 5 })], 5);
    const remove = (table: string, id: string) =>
      t.database
        .reader()
        .forStore(store.uuid)
        .all(sql`DELETE FROM ${raw(table)} WHERE store_id = ${ownStore} AND id = ${id}`);
    await remove("quiz_versions", parseId("ver", quiz.versionId) ?? "");
    await handOverDue(t);
    const version = { version_id: null, version_number: null };
    expect(await objectsOf(t, store, "quiz.started", told)).toMatchObject([{ quiz_name: "Finder", ...version }]);
    await remove("quizzes", quiz.uuid);
    t.calendar.advance(minute);
    await handOverDue(t);
    const [delivery] = (await deliveriesOf(t, store, told)).filter((row) => row.topic === "quiz.finished");
    expect(delivery?.envelope.data.object).toMatchObject({
      quiz_name: null,
      ...version,
      formulas: [],
      answers: { skin_type: { label: "skin_type", values: ["skin_type_1"] } },
      last_page: { page_key: "result", title: null, position: null },
      property_mappings: [],
    });
    checkShape(delivery?.envelope);
  });

  it("names a quiz that was deleted meanwhile [webhooks.session-objects]", async () => {
    await take(whole, 5);
    await t.request("DELETE", `/v1/quizzes/${quiz.id}`, { key: store.key });
    t.calendar.advance(minute);
    await handOverDue(t);
    expect((await objectsOf(t, store, "quiz.finished", told))[0]).toMatchObject({
      quiz_name: "Finder",
      version_number: 1,
    });
  });
});

describe("quiz.abandoned [webhooks.quiz-abandoned]", () => {
  it("tells the session so far after 30 idle minutes", async () => {
    await take(whole.slice(0, 7), 4);
    t.calendar.advance(30 * minute);
    await handOverDue(t);
    const expected = {
      ...origin(),
      started_at: timeAt(33),
      ended_at: timeAt(0),
      answers: { skin_type: answers.skin_type, years: answers.years },
      last_page: { page_key: "contact", title: "contact", position: 4 },
      answered_count: 3,
    };
    const [delivery] = (await deliveriesOf(t, store, plain)).filter((row) => row.topic === "quiz.abandoned");
    expect(delivery?.envelope).toMatchObject({ created: timeAt(0) });
    expect(delivery?.envelope.data.object).toEqual(expected);
    checkShape(delivery?.envelope);
    expect(await objectsOf(t, store, "quiz.abandoned", told)).toEqual([
      { ...expected, answers: { ...expected.answers, mail }, identities: [identity] },
    ]);
  });

  it("fires for a closed session too, never after a restart or a finish [sessions.abandoned]", async () => {
    await take([...whole.slice(0, 3), closed({ min: 2 })], 2);
    await take([...whole.slice(0, 3), restarted({ min: 2 })], 2, { session: { id: sessionId(2) } });
    await take(whole, 5, { session: { id: sessionId(3) } });
    await take([opened({ min: 0 })], 0, { session: { id: sessionId(4) } });
    t.calendar.advance(40 * minute);
    await handOverDue(t);
    const objects = await objectsOf(t, store, "quiz.abandoned", plain);
    expect(objects).toMatchObject([{ id: sessionId(1), ended_at: timeAt(40) }]);
  });
});
