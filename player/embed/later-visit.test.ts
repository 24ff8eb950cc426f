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

  /** Somebody answered on an earlier visit, and comes again. */
  async function comesAgain(attributes: string) {
    const opened = await shop.open(shop.tag(attributes));
    const { session_id } = await opened.heard("page");
    await opened.page.getByLabel("Dry").check();
    await opened.heard("answered");
    await opened.page.goto(`${opened.site.origin}/`);
    await opened.heard("opened");
    const startOver = opened.page.getByRole("button", { name: "Start over" });
    await startOver.waitFor();
    return { ...opened, session_id, startOver };
  }

  it("asks in a popup and a drawer, where starting over begins another session [player.resume-offer]", async () => {
    for (const mode of ["popup", "drawer"]) {
      const { page, session_id, startOver, heard, close } = await comesAgain(`mode="${mode}" trigger="load"`);
      await page.keyboard.press("Escape");
      await heard("closed");
      await page.evaluate(() => (window.quizstore as { open(): void }).open());
      await heard("opened", 2);
      await startOver.click();
      const begun = await heard("page");
      expect(begun.session_id).not.toBe(session_id);
      expect(await page.getByLabel("Dry").isChecked()).toBe(false);
      await page.getByLabel("Oily").check();
      expect((await heard("answered")).session_id).toBe(begun.session_id);
      await close();
    }
  });

  it("still asks in another language, and asks nobody whose page restarts the quiz [player.resume-offer]", async () => {
    const { page, startOver, told, heard, close } = await comesAgain("");
    await page.evaluate(() => document.querySelector("quiz-store")?.setAttribute("locale", "de"));
    await page
      .getByRole("button", { name: "Fortsetzen" })
      .or(page.getByRole("button", { name: "Weiter" }))
      .first()
      .waitFor();
    expect(await page.getByLabel("Dry").count()).toBe(0);
    expect((await told()).map(({ name }) => name)).not.toContain("page");
    await page.evaluate(() => (window.quizstore as { restart(): void }).restart());
    await heard("page");
    await page.getByRole("heading", { name: "Your skin" }).waitFor();
    expect(await startOver.count()).toBe(0);
    expect(await page.getByLabel("Dry").isChecked()).toBe(false);
    await close();
  });
});
