import fc from "fast-check";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Component } from "../../engine/document.ts";
import { signedIn } from "../../testkit/accounts.ts";
import { feedHistory } from "../../testkit/analytics-model/feed.ts";
import { arbitraryStoreHistory } from "../../testkit/analytics-model/histories.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { EditorTests } from "../../testkit/dashboard-editor.ts";
import { readNodes } from "../../testkit/dashboard-figures.ts";
import { choice, number, option, page as pageOf, products, quizDocument, text } from "../../testkit/document-parts.ts";
import type { TestQuiz } from "../../testkit/quizzes.ts";

const elsewhere = "https://pictures.example/";
const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';

describe.skipIf(!(await openBrowser()))("parts of the editor", () => {
  const editor = new EditorTests({ movedAddresses: [[elsewhere, "/demo/pictures/"]] });

  const documentOf = async (quiz: TestQuiz) => (await editor.draftOf(quiz)).document;
  const textBlock = (html_text: string) => ({ kind: "content", component_key: "hi", html_text }) satisfies Component;

  describe("moving by mouse", () => {
    /** Lets go once the row says where what is dragged would land. */
    const drag = async (from: Locator, to: Locator, edge: "before" | "behind") => {
      const page = from.page();
      await from.hover();
      await page.mouse.down();
      const { x = 0, y = 0, height = 0 } = (await to.boundingBox()) ?? {};
      const target = { x: x + 40, y: edge === "before" ? y + 4 : y + height - 4 };
      await page.mouse.move(target.x, target.y + (edge === "before" ? 6 : -6), { steps: 4 });
      await page.mouse.move(target.x, target.y, { steps: 4 });
      await expect.poll(() => to.getAttribute("data-edge")).toBe(edge);
      await page.mouse.up();
    };

    it("puts pages, and what is on them, where they are dropped [editor.undo]", async () => {
      const quiz = await editor.quiz({
        document: quizDocument([
          pageOf("a", [text("one"), text("two")], { title: "First" }),
          pageOf("b", [], { title: "Second" }),
          pageOf("c", [], { title: "Third" }),
        ]),
      });
      const { page } = await editor.edit(quiz);
      const row = (name: string) => page.locator(".qs-ed-row").filter({ hasText: name });
      const places = async () =>
        (await documentOf(quiz)).pages.map((one: { page_key: string; components: { component_key: string }[] }) =>
          [one.page_key, ...one.components.map(({ component_key }) => component_key)].join(" "),
        );
      await drag(row("Third"), row("First"), "before");
      await expect.poll(places).toEqual(["c", "a one two", "b"]);
      await drag(row("Third"), row("Second"), "behind");
      await expect.poll(places).toEqual(["a one two", "b", "c"]);
      await drag(row("two"), row("one"), "before");
      await expect.poll(places).toEqual(["a two one", "b", "c"]);
      await drag(row("one"), row("Second"), "before");
      await expect.poll(places).toEqual(["a two", "b one", "c"]);
      await page.keyboard.press("Control+z");
      await expect.poll(places).toEqual(["a two one", "b", "c"]);
    });

    it("puts options where they are dropped [editor.undo]", async () => {
      const options = ["Dry", "Oily", "Both"].map((label) => option(label, { label }));
      const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [choice("skin", options)])]) });
      const { page } = await editor.edit(quiz);
      await page.getByRole("button", { name: /^skin/ }).click();
      const entry = (at: number) => page.locator(`[data-field="pages.0.components.0.options.${at}"]`);
      const labels = async () =>
        (await documentOf(quiz)).pages[0].components[0].options.map(({ label }: { label: string }) => label);
      await drag(entry(2).locator(".qs-ed-grip"), entry(0), "before");
      await expect.poll(labels).toEqual(["Both", "Dry", "Oily"]);
      await drag(entry(0).locator(".qs-ed-grip"), entry(1), "behind");
      await expect.poll(labels).toEqual(["Dry", "Both", "Oily"]);
    });
  });

  describe("what a question asks for", () => {
    it("is set by form: limits, shuffling, options that exclude others or have a text field [editor.special-options]", async () => {
      const options = ["Dry", "Oily", "Nothing yet"].map((label) => option(label, { label }));
      const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [choice("skin", options)])]) });
      const opened = await editor.edit(quiz);
      const { page } = opened;
      await page.getByRole("button", { name: /^skin/ }).click();
      const question = async () => (await documentOf(quiz)).pages[0].components[0];
      await page.getByLabel("Layout").selectOption("chips");
      await page.getByRole("checkbox", { name: "Several may be chosen" }).check();
      await page.getByLabel("At least", { exact: true }).fill("1");
      await page.getByLabel("At most", { exact: true }).fill("2");
      await page.getByRole("checkbox", { name: "Shuffle the options" }).check();
      await page.getByText("“None of these” and “Other”").click();
      await page.getByRole("checkbox", { name: "Nothing yet: excludes the others" }).check();
      await page.getByRole("checkbox", { name: "Oily: with a text field" }).check();
      expect(await page.getByRole("checkbox", { name: "Dry: with a text field" }).count()).toBe(0);
      expect(await opened.violations()).toEqual([]);
      const [dry, oily, nothing] = options;
      const set = { style: "chips", multiple: true, min_choices: 1, max_choices: 2, shuffle: true };
      await expect.poll(question).toEqual({
        ...choice("skin", []),
        ...set,
        options: [dry, { ...oily, other: true }, { ...nothing, exclusive: true }],
      });
      await page.getByRole("checkbox", { name: "Oily: with a text field" }).uncheck();
      await page.getByRole("checkbox", { name: "Nothing yet: excludes the others" }).uncheck();
      await page.getByRole("checkbox", { name: "Shuffle the options" }).uncheck();
      await page.getByLabel("At least", { exact: true }).fill("");
      await page.getByLabel("At most", { exact: true }).fill("");
      await expect.poll(question).toEqual({ ...choice("skin", options), style: "chips", multiple: true });
    });

    it("as a rating has a symbol and texts for its ends [editor.ratings]", async () => {
      const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [number("taste")])]) });
      const opened = await editor.edit(quiz);
      const { page } = opened;
      await page.getByRole("button", { name: /^taste/ }).click();
      await page.getByLabel("Shown as").selectOption("rating");
      await page.getByLabel("Symbol").selectOption("heart");
      await page.getByLabel("Text at the lowest value").fill("Awful");
      expect(await opened.violations()).toEqual([]);
      const set = { style: "rating", icon: "heart", min_label: "Awful" };
      await expect
        .poll(async () => (await documentOf(quiz)).pages[0].components[0])
        .toMatchObject({ ...number("taste"), min: 1, max: 5, ...set });
    });
  });

  describe("a text with HTML", () => {
    it("is set in bold, in lists and with links by keys alone [editor.rich-text]", async () => {
      const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [textBlock("")])]) });
      const opened = await editor.edit(quiz);
      const { page } = opened;
      await page.getByRole("button", { name: /Text block/ }).click();
      const area = page.getByRole("textbox", { name: "Text", exact: true });
      await area.focus();
      const { keyboard } = page;
      await keyboard.type("Made of ");
      await keyboard.press("Control+b");
      await keyboard.type("oats");
      await keyboard.press("Control+b");
      await keyboard.type(" & <honey>");
      await keyboard.press("Enter");
      await keyboard.press("Control+Shift+Digit8");
      await keyboard.type("calm");
      await keyboard.press("Enter");
      await keyboard.press("Control+i");
      await keyboard.type("soft");
      await keyboard.press("Control+i");
      await keyboard.type(" too");
      await keyboard.press("Enter");
      await keyboard.press("Control+k");
      await page.getByLabel("Where the link leads").waitFor();
      await keyboard.type("shop.example/oats");
      await keyboard.press("Enter");
      const html = async () => (await documentOf(quiz)).pages[0].components[0].html_text;
      const link = '<a href="https://shop.example/oats" rel="noopener">https://shop.example/oats</a>';
      const made = `<p>Made of <strong>oats</strong> &amp; &lt;honey&gt;</p><ul><li>calm</li><li><em>soft</em> too</li><li>${link}</li></ul>`;
      await expect.poll(html).toBe(made);
      await page.getByTestId("preview").locator("strong", { hasText: "oats" }).waitFor();
      expect(await opened.violations()).toEqual([]);
      // what is kept is what was typed: nothing was taken out, and there is no step of it
      expect(await page.getByText("Taken out of this text").count()).toBe(0);
      await keyboard.press("Control+z");
      await expect.poll(html).not.toBe(made);
      await page.getByRole("button", { name: /^Redo/ }).click();
      await expect.poll(html).toBe(made);
    });

    it("has buttons that arrows lead through, and can be read as HTML [editor.rich-text]", async () => {
      const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [textBlock("<p>Hello you</p>")])]) });
      const { page } = await editor.edit(quiz);
      await page.getByRole("button", { name: /^Hello you/ }).click();
      const area = page.getByRole("textbox", { name: "Text", exact: true });
      await area.focus();
      await page.keyboard.press("Control+a");
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await page.getByLabel("Edit as HTML").check();
      await expect.poll(() => page.getByLabel("Text", { exact: true }).inputValue()).toBe("<p><u>Hello you</u></p>");
    });
  });

  describe("number fields", () => {
    const typed: [label: string, typed: string, value: unknown, shown: string][] = [
      ["Step", "5", 5, "5"],
      ["Minimum", "-0.25", -0.25, "-0.25"],
      ["Maximum", "1,5", 1.5, "1.5"],
    ];
    it("hold what is typed after they were emptied, with its sign [dashboard.number-fields]", async () => {
      const age = number("age", { min: 0, max: 9, step: 1 });
      const rule = { component_key: "age", op: "lt", value: 3 } as const;
      const document = quizDocument([
        pageOf("a", [age, text("why", { max_length: 1000 })]),
        pageOf("b", [], { visible_when: rule }),
      ]);
      const quiz = await editor.quiz({ document });
      const opened = await editor.edit(quiz);
      const { page } = opened;
      const component = async (at: number) => (await documentOf(quiz)).pages[0].components[at];
      const write = async (field: Locator, value: string, shown: string) => {
        await field.press("Control+a");
        await field.press("Delete");
        expect(await field.inputValue()).toBe("");
        await field.pressSequentially(value);
        expect(await field.inputValue()).toBe(value);
        await field.press("Tab");
        expect(await field.inputValue()).toBe(shown);
      };
      await page.getByRole("button", { name: /^age/ }).click();
      for (const [label, value, , shown] of typed) await write(page.getByLabel(label, { exact: true }), value, shown);
      await expect.poll(() => component(0)).toMatchObject({ step: 5, min: -0.25, max: 1.5 });
      // an empty step is one step, an empty bound is none
      for (const label of ["Step", "Minimum"]) await page.getByLabel(label, { exact: true }).fill("");
      await page.getByLabel("Minimum", { exact: true }).press("Tab");
      await expect.poll(() => component(0)).toMatchObject({ step: 1, min: null });
      expect(await page.getByLabel("Step", { exact: true }).inputValue()).toBe("1");
      // what is no number stays, marked, and changes nothing
      await page.getByLabel("Maximum", { exact: true }).fill("ten");
      await page.getByLabel("Maximum", { exact: true }).press("Tab");
      await page.getByText("Enter a number, such as 12 or 1.5").waitFor();
      expect(await component(0)).toMatchObject({ max: 1.5 });
      expect(await opened.violations()).toEqual([]);
      await page.getByRole("button", { name: /^why/ }).click();
      await write(page.getByLabel("Longest answer", { exact: true }), "20", "20");
      await expect.poll(() => component(1)).toMatchObject({ max_length: 20 });
      await page.getByRole("button", { name: /^2? ?b/ }).click();
      await write(page.getByLabel("Value", { exact: true }), "5", "5");
      await expect.poll(async () => (await documentOf(quiz)).pages[1].visible_when).toEqual({ ...rule, value: 5 });
      await page.getByLabel("Value", { exact: true }).fill("");
      await page.getByLabel("Value", { exact: true }).press("Tab");
      expect(await page.getByLabel("Value", { exact: true }).inputValue()).toBe("5");
      // an undo, which takes back all that was typed into the field, shows the number before
      await page.getByLabel("Value", { exact: true }).fill("7");
      await page.keyboard.press("Control+z");
      await expect.poll(() => page.getByLabel("Value", { exact: true }).inputValue()).toBe("3");
    });
  });

  it("choose the results and the place of a condition, one that is gone too, at 375 pixels [editor.conditions]", async () => {
    const rule = { kind: "winner" as const, op: "in" as const, dimension_ids: ["gone"] };
    const name = "Very dry skin that needs care every morning and every evening";
    const document = quizDocument(
      [
        pageOf("a", [choice("skin", [option("x", { points: { dry: 2 } })])]),
        pageOf("b", [text("why")], { visible_when: rule }),
      ],
      { dimensions: [{ dimension_id: "dry", name }] },
    );
    const quiz = await editor.quiz({ document });
    const opened = await editor.edit(quiz);
    const { page } = opened;
    await page.setViewportSize({ width: 375, height: 800 });
    await page.getByRole("button", { name: /^2? ?b/ }).click();
    const condition = async () => (await documentOf(quiz)).pages[1].visible_when;
    await page.getByLabel(/^Very dry skin/).check();
    await expect.poll(condition).toEqual({ ...rule, dimension_ids: ["gone", "dry"] });
    await page.getByLabel("gone (not there any more)").click();
    await page.getByLabel("Which place").selectOption("in second place");
    await expect.poll(condition).toEqual({ ...rule, dimension_ids: ["dry"], rank: 2 });
    expect(await page.getByLabel("gone (not there any more)").count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
    expect(await opened.violations()).toEqual([]);
  });

  it("fill options without a text by Enter and by pasted lines before adding others [editor.options]", async () => {
    const blank = (id: string) => option(id, { label: "" });
    const document = quizDocument([
      pageOf("a", [choice("skin", [blank("x"), blank("y"), option("z", { label: "Z" })])]),
    ]);
    const quiz = await editor.quiz({ document });
    const { page } = await editor.edit(quiz);
    const labels = async () =>
      (await documentOf(quiz)).pages[0].components[0].options.map(({ label }: { label: string }) => label);
    await page.getByRole("button", { name: "2 issues" }).waitFor();
    await page.getByRole("button", { name: /^skin/ }).click();
    const field = (at: number) => page.getByLabel(`Option ${at}`, { exact: true });
    await field(1).focus();
    await page.keyboard.type("Dry");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Oily");
    await expect.poll(labels).toEqual(["Dry", "Oily", "Z"]);
    // behind the last one with a text there is none to fill
    await field(3).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => field(4).count()).toBe(1);
    // an empty one is not followed by another empty one
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    expect(await field(5).count()).toBe(0);
    await field(4).evaluate((input) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "•\tCalm\r\n•\tRed\r\n\r\n•\tBoth");
      input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    });
    await expect.poll(labels).toEqual(["Dry", "Oily", "Z", "Calm", "Red", "Both"]);
  });

  it("tells fields of one label apart, each by what it is of [editor.screen]", async () => {
    const document = quizDocument([pageOf("r", [products("best", [1, 2], { source: "winner" })], { kind: "result" })], {
      dimensions: [{ dimension_id: "calm", name: "Calm" }],
    });
    const { page } = await editor.edit(await editor.quiz({ document }));
    await page.getByRole("button", { name: /Products/ }).click();
    for (const id of [1, 2])
      expect(await page.getByLabel(`Result that shows gid://shopify/Product/${id}`).count()).toBe(1);
  });

  it("shows pictures where this server has them, and leaves their addresses as they are [editor.pictures]", async () => {
    const image_url = `${elsewhere}quiz/letter.svg`;
    const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [text("why")], { image_url })]) });
    const opened = await editor.open();
    const { page } = opened;
    await page.route("**/demo/pictures/quiz/letter.svg", (route) =>
      route.fulfill({ contentType: "image/svg+xml", body: drawing }),
    );
    await opened.open(`/quizzes/${quiz.id}/edit`);
    await page.getByRole("button", { name: /^1 ?a/ }).click();
    const isDrawn = (image: Locator) => image.evaluate((one) => (one as HTMLImageElement).naturalWidth > 0);
    await expect.poll(() => isDrawn(page.getByTestId("preview").locator("img").first())).toBe(true);
    await expect.poll(() => isDrawn(page.locator(".qs-ed-picture img"))).toBe(true);
    await page.getByLabel("Title", { exact: true }).fill("Another");
    await expect.poll(async () => (await documentOf(quiz)).pages[0].title).toBe("Another");
    expect((await documentOf(quiz)).pages[0].image_url).toBe(image_url);
  });

  it("shows on the logic map how many shoppers of chosen days went which way [editor.figures]", async () => {
    const [given] = fc.sample(arbitraryStoreHistory({ maxSessions: 60 }), { seed: 31, numRuns: 1 });
    const fed = await feedHistory(editor.t, given!);
    const { id = "" } = fed.history.quizzes.find(({ deleted }) => !deleted) ?? {};
    const noor = await signedIn(editor.t, "noor@example.com", { store: fed.store, role: "editor" });
    const opened = await editor.open(noor);
    const { page } = opened;
    await opened.open(`/quizzes/${id}/edit`);
    await page.getByRole("tab", { name: "Logic" }).click();
    await page.locator("[data-node]").first().waitFor();
    expect((await readNodes(page)).map(({ count }) => count)).not.toContain("0");
    const figures = page.getByLabel("Show how many went which way");
    await figures.check();
    await page.getByRole("button", { name: /^Days: .*\d/ }).click();
    await page.getByRole("button", { name: "Last 365 days" }).click();
    const range = page.locator("[data-range]");
    await page.getByRole("button", { name: /^Days: Last 365 days/ }).waitFor();
    const [from, to] = ((await range.getAttribute("data-range")) ?? "").split("/");
    const asked = `/v1/quizzes/${id}/analytics/paths?from=${from}&to=${to}&tz=UTC`;
    const { body } = await editor.t.request("GET", asked, { key: fed.store.key });
    expect(body.sessions).toBeGreaterThan(0);
    const entries = new Map(
      body.nodes.map((node: { page_key: string; entries: number }) => [node.page_key, node.entries]),
    );
    const counts = async () => (await readNodes(page)).map(({ id: node, count }) => [node, Number(count)]);
    const pages = (await readNodes(page)).map((node) => node.id);
    await expect.poll(counts).toEqual(pages.map((node) => [node, entries.get(node) ?? 0]));
    expect(await opened.violations()).toEqual([]);
    await figures.uncheck();
    await expect.poll(async () => (await readNodes(page)).every(({ count }) => count === "")).toBe(true);
  });
});
