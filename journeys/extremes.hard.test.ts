import fc from "fast-check";
import { expect, it } from "vitest";
import { splitNames } from "../contract/analytics-filters.ts";
import {
  buckets,
  cohorts,
  comparisonSorts,
  directions,
  periods,
  productSorts,
  trafficDimensions,
} from "../contract/analytics-values.ts";
import { eventTopics } from "../contract/events.ts";
import type { QuizDocument } from "../engine/document.ts";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import { openTestApp, type TestApp, type TestStore } from "../testkit/app.ts";
import { postWebhook } from "../testkit/commerce.ts";
import { checkShape, deliveriesOf, handOverDue, insertEndpoint } from "../testkit/deliveries.ts";
import { exported } from "../testkit/export-files.ts";
import {
  currencies,
  extremeDocument,
  extremeEvents,
  extremeOrder,
  extremeProduct,
  extremeSearches,
  storedNumbers,
} from "../testkit/extremes.ts";
import { makeQuiz, type TestQuiz } from "../testkit/quizzes.ts";
import { send, sessionId, visitorId } from "../testkit/storefront.ts";

/** Whatever the intake takes, every question can answer: documents, events, orders and products at their bounds. */

/** more of them with EXTREME_RUNS */
const numRuns = Number(process.env["EXTREME_RUNS"] ?? 2);
const sessions = 8;
const orders = 6;

const sampled = <Value>(arbitrary: fc.Arbitrary<Value>, seed: number): Value =>
  fc.sample(arbitrary, { seed, numRuns: 1 })[0] as Value;

interface Shop {
  t: TestApp;
  store: TestStore;
  quiz: TestQuiz;
}

/** What is refused is no matter here; what is taken must be answerable. */
async function fill({ t, store, quiz }: Shop, document: QuizDocument, seed: number): Promise<void> {
  for (let number = 1; number <= sessions; number++) {
    const events = sampled(extremeEvents(document, t.calendar.now(), number), seed + number);
    const session = { id: sessionId(number), visitor_id: visitorId(number % 5), ...events.session };
    const { status, text } = await send(t, store, quiz, events.events, { session });
    expect([status === 202 || status === 422, status, text]).toEqual([true, status, text]);
    t.passTime(60_000);
  }
  for (let number = 1; number <= orders; number++) {
    const order = sampled(extremeOrder(number, t.calendar.now()), seed + number);
    const { status } = await postWebhook(t, store, { topic: "orders/create", payload: order });
    expect([200, 422]).toContain(status);
    const product = sampled(extremeProduct(number), seed + number);
    expect([200, 422]).toContain((await postWebhook(t, store, { topic: "products/update", payload: product })).status);
  }
}

const query = (parts: Record<string, string>): string => new URLSearchParams(parts).toString();

function questionsOf({ quiz }: Shop, keys: readonly string[], tz: string): string[] {
  const range = { from: "2026-03-01", to: "2026-03-10", tz };
  const ofQuiz = `/v1/quizzes/${quiz.id}/analytics`;
  const each = <Value extends string>(path: string, name: string, values: readonly Value[], more = {}) =>
    values.map((value) => `${path}?${query({ ...range, ...more, [name]: value })}`);
  return [
    ...periods.map((period) => `/v1/analytics/summary?${query({ period, tz })}`),
    ...comparisonSorts.flatMap((sort) => each("/v1/analytics/quizzes", "dir", directions, { sort })),
    ...["/v1/analytics", ofQuiz].flatMap((path) => [
      `${path}/overview?${query(range)}`,
      ...each(`${path}/breakdown`, "by", splitNames),
      ...each(`${path}/products`, "sort", productSorts),
      ...each(`${path}/products`, "bucket", buckets),
    ]),
    `${ofQuiz}/funnel?${query(range)}`,
    `${ofQuiz}/funnel?${query({ ...range, device: "other", country: "unknown", new_returning: "new" })}`,
    ...each(`${ofQuiz}/paths`, "cohort", cohorts),
    ...each(`${ofQuiz}/traffic`, "by", trafficDimensions),
    `${ofQuiz}/answers?${query(range)}`,
    ...each(`${ofQuiz}/answers`, "component_key", keys),
    `/v1/quizzes/${quiz.id}`,
    `/v1/profiles?${query({ q: "a", limit: "100" })}`,
    "/v1/profiles?has_order=true&is_returning=false",
  ];
}

async function askAll(shop: Shop, keys: readonly string[], searches: readonly object[], tz: string): Promise<void> {
  const { t, store } = shop;
  for (const path of questionsOf(shop, keys, tz)) {
    const { status, text } = await t.request("GET", path, { key: store.key });
    expect([path, status, status === 200 ? "" : text]).toEqual([path, 200, ""]);
  }
  const { body: people } = await t.request("GET", "/v1/profiles?limit=100", { key: store.key });
  for (const { id } of people.data) {
    const { status, text } = await t.request("GET", `/v1/profiles/${id}`, { key: store.key });
    expect([id, status, status === 200 ? "" : text]).toEqual([id, 200, ""]);
  }
  for (const body of searches) {
    const { status, text } = await t.request("POST", "/v1/profiles/search", { key: store.key, body });
    expect([body, status, status === 200 ? "" : text]).toEqual([body, 200, ""]);
  }
  for (const dataset of ["profiles", "responses", "quiz_analytics"]) {
    for (const format of ["csv", "json"]) {
      const text = await exported(t, store, {
        dataset,
        format,
        ...(dataset === "profiles" ? {} : { quiz_id: shop.quiz.id }),
      });
      if (format === "json") expect(Array.isArray(JSON.parse(text).items)).toBe(true);
      t.calendar.advance(1_000);
    }
  }
}

/** Numbers that were stored before there were bounds, in place of what the sessions answered. */
async function storeNumbers({ t, store }: Shop): Promise<void> {
  for (const [index, value] of storedNumbers.entries()) {
    await t.database
      .reader()
      .forStore(store.uuid)
      .all(sql`UPDATE sessions SET facts = jsonb_set(facts::jsonb, '{n}', (SELECT coalesce(jsonb_agg(jsonb_set(e, '{1}', ${JSON.stringify(value)}::jsonb)), '[]')
              FROM jsonb_array_elements(facts::jsonb -> 'n') AS e))::text
            WHERE store_id = ${ownStore} AND facts::jsonb ? 'n' AND number % ${storedNumbers.length} = ${index}`);
  }
}

async function run(seed: number): Promise<void> {
  const t = await openTestApp();
  try {
    const store = await t.store({ currency: sampled(fc.constantFrom(...currencies), seed) });
    await t.update(store, { limits: { capacity: 1_000_000 } });
    const topics = eventTopics.filter((topic) => topic !== "identity.captured");
    const endpoints = [await insertEndpoint(t, store), await insertEndpoint(t, store, { includePii: false, topics })];
    const document = sampled(extremeDocument, seed);
    const quiz = await makeQuiz(t, store, { document, publish: true });
    const shop = { t, store, quiz };
    await fill(shop, document, seed);
    await storeNumbers(shop);
    const keys = document.pages.flatMap(({ components }) =>
      components.flatMap((one) =>
        ["choice", "image", "number"].includes(one.kind) && "component_key" in one ? [one.component_key] : [],
      ),
    );
    const tz = sampled(fc.constantFrom("UTC", "Pacific/Apia", "America/St_Johns", "Asia/Kathmandu"), seed);
    await askAll(shop, keys, extremeSearches(quiz.id, document), tz);
    t.calendar.advance(31 * 60_000);
    await handOverDue(t);
    for (const endpoint of endpoints) {
      const deliveries = await deliveriesOf(t, store, endpoint);
      expect(deliveries.length).toBeGreaterThan(0);
      for (const { envelope } of deliveries) checkShape(envelope);
    }
  } finally {
    await t.close();
  }
}

it(
  "answers every question, search, export and payload, whatever documents, events and orders it took",
  async () => {
    const seeds = fc.noShrink(fc.nat(2 ** 31 - 1_000));
    await fc.assert(fc.asyncProperty(seeds, run), { numRuns });
  },
  60_000 + numRuns * 60_000,
);
