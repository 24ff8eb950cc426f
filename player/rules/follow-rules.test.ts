import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { putProducts } from "../../server/orders/catalog.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, embedded } from "../../testkit/browser-quiz.ts";
import { openPlayerApp } from "../../testkit/built-player.ts";
import { choice, option, page, quizDocument, ruled } from "../../testkit/document-parts.ts";
import { fieldProduct, fieldVariant } from "../../testkit/field/shopify-products.ts";
import { storedEvents } from "../../testkit/storefront.ts";

const skin = choice("skin", [
  option("dry", { label: "Dry" }),
  option("oily", { label: "Oily" }),
  option("red", { label: "Red" }),
]);
const rule = (key: string) => ({
  rule_key: key,
  when: { component_key: "skin", op: "in" as const, option_ids: [key] },
  match: { tags_any: [key] },
  effect: "include" as const,
});
const best = ruled("best", { rules: [rule("dry"), rule("oily"), rule("red")], order: "title" });
const document = quizDocument(
  [page("ask", [skin], { title: "Your skin?" }), page("result", [best], { kind: "result", title: "For you" })],
  { presentation: { advance: "button" } },
);

const url = "**/storefront/v1/quizzes/*/products";

describe.skipIf((await openBrowser()) === null)("products by rule", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    const t = await openPlayerApp();
    const store = await t.store({ currency: "EUR" });
    shop = await embedded(t, store, document);
    const size = { name: "Size", values: ["S", "L"] };
    const variants = [
      fieldVariant(11, { option1: "S", title: "S", inventory_quantity: 0, inventory_management: "shopify" }),
    ];
    const cream = fieldProduct(1, [...variants, fieldVariant(12, { option1: "L", title: "L", position: 2 })], {
      ...{ title: "Cream", tags: "dry", options: [size] },
    });
    const soap = fieldProduct(2, [fieldVariant(21)], { title: "Soap", tags: "oily" });
    await t.database.transaction((tx) => putProducts(tx.forStore(store.uuid), [cream, soap], Date.now()));
  });
  afterAll(() => shop.close());

  const open = (prepare: (page: Page) => Promise<unknown> = async () => {}) =>
    shop.open(shop.tag('consent="always"'), { prepare });
  const goOn = (shopper: Page) => shopper.getByRole("button", { name: "Next" }).click();

  it("are asked for ahead, drawn with the variant that fits, and reported with their rules [player.ruled-products]", async () => {
    const { page: shopper, faults, heard, close } = await open();
    const asked = shopper.waitForResponse(url);
    await shopper.getByLabel("Dry").check();
    // before the shopper goes on
    await asked;
    await goOn(shopper);
    await shopper.getByRole("heading", { name: "Cream" }).waitFor();
    expect(await shopper.getByRole("combobox", { name: "Variant" }).inputValue()).toBe(
      "gid://shopify/ProductVariant/12",
    );
    expect(await shopper.getByRole("heading", { name: "Soap" }).count()).toBe(0);
    const { session_id } = await heard("finished");
    await expect
      .poll(async () => (await storedEvents(shop.t, shop.store, session_id ?? "")).map(({ type }) => type))
      .toContain("products_shown");
    const stored = await storedEvents(shop.t, shop.store, session_id ?? "");
    expect(stored.find(({ type }) => type === "products_shown")).toMatchObject({
      data: {
        block_key: "best",
        rule_keys: ["dry"],
        products: [
          { product_id: "gid://shopify/Product/1", variant_id: "gid://shopify/ProductVariant/12", source: "rules" },
        ],
      },
    });
    expect(faults).toEqual([]);
    await close();
  });

  it("change with an answer, and are reported as none if nothing fits [player.ruled-products]", async () => {
    const { page: shopper, heard, close } = await open();
    await shopper.getByLabel("Oily").check();
    await goOn(shopper);
    await shopper.getByRole("heading", { name: "Soap" }).waitFor();
    await shopper.goBack().catch(() => null);
    await shopper.getByRole("heading", { name: "Your skin?" }).waitFor();
    await shopper.getByLabel("Red").check();
    await goOn(shopper);
    await shopper.getByText("Nothing in the shop fits these answers").waitFor();
    const { session_id } = await heard("ready");
    await expect
      .poll(async () =>
        (await storedEvents(shop.t, shop.store, session_id ?? ""))
          .filter(({ type }) => type === "products_shown")
          .map(({ data }) => (data["products"] as unknown[]).length),
      )
      .toEqual([1, 0]);
    await close();
  });

  it("are a sentence and Try again while the server cannot be reached, never a blank [player.ruled-products]", async () => {
    const { page: shopper, close } = await open((own) => own.route(url, (route) => route.abort()));
    await shopper.getByLabel("Dry").check();
    await goOn(shopper);
    await shopper.getByText("The products could not be loaded.").waitFor();
    expect(await shopper.getByText("Nothing in the shop fits").count()).toBe(0);
    await shopper.unroute(url);
    await shopper.getByRole("button", { name: "Try again" }).click();
    await shopper.getByRole("heading", { name: "Cream" }).waitFor();
    await close();
  });
});
