import { afterEach, describe, expect, it } from "vitest";
import type { ProductPick } from "../../engine/document.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type OpenedScreen, openScreenPage, type ScreenSettings } from "../../testkit/browser-screen.ts";
import { page, pick, products, quizDocument, text } from "../../testkit/document-parts.ts";
import type { CatalogProduct, CatalogVariant } from "../live-quiz.ts";

const browser = await openBrowser();

const variant = (variant_id: string, more: Partial<CatalogVariant> = {}): CatalogVariant => ({
  variant_id,
  title: variant_id,
  price: { amount: "12.50", currency: "EUR" },
  available: true,
  ...more,
});
const product = (
  product_id: string,
  variants: CatalogVariant[],
  more: Partial<CatalogProduct> = {},
): CatalogProduct => ({
  product_id,
  title: `The ${product_id}`,
  handle: product_id,
  url: `https://shop.example/products/${product_id}`,
  image_url: null,
  variants,
  ...more,
});

describe.skipIf(browser === null)("products", () => {
  let screen: OpenedScreen | null = null;
  afterEach(async () => {
    expect(screen?.faults).toEqual([]);
    await screen?.close();
    screen = null;
  });
  const open = async (
    picks: ProductPick[],
    catalog: CatalogProduct[],
    settings: ScreenSettings = {},
  ): Promise<OpenedScreen> => {
    const result = page("result", [products("block", picks, { limit: 10 })], { kind: "result" });
    screen = await openScreenPage(quizDocument([page("first", [text("a")]), result]), { ...settings, catalog });
    await screen.quiz.locator(".foot .main").click();
    await expect.poll(() => screen?.title.textContent()).toBe("result");
    return screen;
  };
  const card = (on: OpenedScreen, title: string) => on.quiz.getByRole("listitem").filter({ hasText: title });

  it("are cards with title, price in the shopper's writing and a link that says where it opens [player.products]", async () => {
    const on = await open([pick("cream")], [product("cream", [variant("v1")])], { locale: "de-DE" });
    expect(await on.quiz.getByRole("heading", { level: 3 }).textContent()).toBe("The cream");
    expect((await on.quiz.locator(".price").textContent())?.replace(/\s/g, " ")).toBe("12,50 €");
    const link = on.quiz.getByRole("link", { name: "Produkt ansehen The cream (öffnet sich in einem neuen Tab)" });
    expect(await link.evaluate((one: HTMLAnchorElement) => [one.href, one.target, one.rel])).toEqual([
      "https://shop.example/products/cream",
      "_blank",
      "noopener",
    ]);
  });

  it("go into the cart, which the button, readers and the run are told [player.add-to-cart]", async () => {
    const on = await open([pick("cream")], [product("cream", [variant("v1")])], { cart: "held" });
    const button = card(on, "cream").getByRole("button");
    expect(await button.textContent()).toBe("Add to cart The cream");
    await button.click();
    await expect.poll(() => button.textContent()).toBe("Adding… The cream");
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await button.dispatchEvent("click");
    await on.page.evaluate(() => window.quizScreen.letCart?.());
    await expect.poll(() => button.textContent()).toBe("Added to cart The cream");
    await expect.poll(() => on.quiz.getByRole("status").textContent()).toBe("Added to cart");
    expect(await on.page.evaluate(() => window.quizScreen.carts)).toEqual([
      [{ product_id: "cream", variant_id: "v1", quantity: 1 }],
    ]);
    expect((await on.events()).at(-1)).toMatchObject({
      type: "product_added",
      product_id: "cream",
      variant_id: "v1",
      quantity: 1,
    });
  });

  it("that the cart refuses say why in their card, and are not told of as added [player.add-to-cart]", async () => {
    const catalog = [product("cream", [variant("v1")]), product("soap", [variant("s1")])];
    const on = await open([pick("cream"), pick("soap")], catalog, { cart: "Only 2 are left." });
    await card(on, "cream").getByRole("button").click();
    await expect.poll(() => card(on, "cream").locator(".complaint").textContent()).toBe("Only 2 are left.");
    expect(await card(on, "soap").locator(".complaint").count()).toBe(0);
    await expect.poll(() => on.quiz.getByRole("status").textContent()).toBe("Only 2 are left.");
    expect((await on.events()).filter(({ type }) => type === "product_added")).toEqual([]);
  });

  it("have their variants in a list: the chosen one's price is shown and it is added [player.variants]", async () => {
    const variants = [
      variant("small", { available: false }),
      variant("medium"),
      variant("large", { price: { amount: "20.00", currency: "EUR" } }),
    ];
    const on = await open([pick("cream")], [product("cream", variants)]);
    const list = on.quiz.getByRole("combobox", { name: "Variant" });
    expect(await list.inputValue()).toBe("medium");
    expect(await list.locator("option").allTextContents()).toEqual(["small – Sold out", "medium", "large"]);
    expect(await list.locator("option").first().isDisabled()).toBe(true);
    await list.selectOption("large");
    await expect.poll(() => on.quiz.locator(".price").textContent()).toBe("€20.00");
    await on.quiz.getByRole("button", { name: "Add to cart" }).click();
    await expect.poll(() => on.page.evaluate(() => window.quizScreen.carts.length)).toBe(1);
    expect(await on.page.evaluate(() => window.quizScreen.carts[0]?.[0]?.variant_id)).toBe("large");
  });

  it("that the document names a variant of cannot be added if the catalog lacks it, nor another instead [player.variants]", async () => {
    const variants = [variant("small"), variant("large")];
    const catalog = [product("cream", variants), product("soap", [variant("bar")])];
    const on = await open([pick("cream", { variant_id: "the 149th" }), pick("soap")], catalog);
    const cream = card(on, "cream");
    expect(await cream.getByRole("heading").textContent()).toBe("The cream");
    expect([await cream.getByRole("button").count(), await cream.getByRole("combobox").count()]).toEqual([0, 0]);
    expect([await cream.locator(".price").count(), await cream.locator(".sold-out").count()]).toEqual([0, 0]);
    expect(await cream.getByRole("link").count()).toBe(1);
    // nor with all the others, which are one
    expect(await on.quiz.locator(".all").count()).toBe(0);
    await card(on, "soap").getByRole("button").click();
    await expect.poll(() => on.page.evaluate(() => window.quizScreen.carts.length)).toBe(1);
  });

  it("that the document names a variant of, of which only the id is known, are added as that one [player.variants]", async () => {
    const only = variant("the 149th", { title: null, price: null, available: null });
    const on = await open([pick("cream", { variant_id: "the 149th" })], [product("cream", [variant("small"), only])]);
    expect([await on.quiz.getByRole("combobox").count(), await on.quiz.locator(".price").count()]).toEqual([0, 0]);
    await on.quiz.getByRole("button", { name: "Add to cart" }).click();
    await expect.poll(() => on.page.evaluate(() => window.quizScreen.carts[0]?.[0]?.variant_id)).toBe("the 149th");
  });

  it("cost what is charged, in a currency without customary digits too [player.prices]", async () => {
    const price = { amount: "1249.50", currency: "COP" };
    const on = await open([pick("cream")], [product("cream", [variant("v1", { price })])], { locale: "en-US" });
    expect((await on.quiz.locator(".price").textContent())?.replace(/\s/g, " ")).toBe("COP 1,249.50");
  });

  it("that the document names a variant of show that one alone [player.variants]", async () => {
    const on = await open(
      [pick("cream", { variant_id: "large" })],
      [product("cream", [variant("small"), variant("large")])],
    );
    expect(await on.quiz.getByRole("combobox").count()).toBe(0);
    expect(await on.quiz.locator(".hint").textContent()).toBe("large");
    await on.quiz.getByRole("button", { name: "Add to cart" }).click();
    await expect.poll(() => on.page.evaluate(() => window.quizScreen.carts[0]?.[0]?.variant_id)).toBe("large");
  });

  it("that are sold out say so, and cannot be added; where nobody knows they can [player.variants]", async () => {
    const catalog = [
      product("gone", [variant("g", { available: false })]),
      product("unknown", [variant("u", { available: null })]),
    ];
    const on = await open([pick("gone"), pick("unknown")], catalog);
    expect(await card(on, "gone").getByRole("button").count()).toBe(0);
    expect(await card(on, "gone").getByText("Sold out").isVisible()).toBe(true);
    expect(await card(on, "unknown").getByRole("button", { name: "Add to cart" }).count()).toBe(1);
    expect(await on.quiz.getByRole("button", { name: "Add all to cart" }).count()).toBe(0);
  });

  it("are added all at once, without what is sold out [player.add-to-cart]", async () => {
    const catalog = [
      product("a", [variant("a1")]),
      product("b", [variant("b1", { available: false })]),
      product("c", [variant("c1"), variant("c2")]),
    ];
    const on = await open([pick("a"), pick("b"), pick("c")], catalog);
    await on.quiz.getByRole("combobox").selectOption("c2");
    await on.quiz.getByRole("button", { name: "Add all to cart" }).click();
    await expect.poll(async () => (await on.events()).filter(({ type }) => type === "product_added").length).toBe(2);
    expect(await on.page.evaluate(() => window.quizScreen.carts)).toEqual([
      [
        { product_id: "a", variant_id: "a1", quantity: 1 },
        { product_id: "c", variant_id: "c2", quantity: 1 },
      ],
    ]);
  });

  it("are added all for the sum that is missing, and then lead to the cart [player.add-all]", async () => {
    const price = (amount: string) => ({ price: { amount, currency: "EUR" } });
    const catalog = [
      product("a", [variant("a1", price("12.50")), variant("a2", price("99.00"))]),
      product("b", [variant("b1", price("7.05"))]),
      product("c", [variant("c1", price("0.40"))]),
    ];
    const on = await open([pick("a"), pick("b"), pick("c")], catalog, { locale: "en-GB" });
    const all = on.quiz.locator(".all button");
    expect(await all.textContent()).toBe("Add all to cart · €19.95");
    await on.quiz.getByRole("combobox").selectOption("a2");
    expect(await all.textContent()).toBe("Add all to cart · €106.45");
    await card(on, "The b").getByRole("button").click();
    await expect.poll(() => all.textContent()).toBe("Add all to cart · €99.40");
    await all.click();
    const link = on.quiz.getByRole("link", { name: "Go to cart" });
    await link.waitFor();
    expect([await link.getAttribute("href"), await all.count()]).toEqual(["/cart", 0]);
    const carts = await on.page.evaluate(() => window.quizScreen.carts);
    expect(carts.map((lines) => lines.map(({ variant_id }) => variant_id))).toEqual([["b1"], ["a2", "c1"]]);
    const added = (await on.events()).flatMap((event) => (event.type === "product_added" ? [event.product_id] : []));
    expect(added).toEqual(["b", "a", "c"]);
  });

  it("that the shop's catalog lacks are left out [player.products]", async () => {
    const on = await open([pick("ghost"), pick("cream")], [product("cream", [variant("v1")])]);
    expect(await on.quiz.getByRole("heading", { level: 3 }).allTextContents()).toEqual(["The cream"]);
  });

  it("of which none fits are said to be none, with a way to start over [player.nothing-fits]", async () => {
    const on = await open([], []);
    expect(await on.quiz.getByText("Nothing in the shop fits these answers at the moment.").isVisible()).toBe(true);
    await on.quiz.getByRole("button", { name: "Start over" }).click();
    await expect.poll(() => on.title.textContent()).toBe("first");
    expect(await on.page.evaluate(() => window.quizScreen.calls)).toEqual(["restart"]);
  });

  it("link to pages of the web alone [player.products]", async () => {
    const on = await open([pick("x")], [product("x", [variant("v1")], { url: "javascript:alert(1)" })]);
    expect(await on.quiz.getByRole("link").count()).toBe(0);
  });
});
