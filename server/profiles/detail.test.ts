import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { QuizDocument } from "../../engine/document.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { historyStart, type ScriptedEvent } from "../../testkit/histories.ts";
import { insertQuiz, insertSession, resolveContacts } from "../../testkit/people.ts";
import { finish, minute, reduced, say, shortWay } from "../../testkit/session-scripts.ts";
import { finderDocument, surveyDocument } from "../../testkit/small-quizzes.ts";
import { ownStore, raw, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
});

const db = () => t.database.reader();
const get = (id: string, key = store.key) => t.request("GET", `/v1/profiles/${id}`, { key });

/** A scripted session of the finder quiz, whose shopper left an email. */
async function taken(quizId: string, versionId: string, script: readonly ScriptedEvent[], email = "a@x.test") {
  const { state } = reduced(...script);
  const id = await insertSession(db(), store.uuid, {
    quizId,
    versionId,
    openedAt: state.opened_at,
    startedAt: state.started_at,
    completedAt: state.completed_at,
    endedAt: state.ended_at,
    lastEventAt: state.last_event_at,
    status: state.status,
    country: "DE",
    state,
  });
  await resolveContacts(t.foundations, store.uuid, { [id]: [{ email, consent: true, at: state.last_event_at }] });
  return id;
}

async function onlyPerson(): Promise<string> {
  const row = await db()
    .forStore(store.uuid)
    .first<{ id: string }>(sql`SELECT id FROM profiles WHERE store_id = ${ownStore}`);
  return formatId("prof", row?.id ?? "");
}

const shown: ScriptedEvent = {
  type: "products_shown",
  page_key: "result",
  block_key: "picks",
  products: [
    { product_id: "gid://shopify/Product/1", variant_id: null },
    { product_id: "gid://shopify/Product/1", variant_id: "gid://shopify/ProductVariant/12" },
    { product_id: "gid://shopify/Product/9" },
  ],
};
const whole = [...shortWay, shown, finish("result", { min: 6 })];

async function stockCatalog(): Promise<void> {
  await db()
    .forStore(store.uuid)
    .all(sql`
    INSERT INTO products (store_id, product_id, handle, title, image, had_variants, updated_at)
    VALUES (${ownStore}, 'gid://shopify/Product/1', 'serum', 'Serum', 'https://x.test/1.png', true, ${new Date(historyStart)})`);
  await db()
    .forStore(store.uuid)
    .all(sql`
    INSERT INTO product_variants (store_id, product_id, variant_id, position, title, price)
    SELECT ${ownStore}::uuid, 'gid://shopify/Product/1', 'gid://shopify/ProductVariant/' || v.n, v.n, 'Size ' || v.n, v.n + 0.5
    FROM unnest(ARRAY[12, 11]) AS v (n)`);
}

/** The finder quiz with changed wording, without its age page. */
function reworded(): QuizDocument {
  const document = structuredClone(finderDocument);
  document.pages = document.pages.filter((page) => page.page_key !== "age");
  const [skin] = document.pages;
  skin!.title = "Your skin";
  const [question] = skin!.components;
  if (question?.kind === "choice") {
    question.question = "How is your skin?";
    question.options = question.options.slice(1);
  }
  return document;
}

function renamedAge(): QuizDocument {
  const document = structuredClone(finderDocument);
  const age = document.pages.find((page) => page.page_key === "age");
  age!.title = "Age, newer";
  const [question] = age!.components;
  if (question?.kind === "number") question.question = "How old?";
  return document;
}

describe("GET /v1/profiles/{profile_id}", () => {
  it("reads every field of a person [people.detail, people.answers, people.latest-results, people.sessions]", async () => {
    const quiz = await insertQuiz(db(), store.uuid, [finderDocument], { live: 0 });
    await stockCatalog();
    const session = await taken(quiz.id, quiz.versions[0]!, whole);
    const answer = await get(await onlyPerson());
    expect(answer.status).toBe(200);
    const { latest_results, sessions, ...rest } = answer.body;
    expect(rest).toEqual({
      id: await onlyPerson(),
      first_seen_at: "2026-03-02T10:00:00.000Z",
      last_seen_at: "2026-03-02T10:06:00.000Z",
      last_order_at: null,
      completed_count: 1,
      orders_count: 0,
      quizzes_taken_count: 1,
      sessions_count: 1,
      removed: false,
      removed_at: null,
      returning: false,
      returning_count: 0,
      spent: { amount: "0.00", currency: "USD" },
      identities: [
        {
          kind: "email",
          value: "a@x.test",
          consent: true,
          first_seen_at: "2026-03-02T10:06:00.000Z",
          last_seen_at: "2026-03-02T10:06:00.000Z",
        },
      ],
      orders: [],
      truncated: false,
    });
    expect(sessions).toEqual([
      {
        session_id: formatId("sess", session),
        quiz_id: formatId("quiz", quiz.id),
        quiz_name: "Finder",
        started_at: "2026-03-02T10:01:00.000Z",
        channel: "online_store",
        device_class: "mobile",
        status: "completed",
        completed_at: "2026-03-02T10:06:00.000Z",
        ended_at: "2026-03-02T10:06:00.000Z",
        country: "DE",
        last_page_key: "result",
        last_page_title: "result",
        last_page_position: 5,
        page_count: 5,
        version_number: 1,
        pages_visited: 4,
        returning: false,
        order: null,
      },
    ]);
    expect(latest_results).toMatchObject([
      {
        quiz_id: formatId("quiz", quiz.id),
        quiz_name: "Finder",
        session_id: formatId("sess", session),
        started_at: "2026-03-02T10:01:00.000Z",
        completed_at: "2026-03-02T10:06:00.000Z",
        version_number: 1,
        formulas: [{ component_key: "double", page_key: "result", label: "Twice", value: 60 }],
        points: [
          { dimension_id: "dry", name: "Dry", total: 2 },
          { dimension_id: "oily", name: "Oily", total: 0 },
        ],
        points_total: 2,
        winner: { dimension_id: "dry", name: "Dry", total: 2 },
      },
    ]);
    expect(latest_results[0].answers).toEqual([
      {
        component_key: "skin_type",
        page_key: "skin",
        question: "skin_type?",
        page_title: "skin",
        kind: "choice",
        value: ["skin_type_1"],
        values: ["skin_type 1"],
        image_urls: [],
        removed: false,
      },
      {
        component_key: "years",
        page_key: "age",
        question: "Age?",
        page_title: "age",
        kind: "number",
        value: 30,
        values: ["30"],
        image_urls: [],
        removed: false,
      },
    ]);
  });

  it("fills shown products from the catalog, null where it does not know [people.result-page, orders.catalog]", async () => {
    const quiz = await insertQuiz(db(), store.uuid, [finderDocument]);
    await stockCatalog();
    await taken(quiz.id, quiz.versions[0]!, whole);
    const { result_page } = (await get(await onlyPerson())).body.latest_results[0];
    const serum = {
      block_key: "picks",
      currency: "USD",
      handle: "serum",
      image: "https://x.test/1.png",
      title: "Serum",
    };
    const product_id = "gid://shopify/Product/1";
    const unknown = { currency: null, handle: null, image: null, title: null, price: null };
    expect(result_page).toEqual({
      page_key: "result",
      title: "result",
      position: 5,
      page_count: 5,
      shown_products: [
        { ...serum, product_id, variant_id: null, variant_title: null, price: 11.5 },
        { ...serum, product_id, variant_id: "gid://shopify/ProductVariant/12", variant_title: "Size 12", price: 12.5 },
        {
          block_key: "picks",
          product_id: "gid://shopify/Product/9",
          variant_id: null,
          variant_title: null,
          ...unknown,
        },
      ],
      outcome: { page_key: "result", dimension_id: null, name: "result" },
    });
  });

  it("leaves out formulas without a value, keeps every dimension, has no winner without points [people.latest-results, people.answers]", async () => {
    const quiz = await insertQuiz(db(), store.uuid, [finderDocument]);
    const way: ScriptedEvent[] = [
      { type: "answer_saved", page_key: "skin", component_key: "skin_type", option_ids: ["skin_type_3"], min: 1 },
      { type: "page_entered", page_key: "contact", cause: "jump", jump_rule_key: "straight" },
      say("contact", "mail", "A@x.test"),
      finish("result", { min: 6 }),
    ];
    await taken(quiz.id, quiz.versions[0]!, way);
    const [result] = (await get(await onlyPerson())).body.latest_results;
    expect(result).toMatchObject({ formulas: [], points_total: 0, winner: null });
    expect(result.points).toHaveLength(2);
    expect(result.answers[1]).toMatchObject({ kind: "email", value: "A@x.test", values: ["A@x.test"] });
  });

  it("calls questions, options and pages as the newest version that has them does; removed ones are marked [people.wording]", async () => {
    const documents = [finderDocument, renamedAge(), reworded()];
    const quiz = await insertQuiz(db(), store.uuid, documents, { live: 2 });
    await taken(quiz.id, quiz.versions[0]!, whole);
    const { body } = await get(await onlyPerson());
    expect(body.latest_results[0].version_number).toBe(1);
    expect(body.latest_results[0].answers).toMatchObject([
      // the question goes on, the option that was chosen does not
      { question: "How is your skin?", page_title: "Your skin", values: ["skin_type 1"], removed: false },
      { question: "How old?", page_title: "Age, newer", removed: true },
    ]);
    expect(body.sessions[0]).toMatchObject({ last_page_position: 5, page_count: 5, version_number: 1 });
  });

  it("gives the newest finished take of each quiz, and all sessions newest first [people.latest-results, people.sessions]", async () => {
    const one = await insertQuiz(db(), store.uuid, [finderDocument], { name: "one" });
    const two = await insertQuiz(db(), store.uuid, [finderDocument], {
      name: "two",
      deletedAt: new Date(historyStart),
    });
    const later = (min: number) => whole.map((event) => ({ ...event, min: (event.min ?? 5) + min }));
    const first = await taken(one.id, one.versions[0]!, whole);
    const newest = await taken(one.id, one.versions[0]!, later(100));
    const open = await taken(one.id, one.versions[0]!, later(200).slice(0, -2));
    const other = await taken(two.id, two.versions[0]!, later(50));
    const { body } = await get(await onlyPerson());
    const ids = (rows: { session_id: string }[]) => rows.map((row) => row.session_id);
    expect(ids(body.latest_results)).toEqual([newest, other].map((id) => formatId("sess", id)));
    expect(body.latest_results[1].quiz_name).toBe("two");
    expect(ids(body.sessions)).toEqual([open, newest, other, first].map((id) => formatId("sess", id)));
    expect(body).toMatchObject({ returning: true, returning_count: 3, quizzes_taken_count: 2, completed_count: 3 });
  });

  it("reports a session idle for 30 minutes as left before the sweep has seen it [people.sessions]", async () => {
    const quiz = await insertQuiz(db(), store.uuid, [finderDocument]);
    const now = t.calendar.now();
    const { state } = reduced(...shortWay);
    const idle = (at: number) => ({ ...state, idle_at: at, last_event_at: at - 30 * minute });
    const base = { quizId: quiz.id, versionId: quiz.versions[0]!, startedAt: null };
    for (const at of [now, now + 1]) {
      const openedAt = at - 35 * minute;
      const id = await insertSession(db(), store.uuid, {
        ...base,
        openedAt,
        state: idle(at),
        lastEventAt: at - 30 * minute,
      });
      await resolveContacts(t.foundations, store.uuid, { [id]: [{ email: "a@x.test" }] });
    }
    const { sessions } = (await get(await onlyPerson())).body;
    expect(sessions).toMatchObject([
      { status: "in_progress", ended_at: null, completed_at: null },
      {
        status: "left",
        ended_at: new Date(now).toISOString(),
        started_at: new Date(now - 35 * minute).toISOString(),
      },
    ]);
  });

  it("lists the 1,000 newest sessions and orders, and tells that there are more [people.listed-newest]", async () => {
    const quiz = await insertQuiz(db(), store.uuid, [finderDocument]);
    await taken(quiz.id, quiz.versions[0]!, whole);
    const id = await onlyPerson();
    const copies = async (from: number, to: number) => {
      const key = "('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
      await db()
        .forStore(store.uuid)
        .all(sql`
    INSERT INTO sessions (store_id, id, number, visitor_id, quiz_id, version_id, profile_id, channel, device_class,
      device, preview, emits, is_returning, first_received_at, opened_at, last_event_at, status, state, facts)
    SELECT s.store_id, ${raw(key)}, 1000 + n, ${raw(key)}, s.quiz_id, s.version_id, s.profile_id, s.channel, s.device_class,
      s.device, false, false, false, s.first_received_at, s.opened_at - n * interval '1 day', s.last_event_at,
      'left', s.state, s.facts
    FROM sessions s JOIN generate_series(${from}::int, ${to}::int) AS n ON s.number < 1000 WHERE s.store_id = ${ownStore}`);
    };
    const told = async () => {
      const { sessions, truncated } = (await get(id)).body;
      return [sessions.length, truncated];
    };
    expect(await told()).toEqual([1, false]);
    await copies(1, 999);
    expect(await told()).toEqual([1_000, false]);
    await copies(1_000, 1_000);
    expect(await told()).toEqual([1_000, true]);
  });

  it("has no result page where the quiz ends without one [people.result-page]", async () => {
    const quiz = await insertQuiz(db(), store.uuid, [surveyDocument]);
    const state = { ...reduced(...whole).state, answers: [], terminal_page_key: "thanks", last_page_key: "thanks" };
    const openedAt = historyStart;
    const base = { quizId: quiz.id, versionId: quiz.versions[0]!, openedAt, completedAt: openedAt, state };
    const id = await insertSession(db(), store.uuid, { ...base, status: "completed" });
    await resolveContacts(t.foundations, store.uuid, { [id]: [{ email: "a@x.test" }] });
    expect((await get(await onlyPerson())).body.latest_results[0].result_page).toBeNull();
  });

  it("answers 404 for unknown, malformed, foreign, removed and merged people alike [people.removed]", async () => {
    const quiz = await insertQuiz(db(), store.uuid, [finderDocument]);
    await taken(quiz.id, quiz.versions[0]!, whole);
    const id = await onlyPerson();
    const other = await t.store();
    const refused = [
      await get(formatId("prof", randomUUID())),
      await get(id.toUpperCase()),
      await get(id.replace("prof_", "sess_")),
      await get("prof_%00"),
      await get(id, other.key),
    ];
    await db()
      .forStore(store.uuid)
      .all(sql`UPDATE profiles SET removed_at = ${new Date(historyStart)} WHERE store_id = ${ownStore}`);
    refused.push(await get(id));
    for (const answer of refused) {
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ title: "not_found", detail: "Not found" });
    }
  });

  it("needs a key with profiles:read, refuses parameters, takes GET only [people.access]", async () => {
    const path = formatId("prof", randomUUID());
    expect((await t.request("GET", `/v1/profiles/${path}`)).status).toBe(401);
    expect((await get(path, await t.key(store, ["quizzes:read"]))).body.required).toEqual(["profiles:read"]);
    const unknown = await get(`${path}?expand=orders`);
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, "query.expand"]);
    const removal = await t.request("DELETE", `/v1/profiles/${path}`, { key: store.key });
    expect([removal.status, removal.headers["allow"]]).toEqual([405, "GET, HEAD"]);
  });
});
