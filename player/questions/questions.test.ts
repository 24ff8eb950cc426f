import { afterEach, describe, expect, it } from "vitest";
import type { Component } from "../../engine/document.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type OpenedScreen, openScreenPage, type ScreenSettings } from "../../testkit/browser-screen.ts";
import { choice, content, formula, number, option, page, quizDocument } from "../../testkit/document-parts.ts";

const browser = await openBrowser();

describe.skipIf(browser === null)("questions in forms that few quizzes use", () => {
  let screen: OpenedScreen | null = null;
  afterEach(async () => {
    expect(screen?.faults).toEqual([]);
    await screen?.close();
    screen = null;
  });

  const open = async (components: Component[], settings?: ScreenSettings): Promise<OpenedScreen> => {
    const after = page("after", [content("end", "<p>That was all</p>")], { kind: "content" });
    screen = await openScreenPage(quizDocument([page("first", components), after]), settings);
    return screen;
  };
  const next = (on: OpenedScreen) => on.quiz.getByRole("button", { name: "Next" }).click();
  const told = async (on: OpenedScreen) =>
    (await on.answers()).map((event) => ("value" in event ? event.value : "option_ids" in event && event.option_ids));
  const rating = (more: object = {}) =>
    number("taste", {
      style: "rating",
      min: 1,
      max: 5,
      required: true,
      min_label: "Awful",
      max_label: "Great",
      ...more,
    });

  it("rates by radios in a group, which say their value and what the ends mean [player.ratings]", async () => {
    const on = await open([rating()]);
    const group = on.quiz.getByRole("radiogroup", { name: "taste?" });
    expect(await group.getAttribute("aria-required")).toBe("true");
    const names = ["1, Awful", "2", "3", "4", "5, Great"];
    for (const name of names) expect(await group.getByRole("radio", { name, exact: true }).count()).toBe(1);
    await next(on);
    expect(await on.quiz.locator(".complaint").textContent()).toBe("Please answer this question.");
    await group.locator("label").nth(3).click();
    await expect.poll(() => group.locator(".on").count()).toBe(4);
    expect(await on.quiz.locator(".complaint").count()).toBe(0);
    await next(on);
    expect(await told(on)).toEqual([4]);
    await expect.poll(() => on.quiz.getByText("That was all").isVisible()).toBe(true);
  });

  it("rates by keys alone, with the focus on what is chosen [player.ratings]", async () => {
    const on = await open([rating({ icon: "heart" })]);
    await on.quiz.getByRole("radio", { name: "1, Awful" }).focus();
    await on.page.keyboard.press("Space");
    await on.page.keyboard.press("ArrowRight");
    await on.page.keyboard.press("ArrowRight");
    expect(await told(on)).toEqual([1, 2, 3]);
    expect(await on.quiz.getByRole("radio", { name: "3" }).evaluate((one) => one.matches(":focus"))).toBe(true);
    await on.page.keyboard.press("Enter");
    await expect.poll(() => on.quiz.getByText("That was all").isVisible()).toBe(true);
  });

  it("rates by numbers on the question's steps, in the language's digits [player.ratings]", async () => {
    const on = await open([rating({ icon: "number", min: 0, max: 1, step: 0.1, min_label: null })], {
      locale: "ar-EG",
      dir: "rtl",
      context: { viewport: { width: 320, height: 640 } },
    });
    const labels = on.quiz.locator(".rating label");
    expect(await labels.count()).toBe(11);
    await labels.nth(3).click();
    await expect.poll(() => labels.nth(3).textContent()).toBe("٠٫٣");
    await expect.poll(() => on.quiz.locator(".on").count()).toBe(1);
    expect(await told(on)).toEqual([0.3]);
    const isWide = await on.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(isWide).toBe(false);
    const boxes = await labels.evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
    for (const { width, height, left, right } of boxes) {
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
      expect(left >= 0 && right <= 320).toBe(true);
    }
  });

  it("offers a list to open, which an empty choice clears [player.dropdowns]", async () => {
    const countries = ["at", "ch", "de"].map((id) => option(id, { label: id.toUpperCase() }));
    const on = await open([choice("land", countries, { style: "dropdown", required: true })]);
    const list = on.quiz.getByRole("combobox", { name: "land?" });
    expect(await list.locator("option").allTextContents()).toEqual(["Please choose one answer.", "AT", "CH", "DE"]);
    await next(on);
    expect(await list.evaluate((one) => one.matches(":focus"))).toBe(true);
    expect(await list.getAttribute("aria-invalid")).toBe("true");
    await list.selectOption("ch");
    await expect.poll(() => list.getAttribute("aria-invalid")).toBeNull();
    await list.selectOption("");
    await list.selectOption("de");
    expect(await told(on)).toEqual([["ch"], [], ["de"]]);
    expect(await on.quiz.getByText("That was all").count()).toBe(0);
    await next(on);
    await expect.poll(() => on.quiz.getByText("That was all").isVisible()).toBe(true);
  });

  it.each(["ltr", "rtl"] as const)(
    "sets options in rows as chips that keep the keyboard of a choice, %s [player.chips]",
    async (dir) => {
      const options = ["Dry", "Oily", "Normal", "Sensitive", "A mixture of several"].map((label) =>
        option(label.slice(0, 3), { label }),
      );
      const on = await open([choice("skin", options, { style: "chips", multiple: true })], {
        dir,
        context: { viewport: { width: 320, height: 640 } },
      });
      const group = on.quiz.getByRole("group", { name: "skin?" });
      const tops = await group.locator(".option").evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
      expect(new Set(tops.map(({ top }) => top)).size).toBeLessThan(options.length);
      expect(tops.every(({ left, right, height }) => left >= 0 && right <= 320 && height >= 44)).toBe(true);
      await group.getByText("Oily").click();
      await group.getByRole("checkbox", { name: "Dry" }).focus();
      await on.page.keyboard.press("Space");
      expect(await told(on)).toEqual([["Oil"], ["Dry", "Oil"]]);
    },
  );

  it("keeps the square pictures of an image question unless it has a style [player.chips]", async () => {
    const options = ["a", "b"].map((id) => option(id));
    const cards = { ...choice("cards", options), kind: "image" as const };
    const on = await open([cards, { ...choice("chips", options, { style: "chips" }), kind: "image" as const }]);
    expect(await on.quiz.locator(".cards").count()).toBe(1);
    expect(await on.quiz.locator(".chips").count()).toBe(1);
  });

  it("lets an exclusive option clear the others and be cleared by them [player.choice-limits]", async () => {
    const options = [option("a"), option("b"), option("none", { exclusive: true })];
    const on = await open([choice("q", options, { multiple: true })]);
    const box = (name: string) => on.quiz.getByRole("checkbox", { name });
    for (const name of ["a", "b", "none", "b", "none", "none"])
      await on.quiz.locator("label", { hasText: name }).click();
    expect(await told(on)).toEqual([["a"], ["a", "b"], ["none"], ["b"], ["none"], []]);
    await box("none").focus();
    await on.page.keyboard.press("Space");
    await box("a").focus();
    await on.page.keyboard.press("Space");
    await expect.poll(() => box("a").isChecked()).toBe(true);
    expect(await box("none").isChecked()).toBe(false);
  });

  it("says how many to choose, refuses one too many, and waits for enough [player.choice-limits]", async () => {
    const options = ["a", "b", "c", "d"].map((id) => option(id));
    const on = await open([choice("q", options, { multiple: true, required: true, min_choices: 2, max_choices: 3 })]);
    expect(await on.quiz.locator(".hint").textContent()).toBe("Choose 2 to 3.");
    const press = (name: string) => on.quiz.locator("label", { hasText: name }).click();
    await press("a");
    await next(on);
    expect(await on.quiz.locator(".complaint").textContent()).toBe("Choose 2 to 3.");
    for (const name of ["b", "c", "d"]) await press(name);
    await expect.poll(() => on.quiz.locator(".complaint").textContent()).toBe("Choose at most 3.");
    expect(await on.quiz.getByRole("checkbox", { name: "d" }).isChecked()).toBe(false);
    expect(await told(on)).toEqual([["a"], ["a", "b"], ["a", "b", "c"]]);
    await press("a");
    await press("d");
    expect((await told(on)).at(-1)).toEqual(["b", "c", "d"]);
    await next(on);
    await expect.poll(() => on.quiz.getByText("That was all").isVisible()).toBe(true);
  });

  it.each(["list", "chips", "dropdown"] as const)(
    "asks for a text beside the option that has one, and keeps it with the answer, %s [player.other-text]",
    async (style) => {
      const options = [option("rose"), option("other", { label: "Another", other: true })];
      const on = await open([choice("q", options, { style })]);
      const pick = async (id: string, name: string) =>
        style === "dropdown"
          ? on.quiz.getByRole("combobox").selectOption(id)
          : on.quiz.locator("label.option", { hasText: name }).click();
      const field = on.quiz.getByRole("textbox", { name: "Another: Your answer" });
      expect(await field.count()).toBe(0);
      await pick("other", "Another");
      await field.fill("Leather");
      await field.press("Enter");
      await expect.poll(() => on.quiz.getByText("That was all").isVisible()).toBe(true);
      await on.quiz.getByRole("button", { name: "Back" }).click();
      await expect.poll(() => field.inputValue()).toBe("Leather");
      await field.fill("Amber");
      await expect.poll(async () => (await on.answers()).length, { timeout: 10_000 }).toBe(3);
      await pick("rose", "rose");
      await expect.poll(() => field.count()).toBe(0);
      const said = (await on.answers()).map((event) => [
        "option_ids" in event && event.option_ids,
        "other_text" in event && event.other_text,
      ]);
      expect(said).toEqual([
        [["other"], false],
        [["other"], "Leather"],
        [["other"], "Amber"],
        [["rose"], false],
      ]);
    },
  );

  it("draws options in an order of the session, others and exclusive ones last [player.shuffled]", async () => {
    const options = [option("other", { other: true }), ...["a", "b", "c", "d", "e", "f"].map((id) => option(id))];
    const on = await open([choice("q", options, { shuffle: true, multiple: true })]);
    const names = () => on.quiz.locator(".label").allTextContents();
    const drawn = await names();
    expect(drawn.at(-1)).toBe("other");
    expect(drawn.toSorted()).toEqual([...options.map(({ option_id }) => option_id)].sort());
    expect(drawn).not.toEqual(drawn.toSorted());
    for (const name of drawn.slice(0, 2))
      await on.quiz.locator("label.option", { hasText: new RegExp(`^${name}$`) }).click();
    expect(await names()).toEqual(drawn);
    expect((await told(on)).at(-1)).toEqual(drawn.slice(0, 2).toSorted());
  });

  it("shows a formula with its unit and decimals [player.formula-form]", async () => {
    const on = await open(
      [formula("f", "Dose", "10 / 4", { unit: "ml", decimals: 2 }), formula("g", "Drops", "10 / 4", { decimals: 0 })],
      {
        locale: "de",
      },
    );
    await expect.poll(() => on.quiz.locator(".fact").allTextContents()).toEqual(["Dose 2,50\u00a0ml", "Drops 3"]);
  });
});
