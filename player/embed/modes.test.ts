import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";

const tall = '<div id="top">Top</div><p>Words</p>'.repeat(80);

describe.skipIf((await openBrowser()) === null)("popups and drawers", () => {
  let shop: EmbeddedShop;
  const button = () => `<button id="b" data-quizstore-open="${shop.quiz.id}">Take the quiz</button>`;
  beforeAll(async () => {
    shop = await openEmbeddedShop({ ...sampleQuiz(), presentation: { advance: "button" } });
  });
  afterAll(() => shop.close());

  it.each(["popup", "drawer"])(
    "a %s opens by a click, closes by Escape, and gives back focus and the page's place [player.overlay]",
    async (mode) => {
      const { page, faults, heard, told, close } = await shop.open(
        `${tall}${button()}${tall}${shop.tag(`mode="${mode}"`)}`,
      );
      await page.locator("#b").scrollIntoViewIfNeeded();
      await page.waitForFunction(() => customElements.get("quiz-store"));
      const fetched = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
      expect(fetched.filter((name) => name.includes("/player/"))).toEqual([]);
      const before = await page.evaluate(() => scrollY);
      expect(before).toBeGreaterThan(0);
      await page.locator("#b").click();
      await heard("page");
      const dialog = page.locator("dialog");
      expect(await dialog.evaluate((box) => box.matches(":modal"))).toBe(true);
      expect(await dialog.getAttribute("aria-label")).toBe("Find your routine");
      await page.getByLabel("Dry").check();
      await page.mouse.move(2, 2);
      await page.mouse.wheel(0, 400);
      await page.keyboard.press("Escape");
      await heard("closed");
      expect(await dialog.isVisible()).toBe(false);
      expect(await page.evaluate(() => scrollY)).toBe(before);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("b");
      await page.locator("#b").press("Enter");
      await heard("opened", 2);
      expect(await page.getByLabel("Dry").isChecked()).toBe(true);
      await page.getByRole("button", { name: "Close" }).click();
      await heard("closed", 2);
      expect((await told()).map(({ name }) => name)).toEqual([
        ...["ready", "opened", "page", "answered", "closed"],
        ...["opened", "closed"],
      ]);
      expect(faults).toEqual([]);
      await close();
    },
  );

  it.each(["popup", "drawer"])(
    "a %s closes by a press outside of it, which one that began inside is not [player.overlay]",
    async (mode) => {
      const { page, heard, told, close } = await shop.open(`${button()}${tall}${shop.tag(`mode="${mode}"`)}`);
      await page.locator("#b").click();
      await heard("page");
      const title = await page.getByRole("heading", { name: "Your skin" }).boundingBox();
      await page.mouse.move((title?.x ?? 0) + 5, (title?.y ?? 0) + 5);
      await page.mouse.down();
      await page.mouse.move(4, 4);
      await page.mouse.up();
      await page.mouse.click((title?.x ?? 0) + 5, (title?.y ?? 0) + 5);
      expect((await told()).map(({ name }) => name)).not.toContain("closed");
      await page.mouse.click(4, 4);
      await heard("closed");
      expect(await page.locator("dialog").isVisible()).toBe(false);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("b");
      await close();
    },
  );

  it("opens with the page, after seconds, by scrolling, and when the pointer leaves upwards [player.triggers]", async () => {
    for (const trigger of ["load", "delay:0.2", "scroll:50", "exit"]) {
      const { page, heard, told, close } = await shop.open(`${tall}${shop.tag(`mode="popup" trigger="${trigger}"`)}`);
      await page.waitForFunction(() => customElements.get("quiz-store"));
      if (trigger === "scroll:50" || trigger === "exit") {
        await page.evaluate(() => scrollTo(0, 0.3 * (document.body.scrollHeight - innerHeight)));
        await page.mouse.move(200, 200);
        await page.waitForTimeout(300);
        expect(await told()).toEqual([]);
      }
      if (trigger === "scroll:50") await page.evaluate(() => scrollTo(0, 0.6 * document.body.scrollHeight));
      if (trigger === "exit") {
        await page.evaluate(() => document.dispatchEvent(new MouseEvent("mouseout", { bubbles: true, clientY: -1 })));
      }
      await heard("opened");
      await close();
    }
  });

  it("does not open by itself again for those who closed it once, where they agreed [player.once]", async () => {
    for (const [consent, again] of [
      ["always", false],
      ["manual", true],
    ] as const) {
      const { page, heard, told, close } = await shop.open(
        `${button()}${shop.tag(`mode="popup" trigger="load" once consent="${consent}"`)}`,
      );
      await heard("page");
      await page.keyboard.press("Escape");
      await heard("closed");
      await page.reload();
      await page.waitForFunction(() => customElements.get("quiz-store"));
      if (again) await heard("opened");
      else {
        await page.waitForTimeout(300);
        expect(await told()).toEqual([]);
        await page.locator("#b").click();
        await heard("opened");
      }
      await close();
    }
  });

  it("forgets that it was closed with everything else once the shopper withdraws their consent [player.once, player.stored-version]", async () => {
    const { page, heard, close } = await shop.open(shop.tag('mode="popup" trigger="load" once consent="manual"'));
    const agree = (granted: boolean) =>
      page.evaluate((is) => (window.quizstore as { consent(granted: boolean): void }).consent(is), granted);
    const kept = () => page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
    await heard("page");
    await agree(true);
    await page.keyboard.press("Escape");
    await heard("closed");
    const keys = await kept();
    expect(keys.some((key) => key.endsWith(`:${shop.quiz.id}`))).toBe(true);
    for (const key of keys) expect(key).toMatch(/^quizstore:1:pub_/);
    await agree(false);
    await expect.poll(kept).toEqual([]);
    await close();
  });

  it("makes a popup of a quiz that the page has no element of, in the shop of the others [player.queue]", async () => {
    const other = shop.tag('mode="drawer"').replace(shop.quiz.id, `quiz_${"0".repeat(32)}`);
    const { page, faults, heard, close } = await shop.open(`${button()}${other}`);
    await page.waitForFunction(() => customElements.get("quiz-store"));
    await page.locator("#b").click();
    await heard("page");
    expect(await page.locator("dialog").evaluate((box) => box.matches(":modal"))).toBe(true);
    await page.keyboard.press("Escape");
    await heard("closed");
    await page.evaluate((id) => (window.quizstore as { open(quiz: string): void }).open(id), shop.quiz.id);
    await heard("opened", 2);
    expect(await page.locator("quiz-store").count()).toBe(2);
    expect(faults).toEqual([]);
    await close();
  });

  it("is opened, closed and restarted by script, queued before and called after the script is there [player.queue]", async () => {
    const calls = [["on", "opened"], ["open", shop.quiz.id], ["nothing"]];
    const queue = `<script>
      window.seen = []; const calls = ${JSON.stringify(calls)}; calls[0].push((detail) => seen.push(detail.quiz_id));
      for (const call of calls) (window.quizstore ||= []).push(call);</script>`;
    const { page, faults, heard, close } = await shop.open(shop.tag(), { head: queue });
    await heard("page");
    // the page has it inline: it is scrolled to and no second one is made
    expect(await page.locator("quiz-store").count()).toBe(1);
    expect(await page.evaluate("seen")).toEqual([shop.quiz.id]);
    expect(faults.join()).toMatch(/is not a function/);
    await page.evaluate(() => document.querySelector("quiz-store")?.setAttribute("mode", "popup"));
    await page.evaluate((id) => (window.quizstore as { open(quiz: string): void }).open(id), shop.quiz.id);
    await heard("opened", 2);
    await page.getByLabel("Fine").check();
    await heard("answered");
    await page.evaluate(() => (window.quizstore as { restart(): void }).restart());
    await heard("page", 3);
    await expect.poll(() => page.getByLabel("Fine").isChecked()).toBe(false);
    await page.evaluate(() => (window.quizstore as { close(): void }).close());
    await heard("closed", 2);
    await close();
  });

  it("keep the room of a quiz in the page until its shopper goes on, and fill a page of its own [player.no-shift]", async () => {
    const { page, heard, close } = await shop.open(`${shop.tag()}<p id="after">After</p>${shop.tag('mode="full"')}`);
    await heard("page", 2);
    await page.locator(".quiz h2").first().waitFor();
    const [inPage, whole] = [page.locator("quiz-store").first(), page.locator("quiz-store").last().locator(".quiz")];
    const heightOf = (of: typeof whole) => of.evaluate((box) => box.getBoundingClientRect().height);
    expect(await heightOf(inPage.locator(".quiz"))).toBe(36 * 16);
    expect(await heightOf(whole)).toBe(await page.evaluate(() => innerHeight));
    expect(await whole.evaluate((box) => getComputedStyle(box).borderRadius)).toBe("0px");
    await inPage.getByLabel("Dry").check();
    await inPage.getByRole("button", { name: "Next" }).click();
    await heard("page", 3);
    await inPage.getByRole("button", { name: "Back" }).click();
    await expect.poll(() => heightOf(inPage.locator(".quiz"))).toBeLessThan(36 * 16);
    await close();
  });
});
