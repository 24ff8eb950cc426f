import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { createEndpoint } from "../../testkit/endpoints.ts";
import { bareHostileStrings, heldText, holdable, hostileStrings } from "../../testkit/hostile-strings.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { send, sessionId, sessionRow, visitorId } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { exportQuiz } from "../quizzes/operators.ts";
import { createKey, createStore } from "../stores/admin.ts";

/** Every hostile text through every field that takes one: no 500, no stack, kept as the guide says [api.texts]. */

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;

const asked = {
  pages: [
    {
      page_key: "only",
      title: "Only",
      kind: "question",
      skippable: false,
      visible_when: null,
      components: [
        { kind: "text", component_key: "words", question: "Words?", required: false, max_length: 10_000 },
        { kind: "email", component_key: "mail", question: "Mail?", required: false, consent: null },
        { kind: "phone", component_key: "tel", question: "Phone?", required: false, consent: null },
      ],
    },
  ],
  jump_rules: [],
  dimensions: [],
  property_mappings: [],
};

beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
  await t.update(store, { limits: { capacity: 1_000_000, leak_per_second: 100_000 } });
  quiz = await makeQuiz(t, store, { document: asked, publish: true });
}, 60_000);
afterAll(() => t.close());

interface Seen {
  status: number;
  text: string;
}

/** Nothing of ours broke, and nothing of ours is told. */
function expectSound(where: string, text: string, { status, text: body }: Seen): void {
  const told = status >= 500 || /\n\s+at \w|node_modules|SELECT |TypeError/.test(body) ? body.slice(0, 300) : "";
  expect([where, JSON.stringify(text).slice(0, 80), status >= 500, told]).toEqual([
    where,
    expect.anything(),
    false,
    "",
  ]);
}

const eventId = (session: number, number: number): string =>
  `evt_${session.toString(16).padStart(8, "0")}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
describe("hostile strings", () => {
  it("are as many as promised, each once", () => {
    expect(hostileStrings.length).toBeGreaterThanOrEqual(550);
  });

  it("are kept as answers by the storefront, and spoil no question that is asked afterwards [api.texts]", async () => {
    const db = t.database.reader();
    for (const [index, text] of bareHostileStrings.entries()) {
      t.passTime(60_000);
      const session = { id: sessionId(index + 1), visitor_id: visitorId(index + 1) };
      const at = new Date(t.calendar.now() - 1_000).toISOString();
      const saved = { at, type: "answer_saved", page_key: "only" };
      const own = [
        { id: eventId(index, 1), seq: 0, ...saved, component_key: "words", value: text },
        { id: eventId(index, 2), seq: 1, ...saved, component_key: "mail", value: text },
        { id: eventId(index, 3), seq: 2, ...saved, component_key: "tel", value: text },
      ];
      const answer = await send(t, store, quiz, own, { session });
      expectSound("answers", text, answer);
      expect([answer.status, answer.body.accepted + answer.body.rejected.length]).toEqual([202, 3]);
      const refused: string[] = answer.body.rejected.map(({ id }: { id: string }) => id);
      const rows = await db.forStore(store.uuid).all<{ value: string }>(sql`
  SELECT data ->> 'value' AS value FROM session_events
  WHERE store_id = ${ownStore} AND session_id = ${parseId("sess", session.id)} AND type = 'answer_saved' AND data ->> 'component_key' = 'words'`);
      expect(rows).toEqual(refused.includes(eventId(index, 1)) ? [] : [{ value: heldText(text) }]);
      // around the answers
      const utm = { source: text, medium: text, campaign: text, content: text, term: text };
      const about = { placement: text, page_url: `https://a.example/${text}`, referrer: text, utm };
      const opened = { id: eventId(index, 4), seq: 0, at, type: "quiz_opened" };
      const other = { id: sessionId(10_000 + index), visitor_id: visitorId(10_000 + index), ...about };
      expectSound("facts", text, await send(t, store, quiz, [opened], { session: other, headers: {} }));
      const odd = { ...opened, id: eventId(index, 5), type: text, page_key: text, component_key: text, cause: text };
      expectSound("keys", text, await send(t, store, quiz, [odd], { session: { ...other, channel: text } }));
    }
    for (const path of [
      "/v1/profiles?limit=100",
      "/v1/analytics/overview",
      ...["utm_campaign", "placement", "page_url", "referrer_host"].map(
        (by) => `/v1/quizzes/${quiz.id}/analytics/traffic?by=${by}&limit=1000`,
      ),
      "/v1/analytics/breakdown?by=channel",
    ]) {
      t.passTime(60_000);
      const answer = await t.request("GET", path, { key: store.key });
      expect([path, answer.status]).toEqual([path, 200]);
    }
    expect((await sessionRow(t, store, sessionId(1)))?.state).toBeDefined();
  }, 180_000);

  it("are given back by /v1 as they were sent, or refused by the field [api.texts]", async () => {
    const { id } = await createEndpoint(t, store);
    const ask = async (method: "GET" | "POST" | "PATCH", path: string, text: string, body?: object) => {
      t.passTime(60_000);
      const answer = await t.request(method, path, { key: store.key, ...(body ? { body } : {}) });
      expectSound(path.slice(0, 40), text, answer);
      return answer;
    };
    for (const text of bareHostileStrings) {
      const label = await ask("POST", `/v1/quizzes/${quiz.id}/versions`, text, { label: text });
      expect([201, 422]).toContain(label.status);
      if (label.status === 201) expect(label.body.label).toBe(text.toWellFormed());
      const described = await ask("PATCH", `/v1/webhooks/${id}`, text, { description: text });
      if (described.status === 200) expect(described.body.description).toBe(text.toWellFormed());
      else expect([described.status, !text.includes("\u0000") && text.length <= 200]).toEqual([422, false]);
      await ask("PATCH", `/v1/webhooks/${id}`, text, { url: text, topics: [text], quiz_ids: [text] });
      const kind = { quiz_id: quiz.id, kind: "text", page_key: "only", component_key: "words" };
      for (const op of ["contains", "equals", "matches"]) {
        const search = { groups: [{ all: [{ ...kind, op, value: text }] }] };
        expect([200, 422]).toContain((await ask("POST", "/v1/profiles/search", text, search)).status);
      }
      const q = encodeURIComponent(text.toWellFormed()).slice(0, 2_000).replace(/%\w?$/, "");
      for (const path of [
        `profiles?q=${q}`,
        `events?type=${q}`,
        `quizzes/${q}`,
        `analytics/overview?tz=${q}&cursor=${q}`,
      ]) {
        await ask("GET", `/v1/${path}`, text);
      }
    }
  }, 240_000);

  it("are taken from the commerce platform's messages without their unstorable parts [orders.content]", async () => {
    for (const [index, text] of bareHostileStrings.entries()) {
      t.passTime(60_000);
      const order = shopOrder(index + 1, t.calendar.now() - 1_000);
      const line = {
        id: 1,
        title: text,
        name: text,
        product_id: text,
        quantity: 1,
        price: "1.00",
        properties: [{ name: text, value: text }],
      };
      const around = { name: text, email: text, phone: text, note: text, currency: text, line_items: [line] };
      const attributes = {
        note_attributes: [
          { name: text, value: text },
          { name: "_quiz_session", value: text },
        ],
      };
      for (const [topic, payload] of [
        ["orders/create", { ...order, ...around, currency: "USD", ...attributes }],
        ["orders/updated", { ...order, ...around }],
        [
          "products/create",
          {
            id: index + 1,
            title: text,
            handle: text,
            image: { src: text },
            variants: [{ id: 1, title: text, price: text }],
          },
        ],
        ["shop/update", { currency: text, iana_timezone: text, name: "Shop" }],
        ["orders/create", { id: text, created_at: text }],
      ] as const) {
        expectSound(topic, text, await postWebhook(t, store, { topic, payload }));
      }
    }
    const titles = await t.database
      .reader()
      .forStore(store.uuid)
      .all<{ title: string }>(sql`SELECT title FROM products WHERE store_id = ${ownStore}`);
    expect(titles.length).toBeGreaterThan(100);
    expect(titles.every(({ title }) => holdable(title))).toBe(true);
  }, 240_000);

  it("are kept in documents, names and keys, or refused in a sentence [api.texts, command-line.stores]", async () => {
    const facts = { plan: "plus", timezone: "UTC", currency: "EUR" };
    for (const [index, text] of bareHostileStrings.entries()) {
      const [page] = asked.pages;
      const document = { ...asked, pages: [{ ...page, title: text }] };
      const name = `Hostile ${text}`;
      const made = await makeQuiz(t, store, { document, name }).catch((error: Error) => error);
      if (made instanceof Error)
        expect([holdable(text) && name.trim().length <= 200, made.message]).toEqual([false, expect.any(String)]);
      else {
        const kept = await exportQuiz(t.database.reader(), made.id);
        expect(kept).toMatchObject({ name: name.trim(), document: { pages: [{ title: text }] } });
      }
      const stored = await t.database
        .transaction(async (tx) => {
          const key = await createKey(tx, t.foundations, store.uuid, { name: text, scopes: ["quizzes:read"] });
          const own = { name: `S ${text}`, shopDomain: `hostile-${index}.example.com`, ...facts };
          return [key, await createStore(tx, t.foundations, own)];
        })
        .catch((error: Error) => error);
      if (stored instanceof Error) expect(stored).toBeInstanceOf(OperatorError);
    }
  }, 120_000);

  it("make no line of the log more than one [operations.logs]", () => {
    expect(t.logged.length).toBeGreaterThan(0);
    for (const line of t.logged) {
      expect([line.trimEnd().includes("\n"), typeof JSON.parse(line)]).toEqual([false, "object"]);
    }
  });
});
