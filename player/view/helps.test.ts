import { afterEach, describe, expect, it } from "vitest";
import type { Component, Page, QuizDocument } from "../../engine/document.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type OpenedScreen, openScreenPage, type ScreenSettings } from "../../testkit/browser-screen.ts";
import {
  choice,
  content,
  date,
  email,
  number,
  option,
  page,
  phone,
  quizDocument,
  text,
} from "../../testkit/document-parts.ts";

const browser = await openBrowser();

describe.skipIf(browser === null)("what helps to answer and to go on", () => {
  let screen: OpenedScreen | null = null;
  afterEach(async () => {
    expect(screen?.faults).toEqual([]);
    await screen?.close();
    screen = null;
  });
  const open = async (pages: Page[], settings?: ScreenSettings, presentation: QuizDocument["presentation"] = {}) => {
    screen = await openScreenPage(quizDocument(pages, { presentation }), settings);
    return screen;
  };
  const after = page("after", [content("end", "<p>After</p>")], { kind: "content" });

  it("is below every kind of question, and describes its field [player.help]", async () => {
    const help = "Your best guess will do";
    const helped: Component[] = [
      choice("one", [option("a")], { help }),
      choice("many", [option("a")], { help, multiple: true }),
      { ...choice("picture", [option("a")], { help }), kind: "image" },
      text("word", { help, max_length: 40 }),
      text("story", { help, max_length: 400 }),
      number("size", { help }),
      number("years", { help, style: "slider", min: 0, max: 9 }),
      date("day", { help, min: "today" }),
      email("mail", { help, consent: null }),
      phone("tel", { help }),
    ];
    const on = await open([page("first", helped), after]);
    expect(await on.quiz.getByText(help).count()).toBe(helped.length);
    const described = await on.quiz
      .locator("fieldset, .field > input, .entry > *")
      .evaluateAll(
        (fields, text) =>
          fields.filter((field) =>
            (field.getAttribute("aria-describedby") ?? "")
              .split(" ")
              .some((id) => (field.getRootNode() as ShadowRoot).getElementById(id)?.textContent === text),
          ).length,
        help,
      );
    expect(described).toBe(helped.length);
  });

  it("is an example in an empty text, and the shopper's own name by the browser [player.help]", async () => {
    const name = text("name", { format: "name", placeholder: "Ada Lovelace", max_length: 1_000 });
    const on = await open([page("first", [name, text("story", { placeholder: "It began …" }), text("plain")]), after]);
    const attributes = (key: string) =>
      on.quiz
        .locator(`[name=${key}]`)
        .evaluate((field) => [
          field.tagName,
          field.getAttribute("autocomplete"),
          field.getAttribute("placeholder") ?? "",
        ]);
    expect(await attributes("name")).toEqual(["INPUT", "name", "Ada Lovelace"]);
    expect(await attributes("story")).toEqual(["TEXTAREA", null, "It began …"]);
    expect(await attributes("plain")).toEqual(["TEXTAREA", null, ""]);
  });

  const welcome = page("welcome", [content("hi", "<p>Hi</p>")], { kind: "content" });
  const asks = page("asks", [text("word")]);
  const button = (on: OpenedScreen) => on.quiz.locator(".foot .main");

  it("says what the page says, at the end too, in every language [player.onward]", async () => {
    const named = [
      { ...welcome, next_label: "Find my cream" },
      { ...asks, next_label: null },
      { ...after, next_label: "Done" },
    ];
    const on = await open(named, { locale: "ar", dir: "rtl" });
    for (const words of ["Find my cream", "التالي", "Done"]) {
      await expect.poll(() => button(on).textContent()).toBe(words);
      await button(on).click();
    }
  });

  it("begins its progress with the first page's share [player.progress]", async () => {
    const on = await open([welcome, asks, asks, after].map((each, index) => ({ ...each, page_key: `p${index}` })));
    expect(await on.quiz.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("25");
  });
});
