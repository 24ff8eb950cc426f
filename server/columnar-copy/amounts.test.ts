import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { openCopies } from "../../testkit/copies.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { shortWay } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send, sessionId } from "../../testkit/storefront.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ currency: "VND" });
  await t.update(store, { limits: { capacity: 1_000_000 } });
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  const sent = await send(t, store, quiz, recently(t, shortWay));
  expect(sent.body).toMatchObject({ rejected: [] });
});
afterAll(() => t.close());

const largest = "999999999999999";
const quantity = 2 ** 31 - 1;

it("counts the largest amounts that an order can have exactly, by either way into the copy [copy.exact-amounts]", async () => {
  const line = { price: largest, quantity, properties: [{ name: "_quiz_session", value: sessionId(1) }] };
  const orders = [1, 2, 3];
  for (const id of orders) {
    const given = { currency: "VND", total_price: largest, lines: [line, { ...line, product_id: null }] };
    const payload = shopOrder(id, t.calendar.now(), given);
    expect((await postWebhook(t, store, { topic: "orders/create", payload })).status).toBe(200);
  }
  const revenue = { amount: String(BigInt(largest) * 3n), currency: "VND" };
  const lines = (count: bigint) => ({ amount: String(BigInt(largest) * BigInt(quantity) * count), currency: "VND" });
  const directory = await mkdtemp(join(tmpdir(), "facts-amounts-"));
  for (const fewAtMost of [0, 2_000]) {
    const { database, calendar, log, elapsed } = t.foundations;
    const deps = { database, calendar, elapsed, log };
    const facts = await openCopies({ ...deps, directory: join(directory, String(fewAtMost)), fewAtMost });
    const app = t.compose({ facts });
    const ask = async (url: string) => {
      const answer = await app.inject({ method: "GET", url, headers: { authorization: `Bearer ${store.key}` } });
      expect([url, answer.statusCode]).toEqual([url, 200]);
      return answer.json();
    };
    expect(await ask("/v1/analytics/summary?period=7d")).toMatchObject({ revenue: { current: revenue } });
    const overview = await ask(`/v1/quizzes/${quiz.id}/analytics/overview?from=2026-03-10&to=2026-03-10`);
    expect(overview.totals).toMatchObject({ orders: 3, revenue, aov: { amount: largest } });
    expect(overview.totals.revenue_by_bucket.added_from_quiz).toEqual(lines(6n));
    const products = await ask("/v1/analytics/products?from=2026-03-10&to=2026-03-10");
    expect(products.rows).toMatchObject([{ units: quantity * 3, line_revenue: lines(3n) }]);
    const answers = await ask(`/v1/quizzes/${quiz.id}/analytics/answers?from=2026-03-10&to=2026-03-10`);
    expect(answers.options[0]).toMatchObject({ answer_orders: 3, answer_revenue: revenue });
    expect((await ask("/v1/profiles?has_order=true")).data).toEqual([]);
    await facts.close();
  }
  await rm(directory, { recursive: true, force: true });
});
