import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { bundleForBrowser } from "../../testkit/browser-bundle.ts";
import { type EmbeddedPage, type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import type { RouterInPage } from "../../testkit/browser-router-page.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";

const phone = { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true };
const desktop = { viewport: { width: 1440, height: 900 } };

/** Back and Forward in a single-page shop, whose router and theme follow the history. */
describe.skipIf((await openBrowser()) === null)("the browser's Back", () => {
  let shop: EmbeddedShop;
  let router: string;
  beforeAll(async () => {
    router = await bundleForBrowser(join(import.meta.dirname, "../../testkit/browser-router-page.ts"));
    shop = await openEmbeddedShop({ ...sampleQuiz(), presentation: { advance: "button" } });
  });
  afterAll(() => shop.close());

  async function openPopup(context: object, mode = "popup"): Promise<EmbeddedPage> {
    const button = `<button id="b" data-quizstore-open="${shop.quiz.id}">Open</button>`;
    const head = `<meta name="viewport" content="width=device-width"><script>
      var process = { env: {} }, popped = []; addEventListener("popstate", () => popped.push(location.pathname));</script><script defer src="/router.js"></script>`;
    const opened = await shop.open(`${button}${shop.tag(`mode="${mode}"`)}`, {
      context,
      head,
      pages: {
        "/router.js": (_request, response) =>
          response.writeHead(200, { "content-type": "text/javascript" }).end(router),
      },
    });
    const { page, site } = opened;
    site.pages.set("/shop", site.pages.get("/") ?? "");
    await page.waitForFunction(() => customElements.get("quiz-store"));
    await page.evaluate(() => window.router.push("/shop"));
    await page.locator("#b").click();
    await opened.heard("page");
    await page.getByLabel("Dry").check();
    return opened;
  }
  const isOpen = ({ page }: EmbeddedPage) => page.locator("dialog").evaluate((box: HTMLDialogElement) => box.open);
  const path = ({ page }: EmbeddedPage) => new URL(page.url()).pathname;
  /** What the router was told, but for arriving where it already is. */
  const routed = ({ page }: EmbeddedPage): Promise<RouterInPage["told"]> =>
    page.evaluate(() => window.router.told.filter((told) => told !== "GO /shop"));
  const closings = async ({ told }: EmbeddedPage) => (await told()).filter(({ name }) => name === "closed").length;

  it.each(["popup", "drawer"])(
    "closes a %s that fills the window, and Forward opens it again as it was [player.overlay-back]",
    async (mode) => {
      const on = await openPopup(phone, mode);
      await on.page.goBack();
      await on.heard("closed");
      expect([await isOpen(on), path(on)]).toEqual([false, "/shop"]);
      await on.page.goForward();
      await on.heard("opened", 2);
      expect([await isOpen(on), await on.page.getByLabel("Dry").isChecked()]).toEqual([true, true]);
      await on.page.goBack();
      await on.heard("closed", 2);
      expect([await routed(on), await on.page.evaluate("new Set(popped).size")]).toEqual([["PUSH /shop"], 1]);
      await on.page.goBack();
      await expect.poll(() => routed(on)).toEqual(["PUSH /shop", "BACK /"]);
      expect([path(on), await on.page.evaluate("popped.at(-1)"), on.faults]).toEqual(["/", "/", []]);
      expect(await closings(on)).toBe(2);
      await on.close();
    },
  );

  it("is open when Forward comes before the dialog has told that it closed [player.overlay-back]", async () => {
    const on = await openPopup(phone);
    await on.page.evaluate(() => {
      const { state } = history;
      addEventListener("popstate", () => dispatchEvent(new PopStateEvent("popstate", { state })), { once: true });
    });
    await on.page.goBack();
    await on.heard("opened", 2);
    await on.page.waitForTimeout(700);
    expect([await isOpen(on), await closings(on), on.faults]).toEqual([true, 1, []]);
    await on.close();
  });

  it.each(["button", "Escape", "script"])(
    "has nothing left to close after the %s did [player.overlay-back]",
    async (how) => {
      const on = await openPopup(phone);
      const length = await on.page.evaluate(() => history.length);
      if (how === "button") await on.page.getByRole("button", { name: "Close" }).click();
      else if (how === "Escape") await on.page.keyboard.press("Escape");
      else await on.page.evaluate(() => (window.quizstore as { close(): void }).close());
      await on.heard("closed");
      expect(await on.page.evaluate(() => history.state?.quizstore)).toBeUndefined();
      await on.page.locator("#b").click();
      await on.heard("opened", 2);
      expect(await on.page.evaluate(() => history.length)).toBe(length);
      await on.page.goBack();
      await on.heard("closed", 2);
      await on.page.goBack();
      await expect.poll(() => routed(on)).toEqual(["PUSH /shop", "BACK /"]);
      await on.close();
    },
  );

  it("leaves a page that goes elsewhere when it is closed where it goes [player.overlay-back]", async () => {
    const on = await openPopup(phone);
    await on.page.evaluate(() =>
      (window.quizstore as { on(name: string, hear: () => void): void }).on("closed", () =>
        window.router.push("/cart"),
      ),
    );
    await on.page.getByRole("button", { name: "Close" }).click();
    await on.heard("closed");
    await on.page.waitForTimeout(700);
    expect([path(on), await routed(on)]).toEqual(["/cart", ["PUSH /shop", "PUSH /cart"]]);
    await on.page.goBack();
    await expect.poll(() => path(on)).toBe("/shop");
    expect((await routed(on)).at(-1)).toBe("BACK /shop");
    await on.close();
  });

  it("goes through what the page's router added while it was open [player.overlay-back]", async () => {
    const on = await openPopup(phone);
    await on.page.evaluate(() => window.router.push("/other"));
    await on.page.getByRole("button", { name: "Close" }).click();
    await on.heard("closed");
    expect(path(on)).toBe("/other");
    await on.page.goBack();
    await expect.poll(() => path(on)).toBe("/shop");
    expect([(await routed(on)).at(-1), await isOpen(on)]).toEqual(["BACK /shop", false]);
    await on.close();
  });

  it("means the page beside a popup that does not fill the window, and after an element was removed [player.overlay-back]", async () => {
    const on = await openPopup(desktop);
    await on.page.goBack();
    await expect.poll(() => path(on)).toBe("/");
    await on.close();
    const gone = await openPopup(phone);
    await gone.page.evaluate(() => document.querySelector("quiz-store")?.remove());
    await gone.heard("closed");
    await gone.page.goBack();
    await gone.page.goBack();
    await expect.poll(() => path(gone)).toBe("/");
    expect([await closings(gone), gone.faults]).toEqual([1, []]);
    await gone.close();
  });

  it("closes what was open when the page was reloaded, if it was opened again [player.overlay-back]", async () => {
    const on = await openPopup(phone);
    await on.page.reload();
    await on.page.waitForFunction(() => customElements.get("quiz-store"));
    await on.page.locator("#b").click();
    await on.heard("page");
    await on.page.goBack();
    await on.heard("closed");
    await on.page.goBack();
    await expect.poll(() => path(on)).toBe("/");
    await on.close();
  });
});
