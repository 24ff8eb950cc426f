import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { choice, number, option, page, quizDocument, ruled } from "../../testkit/document-parts.ts";
import { fieldProduct, fieldVariant } from "../../testkit/field/shopify-products.ts";
import { inStore, TestPeople } from "../../testkit/members.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { putProducts } from "../orders/catalog.ts";
import { importCollections } from "../orders/collections.ts";

/** What the editor's form for rules asks the server. */

const people = new TestPeople();
let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
let mira: Record<string, string>;
const gid = (id: number) => `gid://shopify/Product/${id}`;
const collection = (id: number) => `gid://shopify/Collection/${id}`;

const put = (of: TestStore, products: unknown[]) =>
  t.database.transaction((tx) => putProducts(tx.forStore(of.uuid), products, t.calendar.now()));
const product = (id: number, more: Record<string, unknown> = {}, variant: Record<string, unknown> = {}) =>
  fieldProduct(id, [fieldVariant(id * 10, variant)], more);

beforeAll(async () => {
  t = await openTestApp({ signedIn: people.signedIn });
  store = await t.store({ plan: "enterprise", currency: "EUR" });
  mira = inStore(people.add("mira", { in: [[store, "editor"]] }), store);
  const other = await t.store({ plan: "enterprise" });
  await put(other, [product(9, { tags: "foreign" })]);
  await put(store, [
    product(1, { tags: "Dry skin, night", vendor: "Fern" }),
    product(2, { tags: "dry skin ", vendor: "Lumen" }, { price: "80.00" }),
    product(3, { tags: "oily" }),
    product(4, { tags: "dry skin", status: "draft" }),
    { id: 5, title: "From before", variants: [{ id: 50, price: "1.00" }] },
  ]);
  await t.database.transaction((tx) =>
    importCollections(tx.forStore(store.uuid), [
      { collection_id: 7, handle: "winter", title: "Winter care", product_ids: [1, 2] },
      { collection_id: 8, handle: "gifts", title: "Gifts", product_ids: [] },
    ]),
  );
  quiz = await makeQuiz(t, store, { document: documentOf(), publish: false });
});
afterAll(() => t.close());

const documentOf = () =>
  quizDocument([
    page("ask", [choice("skin", [option("dry"), option("oily")]), number("budget")]),
    page(
      "end",
      [
        ruled("best", {
          from: { price: { max: { component_key: "budget" } } },
          rules: [
            {
              rule_key: "dry",
              when: { component_key: "skin", op: "in", option_ids: ["dry"] },
              match: { tags_any: ["dry skin"] },
              effect: "include",
            },
            { rule_key: "none", when: null, match: { tags_any: ["unheard"] }, effect: "score", score: 2 },
          ],
        }),
      ],
      { kind: "result" },
    ),
  ]);

const values = async (query: string) =>
  (await t.request("GET", `/dashboard/api/catalog/values?${query}`, { headers: mira })).body;
const preview = (body: Record<string, unknown>, headers = mira) =>
  t.request("POST", `/dashboard/api/quizzes/${quiz.id}/draft/products`, { headers, body });

describe("for authors of rules", () => {
  it("the catalog's tags, vendors, types, collections and options are listed with their products [editor.rules]", async () => {
    const tags = await values("kind=tag");
    expect(tags).toMatchObject({ has_more: false, catalog: { products: 4, without_tags: 1 } });
    expect(tags.data.map((one: Record<string, unknown>) => [one["label"], one["products"]])).toEqual([
      ["Dry skin", 2],
      ["night", 1],
      ["oily", 1],
    ]);
    expect((await values("kind=tag&q=DRY")).data).toEqual([
      { value: "Dry skin", label: "Dry skin", option: null, products: 2 },
    ]);
    const vendors = (await values("kind=vendor&q=f")).data;
    expect(vendors.some(({ label }: { label: string }) => label === "Fern")).toBe(true);
    expect((await values("kind=collection&q=winter")).data).toEqual([
      { value: collection(7), label: "Winter care", option: null, products: 2 },
    ]);
    const options = (await values("kind=option")).data;
    expect(options[0]).toMatchObject({ option: expect.any(String), products: expect.any(Number) });
    expect((await values("kind=tag&q=foreign")).data).toEqual([]);
    const refused = await t.request("GET", "/dashboard/api/catalog/values?kind=price", { headers: mira });
    expect(refused.status).toBe(422);
  });

  it("lists at most fifty values of many, and says that there are more [editor.rules]", async () => {
    const large = await t.store({ plan: "enterprise" });
    const noor = inStore(people.add("noor", { in: [[large, "editor"]] }), large);
    await put(
      large,
      Array.from({ length: 60 }, (_, at) => product(at + 1, { tags: `tag ${at}` })),
    );
    const { body } = await t.request("GET", "/dashboard/api/catalog/values?kind=tag", { headers: noor });
    expect([body.data.length, body.has_more]).toEqual([50, true]);
  });

  it("a draft's rules are evaluated for the preview's answers, and each product explained [editor.why-products]", async () => {
    const answers = { skin: { option_ids: ["dry"] }, budget: { value: 50 } };
    const ids = [gid(2), gid(3), gid(4), gid(9), gid(5)];
    const { status, body } = await preview({ document: documentOf(), answers, block_keys: ["best"], product_ids: ids });
    expect(status).toBe(200);
    const [block] = body.blocks;
    expect(block).toMatchObject({ block_key: "best", rule_keys: ["dry", "none"] });
    expect(block.products.map(({ product_id }: { product_id: string }) => product_id)).toEqual([gid(1)]);
    const told = block.explained.map((one: Record<string, unknown>) => [one["product_id"], one["not_shown"]]);
    expect(told).toEqual([
      [gid(1), null],
      [gid(2), "not_from"],
      [gid(3), "not_included"],
      [gid(5), "not_included"],
      [gid(4), "draft"],
      [gid(9), "not_in_shop"],
    ]);
    expect(block.matches).toEqual({
      from: 3,
      rules: [
        { rule_key: "dry", products: 2 },
        { rule_key: "none", products: 0 },
      ],
      fallback: null,
    });
    const named = body.catalog.map(({ product_id }: { product_id: string }) => product_id);
    expect(named).toEqual([gid(1), gid(2), gid(3), gid(5), gid(4)]);
  });

  it("a document that could not be a version is refused by field, and analysts see no drafts [editor.why-products, editor.roles]", async () => {
    const { status, body } = await preview({ document: { pages: [{}] }, block_keys: ["best"] });
    expect(status).toBe(422);
    expect(body.errors[0].field).toContain("document.pages.0");
    const ann = inStore(people.add("ann", { in: [[store, "analyst"]] }), store);
    expect((await preview({ document: documentOf(), block_keys: ["best"] }, ann)).status).toBe(403);
  });
});
