import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedPage, type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { shortcutHtml, shortcutPages, shortcutScripts } from "../../testkit/browser-shortcuts.ts";
import {
  choice,
  date,
  email,
  number,
  option,
  quizDocument,
  page as quizPage,
  text,
} from "../../testkit/document-parts.ts";

/** Shops with keyboard shortcuts, by the libraries that such shops use. */
describe.skipIf((await openBrowser()) === null)("a shop's keyboard shortcuts", () => {
  let shop: EmbeddedShop;
  let on: EmbeddedPage;
  beforeAll(async () => {
    shop = await openEmbeddedShop(
      quizDocument(
        [
          quizPage("first", [
            text("words", { max_length: 100 }),
            text("story", { max_length: 500 }),
            email("mail", { question: "Mail?" }),
            number("size", { min: -10, max: 100, step: 0.5 }),
            date("day"),
            choice("skin", [option("dry"), option("oily")]),
          ]),
          quizPage("second", [text("more")]),
        ],
        { presentation: { advance: "button" } },
      ),
    );
  });
  afterAll(() => shop.close());
  afterEach(async () => {
    expect(on.faults).toEqual([]);
    await on.close();
  });

  async function open(attributes = ""): Promise<void> {
    const button = `<button id="b" data-quizstore-open="${shop.quiz.id}">Open</button>`;
    on = await shop.open(`<h1 tabindex="-1">Shop</h1>${shortcutHtml()}${button}${shop.tag(attributes)}`, {
      pages: shortcutPages,
    });
    await on.page.waitForFunction("window.hasShortcuts && customElements.get('quiz-store')");
    if (attributes !== "") await on.page.locator("#b").click();
    await on.heard("page");
  }
  const told = () => on.page.evaluate<string[]>("shortcuts.splice(0)");
  const typed = { words: "lips and/or eyes", story: "s. and/or d", mail: "ann.d@shop.example", size: "5.5" };

  it.each([
    ["in the page", ""],
    ["in a popup", 'mode="popup"'],
    ["in a drawer", 'mode="drawer"'],
  ])("get nothing that is typed into a quiz, %s [player.own-keys]", async (_where, attributes) => {
    await open(attributes);
    const { keyboard } = on.page;
    for (const [name, value] of Object.entries(typed)) {
      const field = on.page.locator(`[name="${name}"]`);
      await field.click();
      await keyboard.type(value);
      await keyboard.press("Home");
      await keyboard.press("End");
      await keyboard.press("Backspace");
      await keyboard.type(value.slice(-1));
      expect([name, await field.inputValue()]).toEqual([name, value]);
    }
    await on.page.locator("[name=day]").focus();
    await keyboard.type("05052025");
    expect(await on.page.locator("[name=day]").inputValue()).toBe("2025-05-05");
    await on.page.getByLabel("dry").focus();
    await keyboard.press("Space");
    await keyboard.press("ArrowDown");
    expect(await on.page.getByLabel("oily").isChecked()).toBe(true);
    expect(await told()).toEqual([]);
    await on.page.locator("[name=words]").focus();
    await keyboard.press("Enter");
    expect((await on.heard("page", 2)).page_key).toBe("second");
    expect(await told()).toEqual([]);
  });

  it("get Escape and Tab from a field, and all keys from elsewhere [player.own-keys]", async () => {
    await open();
    const { keyboard } = on.page;
    await on.page.locator("[name=words]").focus();
    for (const key of ["Escape", "Tab"]) await keyboard.press(key);
    expect(await on.page.locator("[name=story]").evaluate((field) => field.matches(":focus"))).toBe(true);
    expect(await told()).toEqual(["Escape", "Tab"]);
    await on.page.evaluate("prevents = false");
    for (const place of ["h1", "#b", "quiz-store .foot .main"]) {
      await on.page.locator(place).first().focus();
      await keyboard.press("n");
      const heard = (await told()).map((each) => each.replace(/ n?$/, ""));
      expect([place, shortcutScripts.filter((name) => !heard.includes(name))]).toEqual([place, []]);
    }
  });

  it("leave Escape to a popup whose field has the focus [player.own-keys, player.overlay]", async () => {
    await open('mode="popup"');
    await on.page.locator("[name=words]").focus();
    await on.page.keyboard.press("Escape");
    await on.heard("closed");
  });

  it("get nothing of what an input method composes, nor of what a password manager fills in [player.own-keys]", async () => {
    await open();
    const field = on.page.locator("[name=words]");
    await field.focus();
    const cdp = await on.page.context().newCDPSession(on.page);
    await cdp.send("Input.imeSetComposition", { text: "n", selectionStart: 1, selectionEnd: 1 });
    await cdp.send("Input.imeSetComposition", { text: "に/", selectionStart: 2, selectionEnd: 2 });
    await cdp.send("Input.insertText", { text: "日/本" });
    expect(await field.inputValue()).toBe("日/本");
    const filled = await field.evaluate((input: HTMLInputElement) => {
      const heard: string[] = [];
      for (const type of ["keydown", "keypress", "keyup", "input"])
        input.addEventListener(type, (event) => heard.push(`${type} ${(event as KeyboardEvent).key ?? ""}`));
      // as password managers and Chrome's autofill do
      input.dispatchEvent(new KeyboardEvent("keydown", { key: "", bubbles: true, composed: true }));
      input.dispatchEvent(new Event("keydown", { bubbles: true, composed: true }));
      input.value = "and/or";
      input.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
      input.dispatchEvent(new KeyboardEvent("keyup", { key: "/", bubbles: true, composed: true }));
      return heard;
    });
    expect(filled).toEqual(["keydown ", "keydown ", "input ", "keyup /"]);
    expect(await told()).toEqual([]);
    await on.page.getByRole("button", { name: "Next" }).click();
    expect(await on.heard("answered")).toMatchObject({ component_key: "words", answer: { value: "and/or" } });
  });
});
