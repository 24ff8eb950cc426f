import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";

describe.skipIf((await openBrowser()) === null)("a later visit", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop({ ...sampleQuiz(), presentation: { advance: "button" } });
  });
  afterAll(() => shop.close());

  it("goes on unasked where nothing was done, and asks whoever answered, by a button in the quiz's own colour [player.resume-offer]", async () => {
    const { page, site, faults, heard, close } = await shop.open(shop.tag('consent="always"'));
    const goOn = page.getByRole("button", { name: "Continue" });
    await heard("page");
    await page.goto(`${site.origin}/`);
    await heard("page");
    expect(await goOn.count()).toBe(0);
    await page.getByLabel("Dry").check();
    await heard("answered");
    await page.goto(`${site.origin}/`);
    await goOn.waitFor();
    const backgrounds = await page
      .getByRole("button", { name: /^(Continue|Start over)$/ })
      .evaluateAll((all) => all.map((button) => getComputedStyle(button).backgroundColor));
    expect(new Set(backgrounds).size).toBe(2);
    await goOn.click();
    expect(await page.getByLabel("Dry").isChecked()).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });
});
