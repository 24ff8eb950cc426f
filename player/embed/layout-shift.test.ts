import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";

interface Watching {
  shifts?: number[];
}

/** As the browser counts what moves without the shopper's doing. */
function watch(): void {
  const shifts: number[] = [];
  (window as Watching).shifts = shifts;
  new PerformanceObserver((list) => {
    // the types of the DOM do not know entries of this kind
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      if (!entry.hadRecentInput) shifts.push(entry.value);
  }).observe({ type: "layout-shift", buffered: true });
}

const shiftsIn = (page: Page): Promise<number[]> => page.evaluate(() => (window as Watching).shifts ?? []);

/** Each part of the player and the quiz come late, so that the page is painted in between. */
const slowly = async (page: Page): Promise<void> => {
  await page.addInitScript(watch);
  await page.route(/\/(embed\.js|player\/|storefront\/)/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    await route.continue();
  });
};

describe.skipIf((await openBrowser()) === null)("what stands below a quiz in the page", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop();
  });
  afterAll(() => shop.close());

  const below = "<p>Below</p>".repeat(3);
  const context = { viewport: { width: 900, height: 900 } };
  const reserved = "<style>quiz-store:not(:defined) { display: block; min-height: 36rem; }</style>";

  it.each(["inline", "popup"])(
    "does not move when the script and a quiz (%s) come, with the room of the documents [player.no-shift]",
    async (mode) => {
      const { page, heard, close } = await shop.open(`${shop.tag(`mode="${mode}"`)}${below}`, {
        head: mode === "inline" ? reserved : "",
        context,
        prepare: slowly,
      });
      if (mode === "inline") await heard("page");
      await page.waitForTimeout(600);
      expect(await shiftsIn(page)).toEqual([]);
      await close();
    },
  );

  it("moves once at most without it, when the script runs [player.no-shift]", async () => {
    const { page, heard, close } = await shop.open(`${shop.tag()}${below}`, { context, prepare: slowly });
    await page.getByText("Loading").waitFor();
    await page.waitForTimeout(100);
    const before = await shiftsIn(page);
    expect(before.length).toBeLessThanOrEqual(1);
    await heard("page");
    await page.waitForTimeout(400);
    expect(await shiftsIn(page)).toEqual(before);
    await close();
  });

  it("has a quiz above it that is as high as the window where it is to be [player.no-shift]", async () => {
    const { page, heard, close } = await shop.open(shop.tag('mode="full"'), { context });
    await heard("page");
    await page.getByRole("heading", { name: "Your skin" }).waitFor();
    expect((await page.locator("quiz-store").boundingBox())?.height).toBeGreaterThanOrEqual(900);
    await close();
  });
});
