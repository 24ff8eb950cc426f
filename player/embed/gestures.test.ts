import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedPage, type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { number, page, quizDocument, text } from "../../testkit/document-parts.ts";

const tall = "<p>Words</p>".repeat(120);
const phone = { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true };
const longText = Array.from({ length: 60 }, (_, line) => `line ${line}`).join("\n");

/** A dialog whose quiz fits into it, with fields that use gestures themselves. */
describe.skipIf((await openBrowser()) === null)("gestures in popups and drawers", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop(
      quizDocument([
        page("first", [number("age", { min: 0, max: 100, style: "slider" }), text("words", { max_length: 4_000 })]),
      ]),
    );
  });
  afterAll(() => shop.close());

  interface Opened {
    opened: EmbeddedPage;
    on: Page;
    cdp: CDPSession;
    place(): Promise<number>;
  }

  async function openDialog(mode: string, context: object): Promise<Opened> {
    const button = `<button id="b" data-quizstore-open="${shop.quiz.id}">Open</button>`;
    const head = '<meta name="viewport" content="width=device-width, initial-scale=1">';
    const opened = await shop.open(`${button}${tall}${shop.tag(`mode="${mode}"`)}`, { context, head });
    const on = opened.page;
    await on.waitForFunction(() => customElements.get("quiz-store"));
    await on.evaluate(() => scrollTo(0, 10));
    await on.locator("#b").click();
    await opened.heard("page");
    await on.getByRole("slider").waitFor();
    await on.locator("textarea").evaluate((field: HTMLTextAreaElement, given) => {
      field.value = given;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.style.height = "120px";
    }, longText);
    await on.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
    await on.waitForTimeout(300);
    return { opened, on, cdp: await on.context().newCDPSession(on), place: () => on.evaluate(() => scrollY) };
  }

  const middle = async (on: Page, of: string) => {
    const box = await on.locator(of).boundingBox();
    if (!box) throw new Error(`${of} is not there`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width };
  };

  async function drag(cdp: CDPSession, from: { x: number; y: number }, right: number, down: number): Promise<void> {
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", step: number) =>
      cdp.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: type === "touchEnd" ? [] : [{ x: from.x + (right * step) / 10, y: from.y + (down * step) / 10 }],
      });
    await touch("touchStart", 0);
    for (let step = 1; step <= 10; step++) await touch("touchMove", step);
    await touch("touchEnd", 10);
  }

  it.each(["popup", "drawer"])(
    "moves a slider and a long text by finger, and not the page behind: a %s [player.overlay-gestures]",
    async (mode) => {
      const { opened, on, cdp, place } = await openDialog(mode, phone);
      expect(
        await on
          .locator("dialog .quiz")
          .first()
          .evaluate((box) => box.scrollHeight <= box.clientHeight),
      ).toBe(true);
      const before = await place();
      const slider = await middle(on, "[type=range]");
      await drag(cdp, slider, slider.width / 3, 4);
      await expect.poll(async () => Number(await on.getByRole("slider").inputValue())).toBeGreaterThan(60);
      await drag(cdp, await middle(on, "textarea"), 3, -80);
      await expect.poll(() => on.locator("textarea").evaluate((field) => field.scrollTop)).toBeGreaterThan(20);
      // where nothing scrolls, neither does the page
      await drag(cdp, await middle(on, "h2"), 0, -200);
      await drag(cdp, slider, 4, -200);
      await on.waitForTimeout(300);
      expect(await place()).toBe(before);
      await opened.close();
    },
  );

  it("is zoomed by two fingers [player.overlay-gestures]", async () => {
    const { opened, on, cdp, place } = await openDialog("popup", phone);
    const scale = () => on.evaluate(() => visualViewport?.scale ?? 1);
    const { x, y } = await middle(on, "h2");
    const fingers = (apart: number) => [-apart, apart].map((by, id) => ({ x: x + by, y, id }));
    await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(30) });
    for (let apart = 30; apart <= 100; apart += 10)
      await cdp.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: fingers(apart) });
    await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await expect.poll(scale).toBeGreaterThan(1.5);
    // then one finger moves what is visible of it, and not the page behind
    const top = () => on.evaluate(() => visualViewport?.offsetTop ?? 0);
    const before = await top();
    const behind = await place();
    await drag(cdp, { x: 150, y: 500 }, 0, -150);
    await expect.poll(top).toBeGreaterThan(before + 40);
    expect(await place()).toBe(behind);
    await opened.close();
  });

  it.each(["popup", "drawer"])(
    "does not scroll the page by its backdrop: a %s [player.overlay-gestures]",
    async (mode) => {
      const { opened, on, place } = await openDialog(mode, { viewport: { width: 1440, height: 900 } });
      const before = await place();
      await on.mouse.move(40, 450);
      for (let turn = 0; turn < 3; turn++) await on.mouse.wheel(0, 400);
      await on.waitForTimeout(300);
      expect(await place()).toBe(before);
      // and does again once it is closed
      await on.keyboard.press("Escape");
      await opened.heard("closed");
      await on.mouse.wheel(0, 400);
      await expect.poll(place).toBeGreaterThan(before + 100);
      await opened.close();
      const tablet = { viewport: { width: 1024, height: 900 }, hasTouch: true, isMobile: true };
      const other = await openDialog(mode, tablet);
      const behind = await other.place();
      await drag(other.cdp, { x: 40, y: 600 }, 0, -300);
      await other.on.waitForTimeout(300);
      expect(await other.place()).toBe(behind);
      await other.opened.close();
    },
  );

  it("scrolls a long text by wheel, and not the page behind [player.overlay-gestures]", async () => {
    const { opened, on, place } = await openDialog("popup", { viewport: { width: 1440, height: 900 } });
    const before = await place();
    const field = on.locator("textarea");
    const { x, y } = await middle(on, "textarea");
    await on.mouse.move(x, y);
    await on.mouse.wheel(0, 60);
    await expect.poll(() => field.evaluate((one) => one.scrollTop)).toBeGreaterThan(20);
    for (let turn = 0; turn < 5; turn++) await on.mouse.wheel(0, 3_000);
    await on.waitForTimeout(300);
    expect(await place()).toBe(before);
    const zooms = await on.locator("dialog").evaluate((dialog) => {
      const event = new WheelEvent("wheel", { deltaY: 50, ctrlKey: true, bubbles: true, cancelable: true });
      dialog.dispatchEvent(event);
      return !event.defaultPrevented;
    });
    expect(zooms).toBe(true);
    await opened.close();
  });
});
