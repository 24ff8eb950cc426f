import { randomBytes, randomUUID } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { listen } from "../../testkit/raw-http.ts";
import { send } from "../../testkit/storefront.ts";

/** Figures whose sources hold contacts, for those who may see people and for those who may not. */

let t: TestApp;
let url: string;
let store: TestStore;
let quiz: TestQuiz;
let analyst: Browser;
let owner: Browser;
let figuresKey: string;
const day = "2026-03-05";

const newId = (prefix: string) => `${prefix}_${randomBytes(16).toString("hex")}`;
const contacts = ["ada@example.com", "bob%40example.com", "+49 30 9011558", "%2B49309011559"];
/** the first of them came twice, by the same visitor */
const ada = newId("vis");

async function visit(contact: string, visitor_id: string) {
  const address = `https://shop.example/for/${encodeURI(contact)}`;
  const utm = { source: contact, medium: contact, campaign: `for ${contact}`, content: contact, term: contact };
  const facts = { id: newId("sess"), visitor_id, placement: contact, page_url: address, utm };
  const at = new Date(t.calendar.now()).toISOString();
  const answer = await send(t, store, quiz, [{ id: `evt_${randomUUID()}`, seq: 0, at, type: "quiz_opened" }], {
    session: facts,
  });
  expect([answer.status, answer.body.rejected]).toEqual([202, []]);
}

beforeAll(async () => {
  t = await openTestApp();
  url = `http://127.0.0.1:${await listen(t.app)}`;
  t.calendar.advance(Date.parse(`${day}T12:00:00Z`) - t.calendar.now());
  store = await t.store({ plan: "enterprise" });
  await t.update(store, { limits: { capacity: 1_000_000, leak_per_second: 1_000 } });
  quiz = await makeQuiz(t, store, { publish: true });
  for (const contact of contacts) await visit(contact, ada);
  await visit(contacts[0] ?? "", newId("vis"));
  await visit("spring", newId("vis"));
  figuresKey = await t.key(store, ["analytics:read", "quizzes:read", "webhooks:manage"]);
  analyst = await signedIn(t, "analyst@figures.example", { store, role: "analyst" });
  owner = await signedIn(t, "owner@figures.example", { store, role: "owner" });
  t.calendar.advance(60_000);
}, 60_000);
afterAll(() => t.close());
beforeEach(() => t.passTime(600_000));

const dimensions = ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term", "page_url", "placement"];
const path = (by: string, limit = 25) =>
  `/v1/quizzes/${quiz.id}/analytics/traffic?from=${day}&to=${day}&by=${by}&limit=${limit}`;
const byKey = (key: string, of: string, headers: Record<string, string> = {}) => {
  t.passTime(20_000);
  return t.request("GET", of, { key, headers });
};
const leak = /ada|bob|example\.com|9011558|9011559/;
const views = (rows: Body[]) => Object.fromEntries(rows.map((row) => [row.value, [row.views, row.unique_viewers]]));

describe("sources that hold contacts [api.masked-contacts]", () => {
  it.for(dimensions)("are masked and added up by %s, for keys and people without the right", async (by) => {
    const whole = (await byKey(store.key, path(by))).body;
    expect(whole.rows).toHaveLength(5);
    expect(JSON.stringify(whole.rows)).toMatch(leak);
    const asked = [(await byKey(figuresKey, path(by))).body, (await analyst.request("GET", path(by), { store })).body];
    const wrap = (mask: string) =>
      ({ utm_campaign: `for ${mask}`, page_url: `https://shop.example/for/${mask}` })[by] ?? mask;
    for (const masked of asked) {
      expect(JSON.stringify(masked)).not.toMatch(leak);
      expect(views(masked.rows)).toEqual({
        [wrap("[email]")]: [3, 2],
        [wrap("[phone]")]: [2, 1],
        [wrap("spring")]: [1, 1],
      });
      expect(masked.other.views).toBe(0);
    }
    const [first] = (await byKey(figuresKey, path(by, 1))).body.rows;
    expect([first.value, first.views, first.unique_viewers]).toEqual([wrap("[email]"), 3, 2]);
    expect(views((await owner.request("GET", path(by), { store })).body.rows)).toEqual(views(whole.rows));
  });

  it("are never told from an answer that was kept for somebody else, in either order", async () => {
    for (const keys of [
      [store.key, figuresKey, store.key],
      [figuresKey, store.key, figuresKey],
    ]) {
      const by = keys[0] === store.key ? "utm_source" : "utm_medium";
      for (const key of keys) {
        const { body, headers } = await byKey(key, path(by, 7));
        expect([key === store.key, leak.test(JSON.stringify(body.rows))]).toEqual([
          key === store.key,
          key === store.key,
        ]);
        // nor by its tag
        const other = key === store.key ? figuresKey : store.key;
        const again = await byKey(other, path(by, 7), { "if-none-match": String(headers["etag"]) });
        expect(again.status).toBe(200);
        expect((await byKey(key, path(by, 7), { "if-none-match": String(headers["etag"]) })).status).toBe(304);
      }
    }
  });

  it("are masked in an assistant's tools", async () => {
    for (const [key, sees] of [
      [store.key, true],
      [figuresKey, false],
    ] as const) {
      t.passTime(20_000);
      const client = new Client({ name: "test", version: "1" });
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
      const input = { of: "sources", quiz_id: quiz.id, by: "utm_source", from: day, to: day };
      const { content } = await client.callTool({ name: "read_breakdown", arguments: input });
      await client.close();
      expect([sees, leak.test(JSON.stringify(content))]).toEqual([sees, sees]);
    }
  });
});
