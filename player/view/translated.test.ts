import { afterEach, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type OpenedScreen, openScreenPage, type ScreenSettings } from "../../testkit/browser-screen.ts";
import { translate } from "../../testkit/browser-translator.ts";
import { choice, number, option, page, pick, products, quizDocument, text } from "../../testkit/document-parts.ts";
import type { CatalogProduct } from "../live-quiz.ts";

/** A page that the shopper's browser translates, and translates again whenever something on it changes. */

const price = (amount: string) => ({ amount, currency: "EUR" });
const cream: CatalogProduct = {
  product_id: "cream",
  title: "The cream",
  handle: "cream",
  url: "https://shop.example/products/cream",
  image_url: null,
  variants: [
    { variant_id: "small", title: "Small", price: price("12.00"), available: true },
    { variant_id: "large", title: "Large", price: price("149.00"), available: true },
    { variant_id: "gone", title: "Gone", price: price("9.00"), available: false },
  ],
};

describe.skipIf((await openBrowser()) === null)("a translated quiz", () => {
  let screen: OpenedScreen | null = null;
  afterEach(async () => {
    expect(screen?.faults).toEqual([]);
    await screen?.close();
    screen = null;
  });
  const open = async (pages: Parameters<typeof quizDocument>[0], settings: ScreenSettings): Promise<OpenedScreen> => {
    screen = await openScreenPage(quizDocument(pages), settings);
    await screen.title.waitFor();
    await screen.page.evaluate(translate, await screen.page.evaluateHandle(() => document.body));
    return screen;
  };
  const again = async ({ page }: OpenedScreen) =>
    page.evaluate(translate, await page.evaluateHandle(() => document.body));

  it("shows the price of the chosen variant, and what its button does [player.translated]", async () => {
    const on = await open([page("result", [products("block", [pick("cream")])], { kind: "result" })], {
      catalog: [cream],
      cart: "held",
    });
    const [shown, button] = [on.quiz.locator(".price"), on.quiz.locator(".product .main")];
    expect(await shown.textContent()).toBe("‹€12.00›");
    await on.quiz.getByRole("combobox").selectOption("large");
    await expect.poll(() => shown.textContent()).toBe("€149.00");
    await again(on);
    await button.click();
    await expect.poll(() => button.textContent()).toContain("Adding…");
    expect(await button.textContent()).not.toContain("Add to cart");
    await again(on);
    await on.page.evaluate(() => window.quizScreen.letCart?.());
    await expect.poll(() => button.textContent()).toContain("Added to cart");
    expect(await button.textContent()).not.toContain("Adding");
    await again(on);
    await expect.poll(() => button.textContent(), { timeout: 20_000 }).toContain("Add to cart");
    expect(await button.textContent()).not.toContain("Added");
  });

  it("shows readings, counters, complaints and the next page's texts [player.translated]", async () => {
    const on = await open(
      [
        page("first", [
          number("age", { min: 0, max: 100, style: "slider", unit: "years" }),
          text("words", { max_length: 30 }),
          choice("one", [option("a"), option("b")], { required: true }),
        ]),
        page("second", [number("size")]),
      ],
      {},
    );
    const slider = on.quiz.getByRole("slider");
    await slider.fill("70");
    await expect.poll(() => on.quiz.locator(".reading").textContent()).toBe("70\u00a0years");
    await again(on);
    await slider.fill("71");
    await expect.poll(() => on.quiz.locator(".reading").textContent()).toBe("71\u00a0years");
    await on.quiz.locator("[name=words]").pressSequentially("0123456789");
    await again(on);
    await on.quiz.locator("[name=words]").pressSequentially("a");
    await expect.poll(() => on.quiz.locator(".hint").textContent()).toBe("Characters left: 19");
    await on.quiz.locator(".foot .main").click();
    await expect.poll(() => on.quiz.locator(".complaint").textContent()).toBe("Please choose one answer.");
    await again(on);
    await on.quiz.locator("[value=a]").check();
    await expect.poll(() => on.quiz.locator(".complaint").count()).toBe(0);
    await on.quiz.locator(".foot .main").click();
    await expect.poll(() => on.title.textContent()).toBe("second");
    expect(await on.quiz.locator(".foot").textContent()).toBe("BackFinish");
  });
});
