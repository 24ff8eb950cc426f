import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { postWebhook } from "../../testkit/commerce.ts";
import { fieldInventoryItem, fieldProduct, fieldVariant, manyVariants } from "../../testkit/field/shopify-products.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { importProducts } from "./catalog.ts";
import { importCollections } from "./collections.ts";

/** What the catalog keeps of products for rules to pick them by. */

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store({ currency: "EUR" });
});

const post = async (topic: string, payload: unknown) => {
  const { status, text } = await postWebhook(t, store, { topic, payload });
  expect([topic, status, text]).toEqual([topic, 200, "{}"]);
};
const reader = () => t.database.reader().forStore(store.uuid);
const gid = (number: number) => `gid://shopify/Product/${number}`;

const facts = async (number = 1) =>
  reader().first(sql<object>`SELECT tags, vendor, product_type, options FROM products
    WHERE store_id = ${ownStore} AND product_id = ${gid(number)}`);

const ofVariants = () =>
  reader().all(sql<object>`SELECT compare_at_price, options FROM product_variants
    WHERE store_id = ${ownStore} ORDER BY position`);

describe("facts of products", () => {
  it("are those of their message: tags split at commas, vendor, type, options [orders.catalog-facts]", async () => {
    const options = [
      { id: 2, product_id: 1, name: "Size", position: 1, values: ["30 ml", "50 ml"] },
      { id: 3, product_id: 1, name: "Scent", position: 2, values: ["Rose"] },
    ];
    const variants = [
      fieldVariant(11, { option1: "30 ml", option2: "Rose", compare_at_price: "25.00", position: 1 }),
      fieldVariant(12, { option1: " 50 ml ", option2: null, compare_at_price: "-1", position: 2 }),
    ];
    const tags = " dry skin, Night,night ,, dry skin,vegan";
    await post("products/create", fieldProduct(1, variants, { options, tags, vendor: "Fern & Co", product_type: "" }));
    expect(await facts()).toEqual({
      tags: ["dry skin", "Night", "night", "vegan"],
      vendor: "Fern & Co",
      product_type: null,
      options: [
        { name: "Size", values: ["30 ml", "50 ml"] },
        { name: "Scent", values: ["Rose"] },
      ],
    });
    expect(await ofVariants()).toEqual([
      {
        compare_at_price: "25.00",
        options: [
          { name: "Size", value: "30 ml" },
          { name: "Scent", value: "Rose" },
        ],
      },
      { compare_at_price: null, options: [{ name: "Size", value: "50 ml" }] },
    ]);
  });

  it("that a message does not have are unknown, unlike none; a list of tags is taken too [orders.catalog-facts]", async () => {
    const bare = { tags: undefined, vendor: undefined, product_type: undefined, options: undefined };
    for (const [index, [more, tags]] of (
      [
        [bare, null],
        [{ tags: "" }, []],
        [{ tags: ["dry skin", " night ", 7, null] }, ["dry skin", "night", "7"]],
        [{ tags: 5 }, null],
        [{ tags: "x".repeat(300) }, ["x".repeat(255)]],
        [{ tags: Array.from({ length: 300 }, (_, tag) => `t${tag}`).join(", ") }, expect.arrayContaining(["t249"])],
      ] as const
    ).entries()) {
      const updated_at = `2026-02-1${index}T10:00:00Z`;
      await post("products/update", fieldProduct(1, [fieldVariant(11)], { ...more, updated_at }));
      expect([more, await facts()]).toMatchObject([more, { tags }]);
    }
    expect((await facts()) as { tags: string[] }).toMatchObject({ tags: { length: 250 } });
    await post("products/create", fieldProduct(2, [fieldVariant(21)], bare));
    expect(await facts(2)).toEqual({ tags: null, vendor: null, product_type: null, options: null });
  });

  it("of a hundred variants are there in full, of the others unknown [orders.catalog-facts, orders.many-variants]", async () => {
    await post("products/create", fieldProduct(1, manyVariants(102)));
    const rows = (await ofVariants()) as { options: unknown[] | null }[];
    expect([rows.length, rows[99]?.options?.length, rows[100]?.options]).toEqual([102, 1, null]);
  });

  it("have the number of the write that changed them last, whichever message that was [storefront.catalog]", async () => {
    const states = () =>
      reader().first(sql<object>`SELECT writes, numbered FROM catalog_states WHERE store_id = ${ownStore}`);
    const written = async () =>
      (
        await reader().all(sql<{ written: number }>`SELECT written FROM products
          WHERE store_id = ${ownStore} ORDER BY product_id`)
      ).map((row) => row.written);
    await post("products/create", fieldProduct(1, [fieldVariant(11)]));
    await post("products/create", fieldProduct(2, [fieldVariant(21)]));
    expect([await written(), await states()]).toEqual([[1, 2], { writes: 2, numbered: 2 }]);
    await post("inventory_items/update", fieldInventoryItem(7_000_011, true, "2026-02-03T10:00:00Z"));
    expect(await written()).toEqual([3, 2]);
    await post("products/delete", { id: 2 });
    expect(await written()).toEqual([3, 4]);
    await t.database.transaction((tx) =>
      importCollections(tx.forStore(store.uuid), [{ collection_id: 5, title: "New", product_ids: [1] }]),
    );
    expect([await written(), await states()]).toEqual([[5, 4], { writes: 5, numbered: 5 }]);
  });
});

describe("imported collections", () => {
  const take = (...lines: unknown[]) =>
    t.database.transaction((tx) => importCollections(tx.forStore(store.uuid), lines));
  const members = () =>
    reader().all(sql<object>`SELECT c.collection_id, c.handle, c.title,
      array(SELECT m.product_id FROM collection_products m
        WHERE m.store_id = ${ownStore} AND m.collection_id = c.collection_id ORDER BY m.product_id) AS products
      FROM collections c WHERE c.store_id = ${ownStore} ORDER BY c.collection_id`);
  const collection = (id: number) => `gid://shopify/Collection/${id}`;

  it("have the products of their line instead of those before, by number or global id [orders.collections]", async () => {
    await t.database.transaction((tx) =>
      importProducts(tx.forStore(store.uuid), [fieldProduct(1, [])], t.calendar.now()),
    );
    const before = { collection_id: 5, handle: "dry", title: "Dry skin", product_ids: [1, gid(2), "3", 1] };
    expect(await take(before, { collection_id: collection(6), title: "Night", product_ids: [] })).toEqual({
      ...{ collections: 2, members: 3, refused: [] },
    });
    expect(await members()).toEqual([
      { collection_id: collection(5), handle: "dry", title: "Dry skin", products: [gid(1), gid(2), gid(3)] },
      { collection_id: collection(6), handle: null, title: "Night", products: [] },
    ]);
    await take(
      { collection_id: "5", handle: "dry", title: "Dry", product_ids: [9] },
      { collection_id: 5, handle: "dry", title: "Drier", product_ids: [3, 4] },
    );
    expect((await members())[0]).toEqual({
      ...{ collection_id: collection(5), handle: "dry", title: "Drier", products: [gid(3), gid(4)] },
    });
  });

  it("that cannot be read are named and keep no other out [orders.collections]", async () => {
    const good = { collection_id: 5, title: "Dry skin", product_ids: [1] };
    const bad = [
      [{ ...good, collection_id: "dry" }, "collection_id must be the id of a collection"],
      [{ ...good, collection_id: gid(5) }, "collection_id must be the id of a collection"],
      [{ ...good, title: " " }, "title must be the title of a collection"],
      [{ ...good, product_ids: "1" }, "product_ids must be a list of product ids"],
      [{ ...good, product_ids: [1, collection(1)] }, "product_ids[1] must be the id of a product"],
      [null, "collection_id must be the id of a collection"],
    ] as const;
    const { collections, refused } = await take(...bad.map(([line]) => line), good);
    expect([collections, refused.map(({ detail }) => detail)]).toEqual([1, bad.map(([, detail]) => detail)]);
  });
});
