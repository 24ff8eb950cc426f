import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { deleteProduct, putProducts } from "./catalog.ts";
import { PayloadError } from "./payload.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
});
afterAll(() => t.close());

const put = (...payloads: unknown[]) =>
  t.database.transaction((tx) => putProducts(tx.forStore(store.uuid), payloads, t.calendar.now()));

const read = () =>
  t.database
    .reader()
    .forStore(store.uuid)
    .all<Record<string, unknown>>(sql`
    SELECT p.product_id, p.title, p.handle, p.image, p.had_variants, v.variant_id, v.title AS variant, v.price
    FROM products AS p LEFT JOIN product_variants AS v ON v.store_id = p.store_id AND v.product_id = p.product_id
    WHERE p.store_id = ${ownStore} AND p.product_id = 'gid://shopify/Product/7' ORDER BY v.position`);

const cream = {
  id: 7,
  title: "Night cream",
  handle: "night-cream",
  updated_at: "2026-02-01T10:00:00-05:00",
  image: { src: "https://cdn.example.com/cream.jpg" },
  variants: [
    { id: 71, title: "30 ml", price: "19.50", position: 1 },
    { id: 72, title: "50 ml", price: "29.00", position: 2 },
  ],
};

describe("the catalog", () => {
  it("takes product payloads, with ids as the platform's global ids [orders.catalog]", async () => {
    expect(await put(cream)).toEqual({ products: 1, variants: 2 });
    expect(await read()).toEqual([
      expect.objectContaining({ variant_id: "gid://shopify/ProductVariant/71", variant: "30 ml", price: "19.50" }),
      expect.objectContaining({
        variant_id: "gid://shopify/ProductVariant/72",
        had_variants: true,
        handle: "night-cream",
      }),
    ]);
  });

  it("keeps what is newer, and replaces what is older with its variants [orders.catalog]", async () => {
    await put(cream);
    expect(await put({ ...cream, title: "Old name", updated_at: "2026-01-01T00:00:00Z" })).toEqual({
      products: 0,
      variants: 0,
    });
    await put({ ...cream, title: "New name", updated_at: "2026-03-01T00:00:00Z", variants: [cream.variants[0]] });
    // more than one variant once is remembered
    expect(await read()).toEqual([
      expect.objectContaining({ title: "New name", had_variants: true, variant: "30 ml" }),
    ]);
  });

  it("takes the newest of several payloads of one product, in any order [orders.catalog]", async () => {
    const older = { id: 8, title: "Older", updated_at: "2026-01-01T00:00:00Z" };
    const newer = { id: 8, title: "Newer", updated_at: "2026-01-02T00:00:00Z" };
    expect(await put(newer, older)).toEqual({ products: 1, variants: 0 });
  });

  it("refuses what cannot be told apart, and overlooks what is odd [orders.unreadable]", async () => {
    await expect(put({ title: "No id" })).rejects.toThrow(PayloadError);
    await expect(put({ id: 9, title: " " })).rejects.toThrow(PayloadError);
    expect(
      await put({ id: "10", title: "Odd", variants: [{ title: "no id" }, { id: 1, price: "free" }], image: 3 }),
    ).toEqual({
      products: 1,
      variants: 1,
    });
  });

  it("keeps a deleted product's name, and is not brought back by what was sent before [orders.deleted-products]", async () => {
    const drop = (payload: unknown) =>
      t.database.transaction((tx) => deleteProduct(tx.forStore(store.uuid), payload, t.calendar.now()));
    const gone = () =>
      t.database
        .reader()
        .forStore(store.uuid)
        .first(sql<object>`
      SELECT title, deleted_at FROM products
      WHERE store_id = ${ownStore} AND product_id = 'gid://shopify/Product/31'`);
    await put({ id: 31, title: "Old soap", updated_at: "2026-02-01T10:00:00Z" });
    await drop({ id: 31 });
    await put({ id: 31, title: "Older soap", updated_at: "2026-03-01T10:00:00Z" });
    expect(await gone()).toEqual({ title: "Old soap", deleted_at: new Date(t.calendar.now()) });
    await put({ id: 31, title: "New soap", updated_at: "2026-03-11T10:00:00Z" });
    expect(await gone()).toEqual({ title: "New soap", deleted_at: null });
    await drop({ id: 999 });
    await expect(drop({})).rejects.toThrow(PayloadError);
  });

  it("knows whether a variant can be bought, as far as a message says it [orders.availability]", async () => {
    const cases: [fields: object, available: boolean | null][] = [
      [{}, null],
      [{ inventory_policy: "deny" }, null],
      [{ inventory_management: "shopify", inventory_policy: "deny" }, null],
      [{ inventory_management: null }, true],
      [{ inventory_management: null, inventory_quantity: 0, inventory_policy: "deny" }, true],
      [{ inventory_management: "shopify", inventory_quantity: 3, inventory_policy: "deny" }, true],
      [{ inventory_management: "shopify", inventory_quantity: 0, inventory_policy: "deny" }, false],
      [{ inventory_management: "shopify", inventory_quantity: -2, inventory_policy: "deny" }, false],
      [{ inventory_management: "shopify", inventory_quantity: -2, inventory_policy: "continue" }, true],
      [{ inventory_policy: "continue" }, true],
      [{ inventory_quantity: 0 }, null],
      [{ inventory_quantity: 0, inventory_policy: "deny" }, null],
      [{ inventory_quantity: "1" }, true],
      [{ inventory_quantity: "many" }, null],
    ];
    const variants = cases.map(([fields], index) => ({ id: index + 1, position: index + 1, ...fields }));
    await put({ id: 50, title: "Soap", variants });
    const rows = await t.database
      .reader()
      .forStore(store.uuid)
      .all<{ available: boolean | null }>(sql`
      SELECT available FROM product_variants
      WHERE store_id = ${ownStore} AND product_id = 'gid://shopify/Product/50' ORDER BY position`);
    expect(rows.map(({ available }) => available)).toEqual(cases.map(([, available]) => available));
  });

  it("keeps pictures by https alone [orders.pictures]", async () => {
    const kept = async (src: unknown) => {
      const shop = await t.store();
      const payload = { id: 7, title: "Cream", image: { src } };
      await t.database.transaction((tx) => putProducts(tx.forStore(shop.uuid), [payload], t.calendar.now()));
      const row = await t.database
        .reader()
        .first<{ image: string | null }>(sql`SELECT image FROM products WHERE store_id = ${shop.uuid}`);
      return row?.image;
    };
    const cdn = "cdn.shopify.com/s/files/1/0001/cream.jpg?v=1700000000";
    for (const scheme of ["https://", "http://", "//", "HTTP://", " https://"]) {
      expect([scheme, await kept(scheme + cdn)]).toEqual([scheme, `https://${cdn}`]);
    }
    for (const odd of ["javascript:alert(1)", "data:image/png;base64,AA", "/cream.jpg", 'https://a/"x', 3, {}, ""]) {
      expect([odd, await kept(odd)]).toEqual([odd, null]);
    }
  });
});
