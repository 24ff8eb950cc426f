import { afterEach, describe, expect, it } from "vitest";
import type { Component } from "../../engine/document.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type OpenedScreen, openScreenPage, type ScreenSettings } from "../../testkit/browser-screen.ts";
import {
  choice,
  content,
  date,
  email,
  formula,
  number,
  option,
  page,
  phone,
  quizDocument,
  text,
} from "../../testkit/document-parts.ts";

const browser = await openBrowser();
const picture = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

describe.skipIf(browser === null)("what a page asks", () => {
  let screen: OpenedScreen | null = null;
  afterEach(async () => {
    expect(screen?.faults).toEqual([]);
    await screen?.close();
    screen = null;
  });

  /** A page of these components, and one after it. */
  const open = async (components: Component[], settings?: ScreenSettings): Promise<OpenedScreen> => {
    const after = page("after", [content("end", "<p>After</p>")], { kind: "content" });
    const presentation = { advance: "button" as const };
    screen = await openScreenPage(quizDocument([page("first", components), after], { presentation }), settings);
    return screen;
  };
  const next = (on: OpenedScreen) => on.quiz.getByRole("button", { name: "Next" }).click();

  it("takes one of several options by radios in a group with the question's name [player.kinds]", async () => {
    const on = await open([choice("skin", [option("dry"), option("oily")], { required: true })]);
    const group = on.quiz.getByRole("radiogroup", { name: "skin?" });
    expect(await group.evaluate((element) => element.tagName)).toBe("FIELDSET");
    expect(await group.getAttribute("aria-required")).toBe("true");
    await group.getByRole("radio", { name: "dry" }).check();
    await group.getByText("oily").click();
    expect(await group.getByRole("radio", { name: "oily" }).isChecked()).toBe(true);
    expect((await on.answers()).map((event) => "option_ids" in event && event.option_ids)).toEqual([["dry"], ["oily"]]);
  });

  it("takes several options by checkboxes, told in the document's order [player.kinds]", async () => {
    const on = await open([choice("wants", [option("a"), option("b"), option("c")], { multiple: true })]);
    const group = on.quiz.getByRole("group", { name: "wants?" });
    expect(await group.getByText("Choose as many as you like.").isVisible()).toBe(true);
    await group.getByRole("checkbox", { name: "c" }).check();
    await group.getByRole("checkbox", { name: "a" }).check();
    await group.getByRole("checkbox", { name: "c" }).uncheck();
    await group.getByRole("checkbox", { name: "a" }).uncheck();
    const told = (await on.answers()).map((event) => "option_ids" in event && event.option_ids);
    expect(told).toEqual([["c"], ["a", "c"], ["a"], []]);
  });

  it("shows images of options in boxes, with their text for those who do not see them [player.kinds]", async () => {
    const options = [
      option("beach", { label: "By the sea", image_url: picture, image_alt: "Dunes" }),
      option("hill", { label: "In the hills", image_url: picture }),
      option("none", { label: "Nowhere" }),
    ];
    const on = await open([{ ...choice("place", options), kind: "image" }]);
    await on.quiz.getByRole("radio", { name: "Dunes By the sea" }).check();
    expect(await on.quiz.getByRole("img").count()).toBe(1);
    const boxes = await on.quiz.locator(".picture").evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
    expect(boxes.map(({ width, height }) => Math.round(width - height))).toEqual([0, 0, 0]);
  });

  it("keeps the box of an image that cannot be had, and shows no broken one [player.no-shift]", async () => {
    const on = await open([
      { ...choice("place", [option("x", { image_url: "data:image/png;base64,AA" })]), kind: "image" },
    ]);
    await expect.poll(() => on.quiz.locator(".picture img").isVisible()).toBe(false);
    expect(await on.quiz.locator(".picture").count()).toBe(1);
  });

  it("takes short texts in a line and long ones in several [player.kinds]", async () => {
    const on = await open([text("name", { max_length: 40 }), text("story", { max_length: 500 })]);
    await on.quiz.getByLabel("name?").fill("Ann");
    await on.quiz.getByLabel("story?").fill("Once\nupon");
    expect(await on.quiz.locator("textarea").getAttribute("name")).toBe("story");
    await next(on);
    expect((await on.answers()).map((event) => "value" in event && event.value)).toEqual(["Ann", "Once\nupon"]);
  });

  it("says how many characters are left once they get few, and refuses too many [player.text-length]", async () => {
    const on = await open([text("name", { max_length: 30 })]);
    const field = on.quiz.getByLabel("name?");
    await field.fill("nine char");
    expect(await on.quiz.getByText("Characters left").count()).toBe(0);
    await field.fill("🙂".repeat(25));
    expect(await on.quiz.locator(".hint").textContent()).toBe("Characters left: 5");
    // told once the typing stops
    await expect.poll(() => on.quiz.getByRole("status").textContent(), { timeout: 5000 }).toBe("Characters left: 5");
    await field.fill("🙂".repeat(31));
    await next(on);
    expect(await on.quiz.locator(".complaint").textContent()).toBe("Please use at most 30 characters.");
    expect(await on.answers()).toEqual([]);
  });

  it("asks for contacts with the keyboards and memory that browsers have for them [player.kinds]", async () => {
    const on = await open([email("mail", { question: "Mail?" }), phone("mobile")]);
    const attributes = await on.quiz
      .locator(".entry input")
      .evaluateAll((all) =>
        all.map((one) => ["type", "autocomplete", "inputmode", "name"].map((name) => one.getAttribute(name))),
      );
    expect(attributes).toEqual([
      ["email", "email", "email", "mail"],
      ["tel", "tel", "tel", "mobile"],
    ]);
    await on.quiz.getByLabel("Mail?").fill(" ann@shop.example ");
    await on.quiz.getByLabel("News").check();
    await on.quiz.getByLabel("Phone?").fill("+49 171 123 45 67");
    await next(on);
    expect(await on.answers()).toMatchObject([
      { component_key: "mail", value: "ann@shop.example", consent: false },
      { component_key: "mail", value: "ann@shop.example", consent: true },
      { component_key: "mobile", value: "+49 171 123 45 67" },
    ]);
  });

  it("does not go on without a consent that is required beside an answer [player.consent-asked]", async () => {
    const consent = { label: "I agree", required: true };
    const on = await open([email("mail", { question: "Mail?", consent })]);
    await on.quiz.getByLabel("Mail?").fill("ann@shop.example");
    await next(on);
    const box = on.quiz.getByRole("checkbox", { name: "I agree" });
    expect(await box.evaluate((element) => element.matches(":focus"))).toBe(true);
    expect(await on.quiz.locator(".complaint").textContent()).toBe("Please tick this box to go on.");
    await box.check();
    expect(await on.quiz.locator(".complaint").count()).toBe(0);
    await next(on);
    await expect.poll(() => on.title.textContent()).toBe("after");
    expect((await on.answers()).at(-1)).toMatchObject({ value: "ann@shop.example", consent: true });
  });

  it("takes numbers as the shopper's language writes them, with their unit [player.typed-numbers]", async () => {
    const on = await open([number("weight", { step: 0.5, min: 0, unit: "kg" })], { locale: "de-DE" });
    const field = on.quiz.getByLabel("weight?");
    expect(await field.getAttribute("inputmode")).toBe("decimal");
    await field.fill("61,5");
    await on.quiz.getByRole("button", { name: "Weiter" }).click();
    expect(await on.answers()).toMatchObject([{ value: 61.5 }]);
    await on.quiz.getByRole("button", { name: "Zurück" }).click();
    expect(await field.inputValue()).toBe("61,5");
  });

  it("takes a slider's value when it rests, and shows it with its unit [player.kinds]", async () => {
    const on = await open([
      number("age", { min: 0, max: 100, step: 5, unit: "years", style: "slider", required: true }),
    ]);
    const slider = on.quiz.getByRole("slider", { name: "age?" });
    expect(await slider.getAttribute("aria-valuetext")).toBe("Move the slider to answer.");
    await next(on);
    expect(await on.quiz.locator(".complaint").textContent()).toBe("Move the slider to answer.");
    for (let step = 0; step < 4; step += 1) await slider.press("ArrowRight");
    expect(await slider.getAttribute("aria-valuetext")).toBe("70\u00a0years");
    expect(await on.quiz.locator("output").textContent()).toBe("70\u00a0years");
    await next(on);
    expect(await on.answers()).toMatchObject([{ value: 70 }]);
  });

  it("takes what a slider shows by a click on it where it stands [player.kinds]", async () => {
    const on = await open([number("age", { min: 0, max: 100, step: 5, style: "slider" })]);
    await on.quiz.getByRole("slider").click();
    await next(on);
    expect(await on.answers()).toMatchObject([{ value: 50 }]);
  });

  it("takes dates, and dates with a time, from the browser's own fields [player.kinds]", async () => {
    const on = await open([date("day"), date("moment", { with_time: true })]);
    await on.quiz.getByLabel("day?").fill("2026-05-17");
    await on.quiz.getByLabel("moment?").fill("2026-05-17T10:30");
    await next(on);
    expect(await on.answers()).toMatchObject([
      { value: { date: "2026-05-17", time: null } },
      { value: { date: "2026-05-17", time: "10:30" } },
    ]);
  });

  it("takes a date that is typed part by part [player.kinds]", async () => {
    const on = await open([date("day")]);
    await on.quiz.locator("[name=day]").focus();
    await on.page.keyboard.type("05172026");
    await next(on);
    expect((await on.answers()).at(-1)).toMatchObject({ value: { date: "2026-05-17", time: null } });
  });

  it("asks to complete a date of which only a part is there [player.wrong-answers]", async () => {
    const on = await open([date("day")]);
    await on.quiz.getByLabel("day?").focus();
    await on.page.keyboard.type("17");
    await next(on);
    expect(await on.quiz.locator(".complaint").textContent()).toBe("Please enter a complete date.");
  });

  it("shows a formula's value in the shopper's numbers, and nothing where it has none [player.kinds]", async () => {
    const on = await open([number("n"), formula("f", "A tenth", "n / 10 * 1000")], { locale: "de" });
    expect(await on.quiz.getByText("A tenth").count()).toBe(0);
    await on.quiz.getByLabel("n?").fill("12345");
    await on.quiz.getByLabel("n?").blur();
    await expect.poll(() => on.quiz.locator(".fact").textContent()).toBe("A tenth 1.234.500");
  });

  it("says what is wrong beside each field, and takes the focus to the first [player.wrong-answers]", async () => {
    const on = await open([
      choice("skin", [option("dry"), option("oily")]),
      email("mail", { question: "Mail?", consent: null, required: true }),
      number("age", { min: 18 }),
      text("name", { required: true }),
    ]);
    await on.quiz.getByLabel("Mail?").fill("ann@");
    await on.quiz.getByLabel("age?").fill("7");
    await next(on);
    const mail = on.quiz.getByLabel("Mail?");
    expect(await mail.evaluate((element) => element.matches(":focus"))).toBe(true);
    expect(await mail.getAttribute("aria-invalid")).toBe("true");
    const described = await mail.getAttribute("aria-describedby");
    expect(await on.quiz.locator(`#${described}`).textContent()).toBe(
      "Please enter an email address such as name@example.com.",
    );
    expect(await on.quiz.locator(".complaint").allTextContents()).toContain("Please enter 18 or more.");
    await mail.fill("ann@shop.example");
    expect(await on.quiz.locator(".complaint").allTextContents()).toEqual(["Please enter 18 or more."]);
    await on.quiz.getByLabel("age?").fill("21");
    await next(on);
    expect(await on.quiz.locator(".complaint").allTextContents()).toEqual(["Please answer this question."]);
    expect(await on.quiz.getByLabel("name?").evaluate((element) => element.matches(":focus"))).toBe(true);
  });

  it("takes the focus to the first option where a choice is missing [player.wrong-answers]", async () => {
    const on = await open([choice("skin", [option("dry"), option("oily")], { required: true })]);
    await next(on);
    expect(await on.quiz.locator(".complaint").textContent()).toBe("Please choose one answer.");
    expect(await on.quiz.getByRole("radio", { name: "dry" }).evaluate((one) => one.matches(":focus"))).toBe(true);
    await on.quiz.getByText("oily").click();
    await expect.poll(() => on.quiz.locator(".complaint").count()).toBe(0);
  });

  it("goes on by Enter in a field [player.enter]", async () => {
    const on = await open([text("name", { max_length: 40 })]);
    await on.quiz.getByLabel("name?").fill("Ann");
    await on.quiz.getByLabel("name?").press("Enter");
    await expect.poll(() => on.title.textContent()).toBe("after");
    expect(await on.answers()).toMatchObject([{ value: "Ann" }]);
  });

  it("takes what stands in a field when the page goes, though nobody left the field [player.typed-text]", async () => {
    const on = await open([text("name")]);
    await on.quiz.getByLabel("name?").fill("Ann");
    expect(await on.answers()).toEqual([]);
    await on.page.evaluate(() => window.dispatchEvent(new Event("pagehide")));
    expect(await on.answers()).toMatchObject([{ value: "Ann" }]);
  });

  it("keeps what is no answer yet in its field when the shopper comes back [player.typed-text]", async () => {
    const first = page("first", [text("a")]);
    const second = page("second", [number("n")]);
    screen = await openScreenPage(quizDocument([first, second, page("third", [])]));
    await next(screen);
    await screen.quiz.getByLabel("n?").fill("twelve");
    await screen.quiz.getByRole("button", { name: "Back" }).click();
    await next(screen);
    expect(await screen.quiz.getByLabel("n?").inputValue()).toBe("twelve");
    expect(await screen.answers()).toEqual([]);
  });
});
