import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";

/** The script that docs/embedding.md gives for pages whose openers may be tapped before the script is there. */
const guide = readFileSync(join(import.meta.dirname, "../../docs/embedding.md"), "utf8");
const [, snippet = ""] = /<!-- taps before the script is there -->\n(<script>.*?<\/script>)/s.exec(guide) ?? [];

describe.skipIf((await openBrowser()) === null)("a tap before the script has loaded", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop();
  });
  afterAll(() => shop.close());

  it.each(["popup", "drawer", "popup without an element"])(
    "opens the quiz once it has: %s [player.early-click]",
    async (mode) => {
      const opener = `<a id="b" href="#elsewhere" data-quizstore-open="${shop.quiz.id}"><span>Open</span></a>`;
      const other = mode.includes("without")
        ? shop.tag('mode="popup"').replace(shop.quiz.id, `quiz_${"0".repeat(32)}`)
        : shop.tag(`mode="${mode}"`);
      const [held, tab] = [Promise.withResolvers<void>(), Promise.withResolvers<Page>()];
      // an open page waits for its scripts
      const opening = shop.open(`${opener}${other}`, {
        head: snippet,
        prepare: async (on) => {
          await on.route("**/embed.js", async (route) => {
            await held.promise;
            await route.continue();
          });
          tab.resolve(on);
        },
      });
      await (await tab.promise).locator("#b span").click();
      held.resolve();
      const { page, heard, told, faults, close } = await opening;
      await heard("page");
      expect(await page.locator("dialog").evaluate((box: HTMLDialogElement) => box.open)).toBe(true);
      await page.keyboard.press("Escape");
      await heard("closed");
      expect([await page.evaluate(() => document.activeElement?.id), new URL(page.url()).hash]).toEqual(["b", ""]);
      // from now on the script itself listens, once
      await page.locator("#b").click();
      await heard("opened", 2);
      expect((await told()).filter(({ name }) => name === "opened")).toHaveLength(2);
      expect(faults).toEqual([]);
      await close();
    },
  );
});
