import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { domainOf, postWebhook } from "../../testkit/commerce.ts";
import { page, pick, products, quizDocument } from "../../testkit/document-parts.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { putProducts } from "../orders/catalog.ts";
import { offerBounds } from "../orders/offered-products.ts";
import { parseId } from "../platform/ids.ts";
import { namedProducts } from "./live-answer.ts";
import { LiveDocuments } from "./live-documents.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store({ currency: "EUR" });
  quiz = await publish(1, 2);
});

const document = (...picked: Parameters<typeof products>[1]) =>
  quizDocument([page("result", [products("picks", picked)], { kind: "result" })]);
const publish = (...picked: Parameters<typeof products>[1]) =>
  makeQuiz(t, store, { document: document(...picked), publish: true });
const get = async (of = quiz) => {
  const answer = await t.request("GET", `/storefront/v1/quizzes/${of.id}?store=${store.publishableKey}`);
  return { etag: answer.headers["etag"], ...answer.body };
};
const put = (...payloads: unknown[]) =>
  t.database.transaction((tx) => putProducts(tx.forStore(store.uuid), payloads, t.calendar.now()));
const product = (id: number, more: object = {}) => ({
  id,
  title: `Product ${id}`,
  handle: `product-${id}`,
  image: { src: `https://cdn.example.com/${id}.jpg` },
  variants: [{ id: id * 10, title: "Default Title", price: "19.5", position: 1 }],
  ...more,
});

describe("the catalog of a live quiz [storefront.catalog]", () => {
  it("has the shop, and of the products that the document names those of the shop, in its order", async () => {
    await put(
      product(2, {
        handle: "crème brûlée",
        variants: [
          { id: 22, title: "50 ml", price: "29", position: 2, inventory_management: null },
          { id: 21, title: "30 ml", price: null, position: 1, inventory_quantity: 0, inventory_management: "shopify" },
        ],
      }),
      product(1, { handle: null, image: null, variants: [] }),
      product(3),
    );
    const live = await get();
    expect(live.store).toEqual({ name: expect.stringMatching(/^Shop /), currency: "EUR" });
    const money = { amount: "29.00", currency: "EUR" };
    const gid = (kind: string, id: number) => `gid://shopify/${kind}/${id}`;
    expect(live.catalog).toEqual([
      { product_id: gid("Product", 1), title: "Product 1", handle: null, url: null, image_url: null, variants: [] },
      {
        product_id: gid("Product", 2),
        title: "Product 2",
        handle: "crème brûlée",
        url: `https://${await domainOf(t, store)}/products/cr%C3%A8me%20br%C3%BBl%C3%A9e`,
        image_url: "https://cdn.example.com/2.jpg",
        variants: [
          { variant_id: gid("ProductVariant", 21), title: "30 ml", price: null, available: false },
          { variant_id: gid("ProductVariant", 22), title: "50 ml", price: money, available: true },
        ],
      },
    ]);
  });

  it("follows every message at once, and its tag with it", async () => {
    const seen = [await get()];
    const next = async () => {
      seen.push(await get());
      return seen.at(-1);
    };
    await postWebhook(t, store, { topic: "products/create", payload: product(1) });
    expect((await next()).catalog).toMatchObject([{ title: "Product 1", variants: [{ available: null }] }]);
    const sold = { ...product(1).variants[0], inventory_quantity: 0, inventory_management: "shopify" };
    await postWebhook(t, store, { topic: "products/update", payload: product(1, { variants: [sold] }) });
    expect((await next()).catalog).toMatchObject([{ variants: [{ available: false }] }]);
    await postWebhook(t, store, { topic: "shop/update", payload: { name: "New name", currency: "JPY" } });
    expect(await next()).toMatchObject({
      store: { name: "New name", currency: "JPY" },
      catalog: [{ variants: [{ price: { amount: "20", currency: "JPY" } }] }],
    });
    await postWebhook(t, store, { topic: "products/delete", payload: { id: 1 } });
    expect((await next()).catalog).toEqual([]);
    expect(new Set(seen.map(({ etag }) => etag)).size).toBe(seen.length);
  });

  it("keeps its tag while other products alone are written, or the same is written again", async () => {
    await put(product(1));
    const { etag } = await get();
    await put(product(7));
    await put(product(1));
    expect((await get()).etag).toBe(etag);
  });

  it("is of the store alone", async () => {
    const other = await t.store();
    await t.database.transaction((tx) => putProducts(tx.forStore(other.uuid), [product(1)], t.calendar.now()));
    expect((await get()).catalog).toEqual([]);
  });

  it("is read once for all who ask at once, and the version not again", async () => {
    const statements: string[] = [];
    const reader = t.database.reader();
    const counted = {
      ...reader,
      forStore: (id: string) => {
        const db = reader.forStore(id);
        return {
          ...db,
          all: (statement: Parameters<typeof db.all>[0]) => {
            statements.push(statement.sql);
            return db.all(statement);
          },
          first: (statement: Parameters<typeof db.first>[0]) => {
            statements.push(statement.sql);
            return db.first(statement);
          },
        };
      },
    };
    const database = Object.create(t.database, { reader: { value: () => counted } });
    const documents = new LiveDocuments({ database, elapsed: () => 0 });
    const find = () => documents.find(store.uuid, parseId("quiz", quiz.id) ?? "");
    const read = (table: string) => statements.splice(0).filter((text) => text.includes(table)).length;
    await find();
    expect(read("quiz_versions")).toBe(1);
    await find();
    expect(statements.splice(0)).toHaveLength(1);
    await put(product(1));
    await Promise.all(Array.from({ length: 20 }, find));
    const both = [...statements];
    expect([both.filter((text) => text.includes("product_variants")).length, both.length]).toEqual([1, 21]);
    expect(read("quiz_versions")).toBe(0);
  });

  it("is renewed in a part of the time, however often it is written [storefront.catalog-storms]", async () => {
    let now = 0;
    const documents = new LiveDocuments({ database: t.database, elapsed: () => now });
    const title = async (): Promise<string> => {
      const found = await documents.find(store.uuid, parseId("quiz", quiz.id) ?? "");
      return JSON.parse(String(found?.bytes)).catalog[0].title;
    };
    await put(product(1));
    await title();
    let renewed = 0;
    const write = async (name: string) => {
      await put(product(1, { title: name }));
      if ((await title()) === name) renewed += 1;
    };
    for (let turn = 0; turn < 120; turn += 1) await write(`At once ${turn}`);
    expect(renewed).toBeGreaterThan(80);
    expect(renewed).toBeLessThan(110);
    now += 1_000;
    renewed = 0;
    for (let turn = 0; turn < 40; turn += 1) await write(`Later ${turn}`);
    expect(renewed).toBeGreaterThan(15);
    expect(renewed).toBeLessThan(30);
    // what was written last is there once the time is, and what is published at any time
    await makeQuiz(t, store, { name: "Renamed", document: document(1, 2), quizId: quiz.id, publish: true });
    expect(await title()).toBe("Later 39");
    await write("Last");
    expect(await title()).not.toBe("Last");
    now += 5_000;
    expect(await title()).toBe("Last");
  });

  it("changes its pictures' addresses where whoever runs the program says so", async () => {
    await put(product(1));
    const documents = new LiveDocuments({
      database: t.database,
      elapsed: () => 0,
      pointImages: (json) => json.replaceAll("https://cdn.example.com/", "http://localhost:8080/pictures/"),
    });
    const found = await documents.find(store.uuid, parseId("quiz", quiz.id) ?? "");
    const { catalog } = JSON.parse(String(found?.bytes));
    expect(catalog[0].image_url).toBe("http://localhost:8080/pictures/1.jpg");
  });
});

describe("the bounds of a catalog [storefront.catalog-bounds]", () => {
  it("are a thousand products, the first that the document names", () => {
    const ids = Array.from({ length: offerBounds.products + 5 }, (_, index) => index + 1);
    const pages = [ids.slice(0, 250), ids.slice(250, 500), ids.slice(500, 750), ids.slice(750)].map((some, index) =>
      page(`p${index}`, [products(`b${index}`, [...some, 1])]),
    );
    const { productIds } = namedProducts(quizDocument(pages));
    expect([productIds.length, productIds.at(-1)]).toEqual([1_000, "gid://shopify/Product/1000"]);
  });

  it("are a hundred variants of a product, those that the document names first, and whole products", async () => {
    const variants = (of: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: of * 1_000 + index + 1, price: "1", position: index + 1 }));
    const named = pick("gid://shopify/Product/1", { variant_id: "gid://shopify/ProductVariant/1150" });
    const of = await publish(named);
    await put(product(1, { variants: variants(1, 150) }));
    const [first] = (await get(of)).catalog;
    expect(first.variants).toHaveLength(100);
    const ids = first.variants.map((each: { variant_id: string }) => Number(each.variant_id.split("/").at(-1)));
    expect([ids[0], ids[98], ids[99]]).toEqual([1_001, 1_099, 1_150]);
    const many = Array.from({ length: 110 }, (_, index) => index + 1);
    await put(...many.map((id) => product(id, { variants: variants(id, 100) })));
    const { catalog } = await get(await publish(...many));
    expect(catalog).toHaveLength(100);
    expect(catalog.at(-1).variants).toHaveLength(100);
  });

  it("are a title's and an address's length, and the length of all of them", async () => {
    const long = "長".repeat(50_000);
    await put(product(1, { title: long, handle: long, image: { src: `https://cdn.example.com/${long}` } }));
    await put(product(2, { variants: [{ id: 20, title: long, price: "1" }] }));
    const [first, second] = (await get()).catalog;
    expect(first).toMatchObject({ title: "長".repeat(255), handle: null, url: null, image_url: null });
    expect(second.variants).toMatchObject([{ title: "長".repeat(255) }]);
    const many = Array.from({ length: 50 }, (_, index) => index + 1);
    const variants = (of: number) =>
      Array.from({ length: 100 }, (_, index) => ({ id: of * 1_000 + index, title: long.slice(0, 255) }));
    for (const id of many) await put(product(id, { handle: null, image: null, variants: variants(id) }));
    const { catalog } = await get(await publish(...many));
    expect(catalog).toHaveLength(39);
    expect(catalog.at(-1).variants).toHaveLength(100);
  });
});
