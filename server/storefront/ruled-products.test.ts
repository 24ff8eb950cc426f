import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RuledProducts } from "../../engine/document.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { postWebhook } from "../../testkit/commerce.ts";
import { choice, number, option, page, pick, products, quizDocument, ruled } from "../../testkit/document-parts.ts";
import { fieldInventoryItem, fieldProduct, fieldVariant } from "../../testkit/field/shopify-products.ts";
import { eventId } from "../../testkit/histories.ts";
import { inStore, TestPeople } from "../../testkit/members.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { send, sessionId, storedEvents } from "../../testkit/storefront.ts";
import { importCollections } from "../orders/collections.ts";
import { signPreview } from "../quizzes/public.ts";

/** Products by rule, from the platform's messages to the response that a shopper's browser gets. */

const people = new TestPeople();
let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp({ signedIn: people.signedIn });
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store({ currency: "EUR" });
});

const gid = (id: number) => `gid://shopify/Product/${id}`;
const variantGid = (id: number) => `gid://shopify/ProductVariant/${id}`;
const collection = (id: number) => `gid://shopify/Collection/${id}`;

const post = async (topic: string, payload: unknown) => {
  const { status } = await postWebhook(t, store, { topic, payload });
  expect([topic, status]).toEqual([topic, 200]);
};

let minute = 0;
/** A product's next message. */
const put = (id: number, more: Record<string, unknown> = {}, variant: Record<string, unknown> = {}) => {
  minute += 1;
  const updated_at = new Date(Date.parse("2026-03-01T10:00:00Z") + minute * 60_000).toISOString();
  return post("products/update", fieldProduct(id, [fieldVariant(id * 10, variant)], { updated_at, ...more }));
};

const documentOf = (...blocks: RuledProducts[]) => {
  const questions = [choice("skin", [option("dry"), option("oily")]), number("budget")];
  const picked = products("picked", [pick(gid(1))]);
  return quizDocument([page("ask", questions), page("result", [...blocks, picked], { kind: "result" })]);
};
const quizOf = (...blocks: RuledProducts[]) => makeQuiz(t, store, { document: documentOf(...blocks), publish: true });

const ask = (quiz: TestQuiz, more: Record<string, unknown> = {}) =>
  t.request("POST", `/storefront/v1/quizzes/${quiz.id}/products`, {
    body: { store: store.publishableKey, version_id: quiz.versionId, block_keys: ["best"], ...more },
  });
const shown = async (quiz: TestQuiz, more: Record<string, unknown> = {}): Promise<string[]> => {
  const { body } = await ask(quiz, more);
  return body.blocks[0].products.map(({ product_id }: { product_id: string }) => product_id);
};

describe("products by rule [storefront.ruled-products]", () => {
  it("are chosen from the catalog for the answers given, with their reasons and as shoppers see them", async () => {
    await put(1, { tags: "dry, night" });
    await put(2, { tags: "oily" });
    await put(3, { tags: "dry" }, { price: "80.00" });
    const dry = { component_key: "skin", op: "in" as const, option_ids: ["dry"] };
    const quiz = await quizOf(
      ruled("best", {
        from: { price: { max: { component_key: "budget" } } },
        rules: [
          { rule_key: "dry", when: dry, match: { tags_any: ["DRY"] }, effect: "include" },
          { rule_key: "night", when: null, match: { tags_any: ["night"] }, effect: "score", score: 3 },
        ],
      }),
      ruled("all", { order: "price_desc", limit: 1 }),
    );
    const answers = { skin: { option_ids: ["dry"] }, budget: { value: 50 }, gone: { value: "x" } };
    const { status, body, headers } = await ask(quiz, { answers, block_keys: ["best", "all", "picked", "unheard"] });
    expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
    const chosen = { position: 1, source: "rules" };
    expect(body.blocks).toEqual([
      {
        block_key: "best",
        products: [{ product_id: gid(1), variant_id: variantGid(10), ...chosen, reasons: ["dry", "night"] }],
        rule_keys: ["dry", "night"],
      },
      {
        block_key: "all",
        products: [{ product_id: gid(3), variant_id: variantGid(30), ...chosen, reasons: [] }],
        rule_keys: [],
      },
    ]);
    const live = await t.request("GET", `/storefront/v1/quizzes/${quiz.id}?store=${store.publishableKey}`);
    expect(body.catalog.map(({ product_id }: { product_id: string }) => product_id)).toEqual([gid(1), gid(3)]);
    expect(body.catalog[0]).toEqual(live.body.catalog[0]);
    // without the answers: nothing narrows, and invalid ones are no answers
    const all = [gid(1), gid(3), gid(2)];
    expect(await shown(quiz)).toEqual(all);
    expect(await shown(quiz, { answers: { skin: { option_ids: ["unheard"] }, budget: { value: "50" } } })).toEqual(all);
  });

  it("follow every message at once: price, stock, state, a deletion, collections, the shop's setting [storefront.ruled-catalog]", async () => {
    const quiz = await quizOf(ruled("best", { from: { price: { max: "50" } } }));
    const member = await quizOf(ruled("best", { from: { collections: [collection(5)] } }));
    await put(1);
    await put(2);
    expect(await shown(quiz)).toEqual([gid(2), gid(1)]);
    await put(2, {}, { price: "50.01" });
    expect(await shown(quiz)).toEqual([gid(1)]);
    await put(2);
    await put(1, {}, { inventory_quantity: 0 });
    // whether its stock is counted is unknown
    expect(await shown(quiz)).toEqual([gid(2), gid(1)]);
    await post("inventory_items/update", fieldInventoryItem(7_000_010, true, "2026-03-03T10:00:00Z"));
    expect(await shown(quiz)).toEqual([gid(2)]);
    for (const status of ["draft", "archived"]) {
      await put(2, { status });
      expect([status, await shown(quiz)]).toEqual([status, []]);
    }
    await put(2, { status: "unlisted" });
    expect(await shown(quiz)).toEqual([gid(2)]);
    await put(2, { published_at: null });
    expect(await shown(quiz)).toEqual([]);
    const olga = inStore(people.add("Olga", { in: [[store, "owner"]] }), store);
    const setting = { headers: olga, body: { sells_without_online_store: true } };
    expect((await t.request("PATCH", "/dashboard/api/settings", setting)).status).toBe(200);
    expect(await shown(quiz)).toEqual([gid(2)]);
    const lines = [{ collection_id: 5, title: "New", product_ids: [2, 3] }];
    expect(await shown(member)).toEqual([]);
    await t.database.transaction((tx) => importCollections(tx.forStore(store.uuid), lines));
    expect(await shown(member)).toEqual([gid(2)]);
    await put(3);
    expect(await shown(member)).toEqual([gid(3), gid(2)]);
    await post("products/delete", { id: 3 });
    await post("products/delete", { id: 2 });
    expect(await shown(member)).toEqual([]);
  });

  it("of a preview link are those of its draft", async () => {
    await put(1, { tags: "gift" });
    await put(2);
    const quiz = await quizOf(ruled("best"));
    const { secrets } = t.foundations;
    const expires = t.calendar.now() + 3_600_000;
    const token = signPreview(secrets, { storeId: store.uuid, quizId: quiz.uuid, versionId: null, expires });
    const asked = (path: string) =>
      t.request("POST", `/storefront/v1/previews/${path}/products`, { body: { block_keys: ["best"] } });
    const numbers = async () =>
      (await asked(token)).body.blocks[0].products.map(({ product_id }: { product_id: string }) => product_id);
    expect(await numbers()).toEqual([gid(2), gid(1)]);
    await makeQuiz(t, store, {
      document: documentOf(ruled("best", { from: { tags_any: ["gift"] } })),
      quizId: quiz.id,
    });
    expect(await numbers()).toEqual([gid(1)]);
    expect((await asked(`${token}x`)).status).toBe(404);
  });

  it("are reported with the rules that chose them, and as none; rules of no version are dropped [storefront.known-pages]", async () => {
    await put(1);
    const rule = { rule_key: "all", when: null, match: {}, effect: "include" as const };
    const quiz = await quizOf(ruled("best", { rules: [rule] }));
    const shown = (seq: number, fields: object) => ({
      ...{ id: eventId(seq), seq, at: new Date(t.calendar.now()).toISOString() },
      ...{ type: "products_shown", page_key: "result", block_key: "best", ...fields },
    });
    const product = { product_id: gid(1), variant_id: variantGid(10), position: 1, source: "rules" };
    const events = [
      shown(1, { products: [product], rule_keys: ["all", "invented", "all"] }),
      shown(2, { products: [], rule_keys: [] }),
      shown(3, { block_key: "picked", products: [{ product_id: gid(1) }], rule_keys: ["all"] }),
    ];
    const { body } = await send(t, store, quiz, events);
    expect(body).toEqual({ accepted: 3, duplicates: 0, rejected: [] });
    const stored = await storedEvents(t, store, sessionId(1));
    const of = (block_key: string) => ({ page_key: "result", block_key });
    expect(stored.map(({ data }) => data)).toEqual([
      { ...of("best"), products: [product], rule_keys: ["all"] },
      { ...of("best"), products: [], rule_keys: [] },
      { ...of("picked"), products: [{ product_id: gid(1) }], rule_keys: [] },
    ]);
  });

  it("are a 404 of another quiz's version, shop or plan, and a 422 of a malformed request", async () => {
    const quiz = await quizOf(ruled("best"));
    const other = await quizOf(ruled("best"));
    const stranger = await t.store();
    const unknown = `ver_${"0".repeat(32)}`;
    for (const more of [{ version_id: other.versionId }, { version_id: unknown }, { store: stranger.publishableKey }])
      expect([more, (await ask(quiz, more)).status]).toEqual([more, 404]);
    expect((await ask({ ...quiz, id: "quiz_x" })).status).toBe(404);
    const many = Array.from({ length: 21 }, (_, index) => `b${index}`);
    for (const [more, field] of [
      [{ version_id: "x" }, "body.version_id"],
      [{ block_keys: undefined }, "body.block_keys"],
      [{ block_keys: many }, "body.block_keys"],
      [{ answers: [] }, "body.answers"],
      [{ answers: { skin: 7 } }, "body.answers.skin"],
    ] as const) {
      const { status, body } = await ask(quiz, more);
      expect([more, status, body.errors?.[0]?.field]).toEqual([more, 422, field]);
    }
    store = await t.store({ plan: "other" });
    expect((await ask(await quizOf(ruled("best")))).status).toBe(404);
  });

  it("of a catalog without products, or beyond what the shop has, are none", async () => {
    const quiz = await quizOf(ruled("best", { fallback: { from: { tags_any: ["gift"] }, limit: 2 } }));
    expect((await ask(quiz)).body).toEqual({
      blocks: [{ block_key: "best", products: [], rule_keys: [] }],
      catalog: [],
    });
  });
});
