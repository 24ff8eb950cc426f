import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { bounds, type Component, type QuizDocument } from "../../engine/document.ts";
import { lint } from "../../engine/lint.ts";
import { openBrowser } from "../../testkit/browser.ts";
import type { DashboardPage } from "../../testkit/dashboard.ts";
import { EditorTests, editorPath } from "../../testkit/dashboard-editor.ts";
import {
  choice,
  chosen,
  content,
  date,
  email,
  formula,
  number,
  option,
  page as pageOf,
  pick,
  products,
  quizDocument,
  text,
} from "../../testkit/document-parts.ts";
import { applyAll, type Path } from "./document/change.ts";

/** Every field of a document that can hold what is no valid value: the lint leads to it, and there it is mended. */

const long = "x".repeat(bounds.text + 1);
const longKey = "k".repeat(bounds.key + 1);
const address = "data:,x";

/** With one of everything that has fields of its own. */
function whole(): QuizDocument {
  const components: Component[] = [
    choice("feel", [option("dry", { image_url: "https://p.example/a.png" }), option("oily")]),
    text("why"),
    number("age", { min: 0, max: 9, unit: "cm" }),
    date("since"),
    email("mail"),
    content("hi", "<p>Hello</p>"),
    formula("f", "F", "age"),
    products("best", [pick("1", { variant_id: "v" })], { source: "answers" }),
  ];
  return quizDocument(
    [pageOf("a", components), pageOf("r", [], { kind: "result", visible_when: chosen("feel", "dry") })],
    {
      dimensions: [{ dimension_id: "calm", name: "Calm" }],
      jump_rules: [{ jump_rule_key: "j", source_page_key: "a", when: { all: [] }, target_page_key: "r" }],
      property_mappings: [{ component_key: "feel", property_name: "skin", option_values: { dry: "DRY" } }],
      presentation: { theme: {} },
    },
  );
}

/** What is wrong, and what is right instead; a select is given its first entry. */
const wrong: readonly [path: string, wrong: unknown, right: string][] = [
  ["pages.0.page_key", longKey, "one"],
  ["pages.0.title", long, "A"],
  ["pages.0.subtitle", long, "B"],
  ["pages.0.image_url", address, ""],
  ["pages.1.headline", long, "C"],
  ["pages.0.components.0.component_key", "", "feel"],
  ["pages.0.components.0.question", long, "D"],
  ["pages.0.components.0.options.0.option_id", longKey, "dry"],
  ["pages.0.components.0.options.1.label", long, "E"],
  ["pages.0.components.0.options.0.image_url", address, "https://p.example/b.png"],
  ["pages.0.components.0.options.0.image_alt", long, "F"],
  ["pages.0.components.0.options.1.points.calm", bounds.points + 1, "3"],
  ["pages.0.components.1.component_key", longKey, "why"],
  ["pages.0.components.1.max_length", 0, "20"],
  ["pages.0.components.2.min", 99, "1"],
  ["pages.0.components.2.step", 0, "1"],
  ["pages.0.components.2.unit", long, "cm"],
  ["pages.0.components.4.consent.label", long, "G"],
  ["pages.0.components.5.html_text", `<p>${"x".repeat(bounds.htmlText)}</p>`, "H"],
  ["pages.0.components.6.component_key", longKey, "f"],
  ["pages.0.components.6.label", long, "I"],
  ["pages.0.components.6.expression", "", "1"],
  ["pages.0.components.7.block_key", longKey, "best"],
  ["pages.0.components.7.limit", 0, "3"],
  ["pages.0.components.7.products.0.variant_id", longKey, ""],
  ["pages.0.components.7.products.0.when", { component_key: "why", op: "eq", value: long }, ""],
  ["pages.1.visible_when", { not: { any: [{ ...chosen("feel"), option_ids: [] }] } }, ""],
  ["jump_rules.0.jump_rule_key", longKey, "j"],
  ["jump_rules.0.source_page_key", "", "first"],
  ["jump_rules.0.target_page_key", `${longKey}!`, "first"],
  ["jump_rules.0.when", { component_key: "since", op: "between", min: long, max: "2026-01-01" }, ""],
  ["dimensions.0.dimension_id", longKey, "calm"],
  ["dimensions.0.name", long, "J"],
  ["property_mappings.0.property_name", long, "skin"],
  ["property_mappings.0.option_values.dry", long, "K"],
  ["presentation.locale", "no language", "first"],
  ["presentation.dir", "up", "first"],
  ["presentation.progress", "hourglass", "first"],
  ["presentation.advance", "never", "first"],
  ["presentation.cover_image_url", address, ""],
  ["presentation.description", long, "L"],
  ["presentation.texts.next", long, "M"],
  ["presentation.texts.farewell", "Bye", ""],
  ["presentation.theme.scheme", "neon", "first"],
  ["presentation.theme.accent", "reddish", "#000000"],
  ["presentation.theme.radius", 99, "3"],
  ["presentation.theme.width", 99, "400"],
  ["presentation.theme.font", "{}", "inherit"],
];

const stepsOf = (path: string): Path => path.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step));

function flawed(): QuizDocument {
  const changes = wrong.map(([path, value]) => ({ kind: "set", path: stepsOf(path), value }) as const);
  const base = whole();
  // what the texts stand in has to be there
  base.presentation!.texts = {};
  return applyAll(base, changes).document;
}

describe.skipIf(!(await openBrowser()))("fields of the editor", () => {
  const editor = new EditorTests();

  const openList = async ({ page }: DashboardPage): Promise<string[]> => {
    await page.getByRole("button", { name: /issue/i }).click();
    await page.locator('[aria-label="Issues"]').first().waitFor();
    return page.locator("[data-path]").evaluateAll((all) => all.map((one) => one.getAttribute("data-path") ?? ""));
  };
  const focused = (page: Page) =>
    page.evaluate(() => document.activeElement?.closest("[data-field]")?.getAttribute("data-field") ?? "");

  /** What is right, into the field that has the focus. */
  const put = async (page: Page, right: string): Promise<void> => {
    const field = page.locator(":focus");
    if (await field.evaluate((one) => one.matches("select")))
      return void (await field.selectOption(right === "first" ? { index: 1 } : right));
    const sort = await field.evaluate((one) => one.getAttribute("type"));
    if (sort === "checkbox") await page.keyboard.press("Space");
    else if (sort === "date") await field.fill("2025-01-01");
    else {
      await page.keyboard.press("Control+a");
      if (right === "") await page.keyboard.press("Delete");
      else await page.keyboard.type(right);
      await page.keyboard.press("Tab");
    }
  };

  it("has a wrong value for each, which the lint names [editor.lint-links]", () => {
    const found = lint(flawed()).map(({ path }) => path);
    const named = wrong.filter(([path]) => !found.some((one) => one === path || one.startsWith(`${path}.`)));
    expect(named).toEqual([]);
  });

  it.each(["desktop", "phone"] as const)(
    "lead from every finding to its own field, where it is mended, in %s [editor.lint-links]",
    async (look) => {
      const quiz = await editor.quiz({ document: flawed() });
      const opened = await editor.open(editor.mira, look);
      const { page } = opened;
      await opened.open(editorPath(quiz));
      const paths = lint(flawed()).map(({ path }) => path);
      expect(await openList(opened)).toEqual(paths);
      await page.keyboard.press("Escape");
      const rights = new Map(wrong.map(([path, , right]) => [path, right]));
      await openList(opened);
      for (const path of paths) {
        const link = page.locator(`[data-path="${path}"]`);
        await link.first().click();
        await expect.poll(() => focused(page), { message: path }).toBe(path);
        await put(page, rights.get(path) ?? "");
        // the list follows what is typed
        await openList(opened);
        await link.waitFor({ state: "detached" });
      }
    },
    240_000,
  );

  it("lead to the field itself when it is seen later than the one around it, unless somebody went on from there [editor.lint-links]", async () => {
    const [around, path] = ["pages.0.components.2", "pages.0.components.2.unit"];
    const quiz = await editor.quiz({ document: flawed() });
    const opened = await editor.open();
    const { page } = opened;
    await opened.open(editorPath(quiz));
    const follow = async (): Promise<void> => {
      await page.evaluate((name) => {
        const hiding = new CSSStyleSheet();
        hiding.replaceSync(`[data-field="${name}"] { display: none }`);
        document.adoptedStyleSheets = [hiding];
      }, path);
      await openList(opened);
      await page.locator(`[data-path="${path}"]`).first().click();
      await expect.poll(() => focused(page)).toBe(around);
    };
    const show = () =>
      page.evaluate(() => {
        document.adoptedStyleSheets = [];
      });
    await follow();
    await show();
    await expect.poll(() => focused(page)).toBe(path);
    await follow();
    await page.keyboard.press("Tab");
    const next = await focused(page);
    await show();
    await page.waitForTimeout(500);
    expect([next === path, await focused(page)]).toEqual([false, next]);
  });
});
