import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
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

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function violations(shopper: Page): Promise<string[]> {
  await shopper.addScriptTag({ content: axe });
  return shopper.evaluate(async () => (await window.axe.run("quiz-store")).violations.map(({ help }) => help));
}

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

  const open = (prepare: (page: Page) => Promise<unknown> = async () => {}, attributes = "") =>
    shop.open(shop.tag(`consent="always" ${attributes}`), { prepare });
  const goOn = (shopper: Page) => shopper.getByRole("button", { name: "Next" }).click();
  const reported = async (session_id: string | null) =>
    (await storedEvents(shop.t, shop.store, session_id ?? "")).filter(({ type }) => type === "products_shown");

  it("are asked for ahead, drawn with the variant that fits, and reported with their rules [player.ruled-products]", async () => {
    const { page: shopper, faults, heard, close } = await open();
    const asked = shopper.waitForResponse(url);
    await shopper.getByLabel("Dry").check();
    // before the shopper goes on
    await (await asked).finished();
    await goOn(shopper);
    await shopper.getByRole("heading", { name: "Cream" }).waitFor();
    expect(await shopper.getByRole("combobox", { name: "Variant" }).inputValue()).toBe(
      "gid://shopify/ProductVariant/12",
    );
    expect(await shopper.getByRole("heading", { name: "Soap" }).count()).toBe(0);
    const shown = {
      product_id: "gid://shopify/Product/1",
      variant_id: "gid://shopify/ProductVariant/12",
      position: 1,
      source: "rules",
    };
    const { session_id } = await heard("finished");
    await expect.poll(() => reported(session_id)).toHaveLength(1);
    const [event] = await reported(session_id);
    expect(event).toMatchObject({ data: { block_key: "best", rule_keys: ["dry"], products: [shown] } });
    await shopper.getByRole("button", { name: "Back" }).click();
    await goOn(shopper);
    expect((await heard("result", 2)).products).toEqual([shown]);
    expect(faults).toEqual([]);
    await close();
  });

  it("change with an answer, and are reported as none if nothing fits [player.ruled-products]", async () => {
    const { page: shopper, heard, close } = await open();
    await shopper.getByLabel("Oily").check();
    await goOn(shopper);
    await shopper.getByRole("heading", { name: "Soap" }).waitFor();
    await shopper.getByRole("button", { name: "Back" }).click();
    await shopper.getByLabel("Red").check();
    await goOn(shopper);
    await shopper.getByText("Nothing in the shop fits these answers").waitFor();
    const { session_id } = await heard("ready");
    await expect
      .poll(async () => (await reported(session_id)).map(({ data }) => (data["products"] as unknown[]).length))
      .toEqual([1, 0]);
    await close();
  });

  it("are a sentence and Try again while the server cannot be reached, never a blank [player.ruled-products]", async () => {
    const { page: shopper, close } = await open(async (own) => {
      await own.setViewportSize({ width: 320, height: 640 });
      await own.route(url, (route) => route.abort());
    }, 'locale="ar"');
    await shopper.getByLabel("Dry").check();
    await shopper.keyboard.press("Enter");
    const alert = shopper.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toContain("تعذّر تحميل المنتجات");
    expect(await shopper.getByRole("heading", { name: "Cream" }).count()).toBe(0);
    expect(await violations(shopper)).toEqual([]);
    expect(await shopper.evaluate(() => window.document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await shopper.unroute(url);
    await alert.getByRole("button").focus();
    await shopper.keyboard.press("Enter");
    await shopper.getByRole("heading", { name: "Cream" }).waitFor();
    expect(await violations(shopper)).toEqual([]);
    expect(await shopper.evaluate(() => window.document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await close();
  });

  it("are those of the last answer, whichever response comes last, and wait with a sentence [player.ruled-products]", async () => {
    const held: (() => void)[] = [];
    const {
      page: shopper,
      heard,
      close,
    } = await open((own) =>
      own.route(url, async (route) => {
        if (route.request().postData()?.includes("oily")) await new Promise<void>((let_) => held.push(let_));
        await route.continue().catch(() => {});
      }),
    );
    const first = shopper.waitForRequest(url);
    await shopper.getByLabel("Oily").check();
    await first;
    await goOn(shopper);
    await shopper.getByRole("status").filter({ hasText: "Finding products that fit" }).waitFor();
    expect(await shopper.getByText("Nothing in the shop fits").count()).toBe(0);
    await shopper.getByRole("button", { name: "Back" }).click();
    await shopper.getByLabel("Dry").check();
    await goOn(shopper);
    await shopper.getByRole("heading", { name: "Cream" }).waitFor();
    for (const let_ of held) let_();
    const { session_id } = await heard("finished");
    await expect.poll(() => reported(session_id)).toHaveLength(1);
    expect(await shopper.getByRole("heading", { name: "Soap" }).count()).toBe(0);
    await close();
  });

  it("go when the shop sells them no longer, for a shopper who comes back to them later [player.ruled-products]", async () => {
    const { page: shopper, close } = await open((own) => own.clock.install());
    await shopper.getByLabel("Dry").check();
    await goOn(shopper);
    await shopper.getByRole("heading", { name: "Cream" }).waitFor();
    const gone = fieldProduct(1, [fieldVariant(11)], {
      title: "Cream",
      tags: "dry",
      status: "archived",
      updated_at: "2026-03-01T10:00:00-05:00",
    });
    const { database } = shop.t;
    await database.transaction((tx) => putProducts(tx.forStore(shop.store.uuid), [gone], Date.now() + 1000));
    await shopper.getByRole("button", { name: "Back" }).click();
    await shopper.clock.fastForward(61_000);
    await goOn(shopper);
    await shopper.getByText("Nothing in the shop fits these answers").waitFor();
    await close();
  });
});
