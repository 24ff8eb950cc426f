import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { type Posted, postWebhook } from "../../testkit/commerce.ts";
import { page, pick, products, quizDocument } from "../../testkit/document-parts.ts";
import {
  fieldInventoryItem,
  fieldProduct,
  fieldShop,
  fieldVariant,
  manyVariants,
  uncounted,
} from "../../testkit/field/shopify-products.ts";
import { inStore, TestPeople } from "../../testkit/members.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { catalogEntries, importProducts } from "./catalog.ts";

/** Products as current versions of the platform send them, from the message to what shoppers and editors see. */

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

const post = async (topic: string, payload: unknown, more: Partial<Posted> = {}) => {
  const { status, text } = await postWebhook(t, store, { topic, payload, ...more });
  expect([topic, status, text]).toEqual([topic, 200, "{}"]);
};
const sentAt = (at: string) => ({ headers: { "x-shopify-triggered-at": at } });
const gid = (number: number) => `gid://shopify/Product/${number}`;
const variantGid = (number: number) => `gid://shopify/ProductVariant/${number}`;

/** What shoppers' browsers get of the picked products. */
async function offered(...picks: ReturnType<typeof pick>[]) {
  const document = quizDocument([page("result", [products("picks", picks)], { kind: "result" })]);
  const quiz = await makeQuiz(t, store, { document, publish: true });
  const { body } = await t.request("GET", `/storefront/v1/quizzes/${quiz.id}?store=${store.publishableKey}`);
  return body.catalog as { product_id: string; variants: { variant_id: string; available: boolean | null }[] }[];
}

describe("what can be bought", () => {
  const available = async (number = 7) => (await offered(pick(gid(number))))[0]?.variants[0]?.available;
  const item = (tracked: boolean, minute: number) =>
    fieldInventoryItem(7_000_071, tracked, `2026-02-03T10:${String(minute).padStart(2, "0")}:00-05:00`);

  it("is unknown of what has no stock until the shop says whether it counts it [orders.availability]", async () => {
    await post("products/create", fieldProduct(7, [fieldVariant(71, uncounted)]));
    expect(await available()).toBeNull();
    await post("inventory_items/update", item(true, 1));
    expect(await available()).toBe(false);
    await post("inventory_items/update", item(false, 2));
    expect(await available()).toBe(true);
    // an older message, and one that says nothing of it
    await post("inventory_items/update", item(true, 1));
    await post("inventory_items/update", { id: 7_000_071, updated_at: "2026-02-04T10:00:00Z" });
    expect(await available()).toBe(true);
    // the product's next message takes none of it away
    await post(
      "products/update",
      fieldProduct(7, [fieldVariant(71, uncounted)], { updated_at: "2026-02-05T10:00:00Z" }),
    );
    expect(await available()).toBe(true);
    const { status, body } = await postWebhook(t, store, {
      topic: "inventory_items/update",
      payload: { tracked: true },
    });
    expect([status, body.errors[0].field]).toEqual([422, "body.id"]);
  });

  it("is known of counted stock, whichever message came first [orders.availability]", async () => {
    await post("inventory_items/update", item(true, 1));
    for (const [fields, can] of [
      [{}, true],
      [{ inventory_quantity: 0 }, false],
      [{ inventory_quantity: -3 }, false],
      [{ inventory_quantity: 0, inventory_policy: "continue" }, true],
      [{ inventory_quantity: null }, null],
      // a program that sends what versions before 2024-07 sent
      [{ inventory_quantity: 0, inventory_management: null }, true],
      [{ inventory_quantity: 0, inventory_management: "shopify", inventory_item_id: null }, false],
    ] as const) {
      store = await t.store({ currency: "EUR" });
      await post("inventory_items/update", item(true, 1));
      await post("products/create", fieldProduct(7, [fieldVariant(71, fields)]));
      expect([fields, await available()]).toEqual([fields, can]);
    }
  });

  it("does not believe a program before that took uncounted stock for none [orders.availability]", async () => {
    await post(
      "products/create",
      fieldProduct(7, [fieldVariant(71, { ...uncounted, inventory_management: "shopify" })]),
    );
    expect(await available()).toBe(false);
    await t.database.transaction((tx) =>
      tx.forStore(store.uuid).all(sql`UPDATE product_variants SET stock = NULL WHERE store_id = ${ownStore}`),
    );
    expect(await available()).toBeNull();
  });
});

describe("a product that the shop does not show", () => {
  const shown = async () => {
    const mira = inStore(people.add("Mira", { in: [[store, "editor"]] }), store);
    const found = await t.request("GET", "/dashboard/api/catalog", { headers: mira });
    const entries = await t.database.transaction((tx) => catalogEntries(tx.forStore(store.uuid), [gid(1), gid(2)]));
    return {
      shoppers: (await offered(pick(gid(1)), pick(gid(2)))).map(({ product_id }) => product_id),
      editors: found.body.data.map(({ product_id }: { product_id: string }) => product_id),
      in_store: [entries.get(gid(1))?.in_store, entries.get(gid(2))?.in_store],
    };
  };
  const all = { shoppers: [gid(1), gid(2)], editors: [gid(1), gid(2)], in_store: [true, true] };
  const second = { shoppers: [gid(2)], editors: [gid(2)], in_store: [false, true] };

  it("is as if it did not have it: archived, draft, unpublished; unlisted it stays [orders.in-shop]", async () => {
    await post("products/create", fieldProduct(2, [fieldVariant(21)]));
    const states = [
      [{ status: "archived" }, second],
      [{ status: "draft" }, second],
      [{ status: "DRAFT" }, second],
      [{ published_at: null }, second],
      [{ status: "unlisted" }, all],
      [{ status: undefined, published_at: undefined }, all],
      [{}, all],
    ] as const;
    for (const [index, [state, expected]] of states.entries()) {
      const updated_at = `2026-02-1${index}T10:00:00Z`;
      await post("products/update", fieldProduct(1, [fieldVariant(11)], { ...state, updated_at }));
      expect([state, await shown()]).toEqual([state, expected]);
    }
  });

  it("and is not published is shown by a shop that sells without an online store [orders.in-shop]", async () => {
    await post("products/create", fieldProduct(1, [fieldVariant(11)], { published_at: null }));
    await post("products/create", fieldProduct(2, [fieldVariant(21)], { status: "archived", published_at: null }));
    expect((await shown()).shoppers).toEqual([]);
    const olga = inStore(people.add("Olga", { in: [[store, "owner"]] }), store);
    const set = (value: boolean) =>
      t.request("PATCH", "/dashboard/api/settings", { headers: olga, body: { sells_without_online_store: value } });
    expect((await set(true)).body).toMatchObject({ sells_without_online_store: true });
    expect(await shown()).toEqual({ shoppers: [gid(1)], editors: [gid(1)], in_store: [true, false] });
    expect((await set(false)).body).toMatchObject({ sells_without_online_store: false });
    expect((await shown()).shoppers).toEqual([]);
  });
});

describe("a product of 150 variants", () => {
  const whole = () => manyVariants(150);

  it("has a hundred in full; one beyond them that a quiz names is there by its id [orders.many-variants]", async () => {
    await post("products/create", fieldProduct(1, whole()));
    const plain = (await offered(pick(gid(1))))[0]?.variants ?? [];
    expect([plain.length, plain[0]?.variant_id, plain[99]?.variant_id]).toEqual([100, variantGid(1), variantGid(100)]);
    const named = (await offered(pick(gid(1), { variant_id: variantGid(149) })))[0]?.variants ?? [];
    expect(named.length).toBe(100);
    expect(named.find(({ variant_id }) => variant_id === variantGid(149))).toEqual({
      ...{ variant_id: variantGid(149), title: null, price: null, available: null },
    });
    // one that the shop does not have
    const gone = (await offered(pick(gid(1), { variant_id: variantGid(151) })))[0]?.variants ?? [];
    expect(gone.some(({ variant_id }) => variant_id === variantGid(151))).toBe(false);
    const entries = await t.database.transaction((tx) => catalogEntries(tx.forStore(store.uuid), [gid(1)]));
    expect(entries.get(gid(1))?.had_variants).toBe(true);
  });

  it("keeps what an import knew of the others, as long as they did not change [orders.many-variants]", async () => {
    const imported = { ...fieldProduct(1, whole()), variants: whole() };
    await t.database.transaction((tx) => importProducts(tx.forStore(store.uuid), [imported], t.calendar.now()));
    const of149 = async () =>
      (await offered(pick(gid(1), { variant_id: variantGid(149) })))[0]?.variants.find(
        ({ variant_id }) => variant_id === variantGid(149),
      );
    const known = { title: "Size 149", price: { amount: "19.50", currency: "EUR" }, available: true };
    await post("products/update", fieldProduct(1, whole(), { updated_at: "2026-02-11T10:00:00Z" }));
    expect(await of149()).toMatchObject(known);
    const changed = manyVariants(150, (place) => (place === 149 ? { updated_at: "2026-02-12T10:00:00Z" } : {}));
    await post("products/update", fieldProduct(1, changed, { updated_at: "2026-02-12T10:00:00Z" }));
    expect(await of149()).toMatchObject({ title: null, price: null });
    await post("products/update", fieldProduct(1, manyVariants(148), { updated_at: "2026-02-13T10:00:00Z" }));
    expect(await of149()).toBeUndefined();
  });
});

describe("messages about products and the shop in any order", () => {
  const title = async () => {
    const entries = await t.database.transaction((tx) => catalogEntries(tx.forStore(store.uuid), [gid(1)]));
    return entries.get(gid(1))?.title;
  };

  it("of one second count as they were sent [orders.catalog]", async () => {
    const send = (name: string, ms: string) =>
      post("products/update", fieldProduct(1, [], { title: name }), sentAt(`2026-02-02T15:00:00.${ms}041743Z`));
    await send("Second", "500");
    await send("First", "100");
    expect(await title()).toBe("Second");
    await send("Third", "900");
    expect(await title()).toBe("Third");
  });

  it("do not bring back what was deleted before it came [orders.deleted-products]", async () => {
    await post("products/delete", { id: 1 }, sentAt("2026-02-02T15:00:00.700Z"));
    await post("products/create", fieldProduct(1, [fieldVariant(11)]));
    expect(await title()).toBeUndefined();
    await post("products/create", fieldProduct(2, [fieldVariant(21)]));
    await post("products/delete", { id: 2 }, sentAt("2026-02-02T15:00:00.700Z"));
    await post("products/update", fieldProduct(2, [fieldVariant(21)]));
    expect((await offered(pick(gid(1)), pick(gid(2)))).length).toBe(0);
  });

  it("of the shop count by when they were made, then sent [orders.shop]", async () => {
    const read = () =>
      t.database
        .reader()
        .forStore(store.uuid)
        .first(sql<object>`SELECT name, currency, timezone FROM stores WHERE id = ${ownStore}`);
    await post("shop/update", fieldShop({}), sentAt("2026-02-03T15:00:00.500Z"));
    const newest = { name: "Island Teas", currency: "JEP", timezone: "Europe/Jersey" };
    expect(await read()).toEqual(newest);
    const older = { name: "Old name", currency: "EUR", iana_timezone: "Europe/Berlin" };
    await post("shop/update", fieldShop({ ...older, updated_at: "2026-02-03T09:59:59-05:00" }));
    await post("shop/update", fieldShop(older), sentAt("2026-02-03T15:00:00.100Z"));
    expect(await read()).toEqual(newest);
    await post("shop/update", fieldShop({ name: "Newer" }), sentAt("2026-02-03T15:00:00.900Z"));
    expect(await read()).toEqual({ ...newest, name: "Newer" });
  });

  it("of a shop in an unknown currency are refused, not overlooked [orders.shop]", async () => {
    for (const currency of ["XQZ", "Dollars", "EURO", 7, {}]) {
      const { status, body } = await postWebhook(t, store, { topic: "shop/update", payload: fieldShop({ currency }) });
      expect([currency, status, body.errors?.[0]]).toEqual([
        ...[currency, 422, { field: "body.currency", message: "is not the code of a currency" }],
      ]);
    }
  });
});
