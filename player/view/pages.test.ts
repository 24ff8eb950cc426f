import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import type { QuizDocument } from "../../engine/document.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type OpenedScreen, openScreenPage, type ScreenSettings } from "../../testkit/browser-screen.ts";
import { choice, content, option, page, quizDocument, text } from "../../testkit/document-parts.ts";

const browser = await openBrowser();
const picture = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
const radios = () => choice("skin", [option("dry"), option("oily"), option("both")]);
const last = page("last", [], { title: "The last" });

describe.skipIf(browser === null)("pages of a quiz", () => {
  let screen: OpenedScreen | null = null;
  afterEach(async () => {
    expect(screen?.faults).toEqual([]);
    await screen?.close();
    screen = null;
  });
  const open = async (document: QuizDocument, settings?: ScreenSettings): Promise<OpenedScreen> => {
    screen = await openScreenPage(document, settings);
    return screen;
  };
  const press = (on: OpenedScreen, name: string) => on.quiz.getByRole("button", { name, exact: true }).click();
  /** The text of what has the focus, in whichever shadow root. */
  const focused = (on: Page): Promise<string | null | undefined> =>
    on.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent);

  it("go on by a click on an option where it is all that is asked [player.advance]", async () => {
    const on = await open(quizDocument([page("first", [radios()]), last]));
    await on.quiz.getByText("oily").click();
    await expect.poll(() => on.title.textContent()).toBe("The last");
    expect((await on.answers()).map((event) => "option_ids" in event && event.option_ids)).toEqual([["oily"]]);
    await press(on, "Back");
    await on.quiz.getByText("oily").click();
    await expect.poll(() => on.title.textContent()).toBe("The last");
  });

  it("go on by Space and Enter, never by the arrow keys [player.arrow-keys]", async () => {
    const on = await open(quizDocument([page("first", [radios()]), last]));
    await on.quiz.getByRole("radio", { name: "dry" }).focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft"])
      await on.page.keyboard.press(key);
    await on.page.keyboard.down("ArrowDown");
    await on.page.keyboard.down("ArrowDown");
    await on.page.keyboard.up("ArrowDown");
    expect(await on.title.textContent()).toBe("first");
    expect(await on.quiz.getByRole("radio", { name: "dry" }).isChecked()).toBe(true);
    await on.page.keyboard.press("Space");
    await expect.poll(() => on.title.textContent()).toBe("The last");
    await press(on, "Back");
    await on.quiz.getByRole("radio", { name: "dry" }).press("Enter");
    await expect.poll(() => on.title.textContent()).toBe("The last");
  });

  it("take an option that only has the focus by Enter and by Space [player.arrow-keys]", async () => {
    for (const key of ["Enter", "Space"]) {
      const on = await open(quizDocument([page("first", [radios()]), last]));
      await on.quiz.getByRole("radio", { name: "dry" }).focus();
      await on.page.keyboard.press(key);
      await expect.poll(() => on.title.textContent()).toBe("The last");
      expect(await on.answers()).toMatchObject([{ option_ids: ["dry"] }]);
      await on.close();
    }
  });

  it("go on by the button alone where the document says so, or more is asked [player.advance]", async () => {
    const documents = [
      quizDocument([page("first", [radios()]), last], { presentation: { advance: "button" } }),
      quizDocument([page("first", [radios(), text("more")]), last]),
      quizDocument([page("first", [{ ...radios(), multiple: true }]), last]),
    ];
    for (const document of documents) {
      const on = await open(document);
      await on.quiz.getByText("oily").click();
      await on.page.evaluate(() => new Promise(requestAnimationFrame));
      expect(await on.title.textContent()).toBe("first");
      await press(on, "Next");
      await expect.poll(() => on.title.textContent()).toBe("The last");
      await on.close();
    }
  });

  it("do not take the second click of a double click as an answer [player.double-click]", async () => {
    const first = page("first", [radios()]);
    const second = page("second", [choice("hair", [option("short"), option("long"), option("none")])]);
    const on = await open(quizDocument([first, second, last]));
    await on.quiz.getByText("oily").dblclick();
    await expect.poll(() => on.title.textContent()).toBe("second");
    expect(await on.answers()).toHaveLength(1);
    await on.quiz.getByText("long").click();
    await expect.poll(() => on.title.textContent()).toBe("The last");
  });

  it("leave the focus alone at first, and give it to the title at each turn [player.page-focus]", async () => {
    const on = await open(quizDocument([page("first", [text("a")]), last]));
    expect(await focused(on.page)).toBeUndefined();
    await press(on, "Next");
    await expect.poll(() => focused(on.page)).toBe("The last");
    await press(on, "Back");
    await expect.poll(() => focused(on.page)).toBe("first");
    expect(await on.title.getAttribute("tabindex")).toBe("-1");
  });

  it("take the focus at once where the page around them wants it [player.page-focus]", async () => {
    const on = await open(quizDocument([page("first", [text("a")]), last]), { takesFocus: true });
    await expect.poll(() => focused(on.page)).toBe("first");
  });

  it("bring the title into view when a long page was left at its end [player.page-focus]", async () => {
    const paragraphs = "<p>Text</p>".repeat(80);
    const on = await open(
      quizDocument([page("first", [content("c", paragraphs)]), page("second", [content("d", paragraphs)])]),
    );
    await press(on, "Next");
    await expect.poll(() => on.title.textContent()).toBe("second");
    await expect.poll(() => on.title.evaluate((title) => title.getBoundingClientRect().top >= 0)).toBe(true);
  });

  it("have a live region before anything is said in it [player.live-region]", async () => {
    const on = await open(quizDocument([page("first", [text("a")]), last]));
    const region = on.quiz.getByRole("status");
    expect(await region.textContent()).toBe("");
    const before = await region.elementHandle();
    await press(on, "Next");
    expect(await region.evaluate((now, then) => now === then, before)).toBe(true);
  });

  it("show what the first page, every page and a result page have of their own [player.pages]", async () => {
    const first = page("first", [], { title: "One", subtitle: "Begin", image_url: picture });
    const second = page("second", [], { title: "Two" });
    const result = page("result", [], { title: "Hidden", headline: "You are done", kind: "result" });
    const presentation = { cover_image_url: picture, description: "What it is about" };
    const on = await open(quizDocument([first, second, result], { presentation }));
    expect(await on.quiz.locator(".head").innerText()).toBe("One\n\nBegin\n\nWhat it is about");
    expect(await on.quiz.locator(".picture").count()).toBe(2);
    await press(on, "Next");
    await expect.poll(() => on.quiz.locator(".head").innerText()).toBe("Two");
    await press(on, "Next");
    await expect.poll(() => on.title.textContent()).toBe("You are done");
    expect(await on.quiz.getByRole("button").allTextContents()).toEqual(["Back", "Take the quiz again"]);
    await press(on, "Take the quiz again");
    await expect.poll(() => on.title.textContent()).toBe("One");
    await expect.poll(() => focused(on.page)).toBe("One");
    expect(await on.page.evaluate(() => window.quizScreen.calls)).toEqual(["restart"]);
  });

  it("show how far it is as a bar, as steps or not at all [player.progress-bar]", async () => {
    const pages = [page("first", []), page("second", []), page("third", []), last];
    for (const progress of ["bar", "steps"] as const) {
      const on = await open(quizDocument(pages, { presentation: { progress } }));
      await press(on, "Next");
      const bar = on.quiz.getByRole("progressbar", { name: "Progress" });
      await expect.poll(() => bar.getAttribute("aria-valuetext")).toBe("Page 2 of 4");
      expect(await bar.getAttribute("aria-valuenow")).toBe("50");
      expect(await on.quiz.locator(".done").count()).toBe(progress === "steps" ? 2 : 0);
      await on.close();
    }
    const on = await open(quizDocument(pages, { presentation: { progress: "none" } }));
    expect(await on.quiz.getByRole("progressbar").count()).toBe(0);
  });

  it("are skipped and left without losing an answer [player.back]", async () => {
    const first = page("first", [text("a")], { skippable: true });
    const on = await open(quizDocument([first, page("second", [text("b")]), last]));
    await on.quiz.getByLabel("a?").fill("Ann");
    await press(on, "Skip");
    await on.quiz.getByLabel("b?").fill("Bob");
    await press(on, "Back");
    expect(await on.quiz.getByLabel("a?").inputValue()).toBe("Ann");
    expect((await on.answers()).map((event) => "value" in event && event.value)).toEqual(["Ann", "Bob"]);
  });

  it("end with a page of thanks where the quiz has no result, from which Back leads [player.closing-page]", async () => {
    const on = await open(quizDocument([page("first", [text("a")])]));
    await on.quiz.getByLabel("a?").fill("Ann");
    await press(on, "Finish");
    await expect.poll(() => on.title.textContent()).toBe("Thank you, that was the last question.");
    await expect.poll(() => focused(on.page)).toBe("Thank you, that was the last question.");
    await press(on, "Back");
    expect(await on.quiz.getByLabel("a?").inputValue()).toBe("Ann");
    await press(on, "Finish");
    await expect.poll(() => on.title.textContent()).toBe("Thank you, that was the last question.");
    expect((await on.events()).filter(({ type }) => type === "quiz_finished")).toHaveLength(1);
  });

  it("do not take the second click of a double click where the end, or an earlier visit, came or went [player.double-click]", async () => {
    const document = quizDocument([page("first", [radios()], { skippable: true }), page("second", [text("a")])]);
    const on = await open(document);
    const clickTwice = async (name: string) => {
      await on.quiz.getByRole("button", { name, exact: true }).dispatchEvent("click", { detail: 1 });
      await on.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20)));
      await on.quiz.locator(".foot button").first().dispatchEvent("click", { detail: 2 });
      await on.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20)));
    };
    await press(on, "Skip");
    await clickTwice("Finish");
    expect(await on.title.textContent()).toBe("Thank you, that was the last question.");
    await clickTwice("Back");
    expect(await on.title.textContent()).toBe("second");
  });

  it("offer an earlier visit before anything else [player.resume-offer]", async () => {
    const document = quizDocument([page("first", [text("a")]), last]);
    const going = await open(document, { earlier: true });
    expect(await going.title.textContent()).toBe("Welcome back");
    await press(going, "Continue");
    await expect.poll(() => going.title.textContent()).toBe("first");
    await expect.poll(() => focused(going.page)).toBe("first");
    await going.close();
    const anew = await open(document, { earlier: true });
    await press(anew, "Start over");
    await expect.poll(() => anew.title.textContent()).toBe("first");
    expect(await anew.page.evaluate(() => window.quizScreen.calls)).toEqual(["startOver"]);
  });

  it("speak the document's own words before the player's [player.languages]", async () => {
    const presentation = { texts: { next: "Vorwärts" } };
    const on = await open(quizDocument([page("first", [text("a", { required: true })]), last], { presentation }), {
      locale: "de",
    });
    await press(on, "Vorwärts");
    expect(await on.quiz.locator(".complaint").textContent()).toBe("Bitte diese Frage beantworten.");
  });

  it("stand in a region with the quiz's name, language and direction [player.languages]", async () => {
    const on = await open(quizDocument([page("first", [])]), { locale: "ar", dir: "rtl", name: "اختبار" });
    expect(await on.quiz.evaluate((box: HTMLElement) => [box.lang, box.dir, box.ariaLabel])).toEqual([
      "ar",
      "rtl",
      "اختبار",
    ]);
  });

  it("take a locale that no formatter knows as English [player.languages]", async () => {
    const on = await open(quizDocument([page("first", [])]), { locale: "not a locale!" });
    expect(await on.quiz.getAttribute("lang")).toBe("en");
  });

  it("leave nothing behind when they are closed [player.screen-closed]", async () => {
    const on = await open(quizDocument([page("first", [text("a")])]));
    await on.page.evaluate(() => window.quizScreen.close());
    const left = await on.page.evaluate(() => {
      const root = document.querySelector("#quiz")?.shadowRoot;
      return [root?.childElementCount, root?.adoptedStyleSheets.length];
    });
    expect(left).toEqual([0, 0]);
  });

  it("need no style element, no style attribute in markup and no script of the page's [player.strict-style]", async () => {
    const on = await open(quizDocument([page("first", [radios()]), last]));
    expect(
      await on.quiz.evaluate((box) => (box.getRootNode() as ShadowRoot).querySelectorAll("style, link").length),
    ).toBe(0);
    expect(await on.quiz.evaluate((box) => getComputedStyle(box).backgroundColor)).toBe("rgb(255, 255, 255)");
  });
});
