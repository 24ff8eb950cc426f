import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { putProducts } from "../../server/orders/catalog.ts";
import { openBrowser } from "../../testkit/browser.ts";
import type { DashboardPage } from "../../testkit/dashboard.ts";
import { EditorTests } from "../../testkit/dashboard-editor.ts";
import { type Hand, mouse } from "../../testkit/dashboard-hands.ts";
import { choice, option, page as pageOf, quizDocument } from "../../testkit/document-parts.ts";

/** How a quiz begins and grows: what is added, where it goes, and how many clicks that takes. */

const results = ["Dry skin", "Oily skin", "Calm skin"];
const questions = ["Feel", "Shine", "Redness", "Season", "Sleep"];
/** of each question: an option for each result */
const options = ["Tight", "Greasy", "Fine"];

describe.skipIf(!(await openBrowser()))("a new quiz", () => {
  const editor = new EditorTests();

  const focused = (on: DashboardPage, field: string) => on.page.locator(`[data-field="${field}"]:focus`).waitFor();
  const documentOf = async (on: DashboardPage) => {
    const id = /quiz_[0-9a-f]{32}/.exec(on.page.url())?.[0] ?? "";
    return (await editor.mira.request("GET", `/quizzes/${id}/draft`)).body.document;
  };
  const beginEmpty = async (on: DashboardPage, hand: Hand) => {
    await on.open("/quizzes");
    await hand.press(on.page.getByRole("link", { name: "New quiz" }).first());
    await hand.press(on.page.getByRole("button", { name: "Begin empty" }));
    await on.page.waitForURL(/\/edit/);
  };

  /** A page with a question and three options: two clicks, the rest by Enter and typing. */
  const ask = async (on: DashboardPage, hand: Hand, n: number) => {
    await hand.press(on.page.getByRole("button", { name: "Question", exact: true }));
    await hand.press(on.page.getByRole("menuitem", { name: "Choice", exact: true }));
    await focused(on, `pages.${n}.title`);
    await hand.write(questions[n] ?? "");
    await hand.key("Enter");
    await focused(on, `pages.${n}.components.0.question`);
    await hand.write(`${questions[n]}?`);
    for (const [at, label] of options.entries()) {
      await hand.key("Enter");
      await focused(on, `pages.${n}.components.0.options.${at}.label`);
      await hand.write(label);
    }
  };

  it("goes from nothing to live with five questions, three results, points and rules in forty clicks [editor.by-hand, editor.add-pages, editor.enter, editor.result-pages]", async () => {
    const creams = [{ id: 1, title: "Dew cream", variants: [{ id: 1, price: "5.00" }] }];
    await editor.t.database.transaction((tx) =>
      putProducts(tx.forStore(editor.store.uuid), creams, editor.t.calendar.now()),
    );
    const on = await editor.open();
    const { page } = on;
    // clicks count, wherever they are; an entry of a menu is one. Typing, Tab, Enter and arrows do not
    const hand = mouse(page);
    await beginEmpty(on, hand);
    for (const [n, name] of results.entries()) {
      await hand.press(page.getByRole("button", { name: "Result", exact: true }));
      await focused(on, `pages.${n}.title`);
      await hand.write(name);
    }
    for (const n of questions.keys()) await ask(on, hand, n);
    // the last question only for whom the first is answered in one way
    await hand.press(page.getByRole("button", { name: "5 Sleep" }));
    await hand.press(page.getByRole("button", { name: "Add a condition" }));
    await hand.press(page.getByRole("button", { name: "6 Dry skin" }));
    await hand.press(page.getByRole("button", { name: "Add to this page" }));
    await hand.press(page.getByRole("menuitem", { name: "Products" }));
    await hand.press(page.getByRole("button", { name: "Choose products" }));
    await hand.press(page.getByRole("checkbox", { name: "Dew cream" }));
    await hand.press(page.getByRole("button", { name: "Add 1 product" }));
    await hand.press(page.getByRole("tab", { name: "Points and data" }));
    await hand.press(page.locator('[data-cell="0 0"]'));
    for (let row = 0; row < questions.length * options.length; row += 1) {
      if (row % 3 > 0) await hand.key("ArrowRight");
      await hand.write("1");
      await hand.key("ArrowDown");
      if (row % 3 === 2) for (const _ of [1, 2]) await hand.key("ArrowLeft").then(() => hand.key("ArrowLeft"));
    }
    await hand.press(page.getByRole("button", { name: "Publish" }));
    await page.getByText("Nothing of this quiz is live yet").waitFor();
    await hand.press(page.getByRole("dialog").getByRole("button", { name: "Publish" }));
    await page.getByText("Published. Shoppers are served it from now on.").waitFor();
    process.stdout.write(`from nothing to live: ${hand.presses} clicks, ${hand.keys} characters and keys\n`);
    expect(hand.presses).toBeLessThanOrEqual(40);

    const document = await documentOf(on);
    expect(document.pages.map(({ title, kind }: { title: string; kind: string }) => `${kind} ${title}`)).toEqual([
      ...questions.map((title) => `question ${title}`),
      ...results.map((title) => `result ${title}`),
    ]);
    expect(document.dimensions.map(({ name }: { name: string }) => name)).toEqual(results);
    const ids = document.dimensions.map(({ dimension_id }: { dimension_id: string }) => dimension_id);
    for (const [n] of questions.entries())
      expect(document.pages[n].components[0].options.map(({ points }: { points: object }) => points)).toEqual(
        ids.map((id: string) => ({ [id]: 1 })),
      );
    for (const [n, id] of ids.entries())
      expect(document.pages[5 + n]).toMatchObject({
        outcome: { dimension_id: id },
        visible_when: { kind: "winner", op: "in", dimension_ids: [id] },
      });
    expect(document.pages[4].visible_when).toMatchObject({ all: [{ op: "in" }] });
  });

  it.each([
    ["desktop", { width: 1440, height: 900 }],
    ["phone", { width: 375, height: 720 }],
  ] as const)("that is empty invites on a %s [editor.empty, editor.screen]", async (_, viewport) => {
    const on = await editor.open();
    const { page } = on;
    await page.setViewportSize(viewport);
    await beginEmpty(on, mouse(page));
    await page.getByText("Begin with a question").waitFor();
    expect(await on.violations()).toEqual([]);
    if (viewport.width < 500) await page.getByText("Preview", { exact: true }).click();
    await page.getByText("Your quiz will appear here").waitFor();
    expect(await page.getByText("This quiz is not available.").isVisible()).toBe(false);
    expect(await on.violations()).toEqual([]);
    expect(await on.isWide()).toBe(false);
    await page.getByRole("button", { name: "Ask the first question" }).click();
    await focused(on, "pages.0.title");
    await page.keyboard.type("Skin");
    await expect.poll(async () => (await documentOf(on)).pages[0]?.title).toBe("Skin");
    // a page that nobody sees yet is no reason to say that the quiz is not available
    await page.getByRole("button", { name: /^Undo/ }).click();
    await page.getByRole("button", { name: /^Undo/ }).click();
    if (viewport.width < 500) await page.getByText("Pages", { exact: true }).click();
    await page.getByRole("button", { name: "Result", exact: true }).click();
    if (viewport.width < 500) await page.getByText("Preview", { exact: true }).click();
    await page.getByText("Shoppers with these answers do not see this page").waitFor();
    // the change that was just made may be drawn a moment later, and shows the selected page again
    const restarts = async () => {
      await page.getByRole("button", { name: "Play from the start" }).click();
      return page.getByText("With these answers no page is shown").isVisible();
    };
    await expect.poll(restarts).toBe(true);
    expect(await page.getByText("This quiz is not available.").isVisible()).toBe(false);
  });

  it("grows between two pages, by pointer and by keys [editor.add-pages]", async () => {
    const document = quizDocument([
      pageOf("a", [choice("skin", [option("x")])], { title: "First" }),
      pageOf("b", [], { title: "Second", kind: "result" }),
    ]);
    const quiz = await editor.quiz({ document });
    const on = await editor.edit(quiz);
    const { page } = on;
    const titles = async () =>
      (await editor.draftOf(quiz)).document.pages.map(({ title, kind }: Record<string, string>) => `${kind} ${title}`);
    await page.getByRole("button", { name: "Add a page before First" }).click();
    await page.getByRole("menuitem", { name: "Text page" }).click();
    await focused(on, "pages.0.title");
    await page.keyboard.type("Hello");
    await expect.poll(titles).toEqual(["content Hello", "question First", "result Second"]);
    const plus = page.getByRole("button", { name: "Add a page before Second" });
    await plus.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Number", exact: true }).waitFor();
    expect(await on.violations()).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => plus.evaluate((element) => element === globalThis.document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Choice", exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await focused(on, "pages.2.title");
    await page.keyboard.type("More");
    await expect.poll(titles).toEqual(["content Hello", "question First", "question More", "result Second"]);
    await page.getByRole("button", { name: /^Undo/ }).click();
    await page.getByRole("button", { name: /^Undo/ }).click();
    await expect.poll(titles).toEqual(["content Hello", "question First", "result Second"]);
  });

  it("shows beside the points what wins, for options ticked there or in the preview [editor.wins, editor.shown-page, editor.screen]", async () => {
    const wins = (id: string) => ({
      kind: "result" as const,
      title: `For ${id} skin`,
      outcome: { dimension_id: id },
      visible_when: { kind: "winner" as const, op: "in" as const, dimension_ids: [id] },
    });
    const document = quizDocument(
      [
        pageOf("a", [choice("skin", [option("x", { points: { dry: 2 } }), option("y", { points: { oily: 3 } })])]),
        pageOf("d", [], wins("dry")),
        pageOf("o", [], wins("oily")),
      ],
      { dimensions: ["dry", "oily"].map((id) => ({ dimension_id: id, name: `The ${id}` })) },
    );
    const on = await editor.edit(await editor.quiz({ document }));
    const { page } = on;
    await page.getByTestId("preview").getByText("x", { exact: true }).click();
    await page.getByText("1 answer given here").waitFor();
    await page.getByRole("tab", { name: "Points and data" }).click();
    const card = page.getByRole("region", { name: "What wins" });
    await card.getByText('"The dry" wins. Page 2, "For dry skin", is shown.').waitFor();
    await page.getByLabel("y in the preview").check();
    await card.getByText('"The oily" wins. Page 3, "For oily skin", is shown.').waitFor();
    expect(await page.getByLabel("x in the preview").isChecked()).toBe(false);
    expect(await card.getByRole("listitem").allTextContents()).toEqual(["The oily3", "The dry0"]);
    await page.locator('[data-cell="1 0"]').fill("4");
    await card.getByText('"The dry" wins').waitFor();
    expect(await on.violations()).toEqual([]);
    await page.setViewportSize({ width: 375, height: 720 });
    expect(await on.isWide()).toBe(false);
    expect(await on.violations()).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("tab", { name: "Build" }).click();
    await page.getByText("1 answer given here").waitFor();
    const preview = page.getByTestId("preview");
    await expect.poll(() => preview.getByLabel("y", { exact: true }).isChecked()).toBe(true);
    // a page that these answers do not lead to is shown while it is edited, and only then
    const hidden = page.getByText("Shoppers with these answers do not see this page");
    await page.getByRole("button", { name: /^3 ?For oily/ }).click();
    await preview.getByRole("heading", { name: "For oily skin" }).waitFor();
    await hidden.waitFor();
    await page.getByLabel("Title", { exact: true }).fill("Shiny skin");
    await preview.getByRole("heading", { name: "Shiny skin" }).waitFor();
    expect(await on.violations()).toEqual([]);
    await preview.getByRole("button", { name: "Take the quiz again" }).click();
    await hidden.waitFor({ state: "detached" });
    await preview.getByText("y", { exact: true }).click();
    await preview.getByRole("heading", { name: "For dry skin" }).waitFor();
  });

  it("asks before it removes what is used, and removes it in one step [editor.removal, editor.undo]", async () => {
    const document = quizDocument(
      [
        pageOf("a", [choice("skin", [option("x"), option("y")])], { title: "First" }),
        pageOf("b", [], { title: "Second", visible_when: { component_key: "skin", op: "in", option_ids: ["x"] } }),
        pageOf("r", [], { title: "End", kind: "result" }),
      ],
      { property_mappings: [{ component_key: "skin", property_name: "skin" }] },
    );
    const quiz = await editor.quiz({ document });
    const on = await editor.edit(quiz);
    const { page } = on;
    const stored = async () => (await editor.draftOf(quiz)).document;
    const dialog = page.getByRole("dialog", { name: 'Remove "skin?"?' });
    const row = page.getByRole("button", { name: /^skin/ });
    await row.focus();
    await page.keyboard.press("Delete");
    await dialog.getByText("It is used in one place:").waitFor();
    await dialog.getByText("Then it is shown to everybody.").waitFor();
    expect(await on.violations()).toEqual([]);
    await page.setViewportSize({ width: 375, height: 720 });
    expect(await on.isWide()).toBe(false);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await stored()).toEqual(document);
    await row.focus();
    await page.keyboard.press("Delete");
    // the button that removes both has the focus
    await dialog.getByRole("button", { name: "Remove everywhere" }).waitFor();
    await page.keyboard.press("Enter");
    await expect
      .poll(async () => (await stored()).pages.map((one: { components: [] }) => one.components.length))
      .toEqual([0, 0, 0]);
    expect((await stored()).pages[1].visible_when).toBeNull();
    expect((await stored()).property_mappings).toEqual([]);
    await page.getByRole("button", { name: "Undo: remove a component" }).click();
    await expect.poll(stored).toEqual(document);
    await row.focus();
    await page.keyboard.press("Delete");
    await dialog.getByRole("button", { name: "Remove only here" }).click();
    await page.getByRole("button", { name: "1 issue" }).waitFor();
    await page.getByRole("button", { name: "Undo: remove a component" }).click();
    await expect.poll(stored).toEqual(document);
    // a use is a link to itself
    await row.focus();
    await page.keyboard.press("Delete");
    await dialog.getByRole("button", { name: /^Page 2, "Second", is shown when/ }).click();
    await page.getByLabel("Title", { exact: true }).waitFor();
    expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("Second");
    // what nothing uses goes at once, and the focus stays in the list
    await page.getByRole("button", { name: /^3 ?End/ }).focus();
    await page.keyboard.press("Delete");
    await expect.poll(async () => (await stored()).pages.length).toBe(2);
    await focusedRow(page, "Second");
  });
});

const focusedRow = (page: Page, name: string) => page.locator("[data-row]:focus", { hasText: name }).waitFor();
