import { describe, expect, it } from "vitest";
import type { RuledProducts } from "../../engine/document.ts";
import { putProducts } from "../../server/orders/catalog.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { EditorTests } from "../../testkit/dashboard-editor.ts";
import { choice, number, option, page as pageOf, products, quizDocument, ruled } from "../../testkit/document-parts.ts";
import { fieldProduct, fieldVariant } from "../../testkit/field/shopify-products.ts";
import type { TestQuiz } from "../../testkit/quizzes.ts";

describe.skipIf(!(await openBrowser()))("rules for products in the editor", () => {
  const editor = new EditorTests();

  const blockOf = async (quiz: TestQuiz): Promise<RuledProducts> =>
    (await editor.draftOf(quiz)).document.pages[1].components[0];
  const product = (id: number, title: string, more: Record<string, unknown> = {}) =>
    fieldProduct(id, [fieldVariant(id * 10)], { title, ...more });
  const stock = () =>
    editor.t.database.transaction((tx) =>
      putProducts(
        tx.forStore(editor.store.uuid),
        [
          product(1, "Calm cream", { tags: "dry skin, night" }),
          product(2, "Matte gel", { tags: "oily" }),
          product(3, "Night balm", { tags: "dry skin", status: "draft" }),
          { id: 4, title: "From before", variants: [{ id: 40, price: "1.00" }] },
        ],
        editor.t.calendar.now(),
      ),
    );
  const pagesWith = (block: Parameters<typeof pageOf>[1][number]) =>
    quizDocument([
      pageOf("ask", [choice("skin", [option("dry", { label: "Dry" }), option("oily")]), number("budget")], {
        title: "About you",
      }),
      pageOf("end", [block], { kind: "result", title: "Your products" }),
    ]);

  it("are made by form from what the catalog has, at 375 pixels, and undone [editor.rules, editor.screen]", async () => {
    await stock();
    const quiz = await editor.quiz({ document: pagesWith(products("best", [])) });
    const opened = await editor.edit(quiz);
    const { page } = opened;
    await page.getByRole("button", { name: /^No products yet/ }).click();
    await page.getByLabel("Which are shown").selectOption("rules");
    await page.getByText("1 is known without tags", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Add a rule" }).click();
    const rule = page.locator('[data-field="pages.1.components.0.rules.0"]');
    await rule.getByLabel("Narrow what it matches").selectOption("tags_any");
    await rule.getByRole("combobox", { name: "Has one of these tags" }).click();
    await page.getByRole("option", { name: /dry skin 1 product/i }).click();
    await rule.getByText("Matches 1 product now.").waitFor();
    await rule.getByLabel("Narrow what it matches").selectOption("price");
    await rule.getByLabel("To", { exact: true }).selectOption("question budget");
    await rule.getByRole("button", { name: "Add a condition" }).click();
    await expect
      .poll(async () => (await blockOf(quiz)).rules[0])
      .toMatchObject({
        effect: "include",
        match: { tags_any: ["dry skin"], price: { max: { component_key: "budget" } } },
        when: expect.anything(),
      });
    await rule.getByLabel("What it does").selectOption("score");
    await expect.poll(async () => (await blockOf(quiz)).rules[0]).toMatchObject({ effect: "score", score: 1 });
    await page.getByLabel("If nothing is left, show something else").check();
    await expect.poll(async () => (await blockOf(quiz)).fallback).toEqual({ from: {}, limit: 4 });
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await opened.violations()).toEqual([]);
    expect(await opened.isWide()).toBe(false);
    await page.keyboard.press("Escape");
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press("Control+z");
    await expect.poll(async () => (await blockOf(quiz)).fallback).toBeNull();
  });

  it("show in the preview what they choose, each with why, and say why others are not there [editor.why-products]", async () => {
    await stock();
    const dry = { component_key: "skin", op: "in" as const, option_ids: ["dry"] };
    const block = ruled("best", {
      rules: [
        { rule_key: "for dry skin", when: dry, match: { tags_any: ["dry skin"] }, effect: "include" },
        { rule_key: "night", when: null, match: { tags_any: ["night"] }, effect: "score", score: 5 },
      ],
    });
    const quiz = await editor.quiz({ document: pagesWith(block) });
    const { page } = await editor.edit(quiz);
    await page.getByRole("button", { name: /^Products by rule/ }).click();
    const shown = page.getByRole("list", { name: "Shown products" });
    await expect.poll(() => shown.getByRole("listitem").count()).toBe(3);
    const preview = page.getByTestId("preview");
    await preview.getByRole("heading", { name: "Matte gel" }).waitFor();
    await page.getByRole("button", { name: "Play from the start" }).click();
    await preview.getByText("Dry", { exact: true }).click();
    await expect.poll(() => shown.allInnerTexts()).toEqual([expect.stringContaining("for dry skin, night: 5 points.")]);
    await preview.getByRole("button", { name: /Next|Continue|result/i }).click();
    await preview.getByRole("heading", { name: "Calm cream" }).waitFor();
    await expect.poll(() => preview.getByRole("heading", { name: "Matte gel" }).count()).toBe(0);
    await page.getByRole("button", { name: "Why is another product not shown?" }).click();
    for (const title of ["Matte gel", "Night balm"]) await page.getByRole("checkbox", { name: title }).check();
    await page.getByRole("button", { name: "Explain 2 products" }).click();
    const asked = page.getByRole("list", { name: "Products asked about" });
    await expect
      .poll(async () => (await asked.allInnerTexts()).join(" "))
      .toMatch(/Matte gel\s+No rule that applies shows it\.\s+Night balm\s+It is a draft in the shop\./);
  });
});
