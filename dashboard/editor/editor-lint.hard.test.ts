import { beforeAll, describe, expect, it } from "vitest";
import { findingCodes } from "../../engine/lint.ts";
import { putProducts } from "../../server/orders/catalog.ts";
import { openBrowser } from "../../testkit/browser.ts";
import type { DashboardPage } from "../../testkit/dashboard.ts";
import { EditorTests, editorPath } from "../../testkit/dashboard-editor.ts";
import { type LintCase, lintCases } from "../../testkit/lint-cases.ts";

/** Whatever the lint can say: it is shown, its link leads to the field, and by hand there it is mended. */
describe.skipIf(!(await openBrowser()))("the lint in the editor", () => {
  const editor = new EditorTests({}, { oneWindow: true });
  beforeAll(async () => {
    const offered = [{ id: 1, title: "Calm cream", variants: [{ id: 1, price: "5.00" }] }];
    await editor.t.database.transaction((tx) =>
      putProducts(tx.forStore(editor.store.uuid), offered, editor.t.calendar.now()),
    );
  });

  const openList = async ({ page }: DashboardPage): Promise<void> => {
    await page.getByRole("button", { name: /issue/i }).click();
    await page.locator('[aria-label="Issues"]').first().waitFor();
  };

  it("has a case for each of its codes [editor.lint-links]", () => {
    expect(Object.keys(lintCases).sort()).toEqual([...findingCodes].sort());
    expect(Object.entries(lintCases).filter(([, cases]) => cases.length === 0)).toEqual([]);
  });

  const mended = async (opened: DashboardPage, code: string, given: LintCase): Promise<void> => {
    const { path, field = path, earlier, document, before, mend } = given;
    const { page } = opened;
    const first = await editor.quiz({ document: earlier ?? document, publish: earlier !== undefined });
    const quiz = earlier ? await editor.quiz({ document, quizId: first.id }) : first;
    await opened.open(editorPath(quiz));
    await before?.(page);
    const link = page.locator(`[data-path="${path}"][data-code="${code}"]`);
    await openList(opened);
    await link.first().click();
    const focused = () =>
      page.evaluate(() => window.document.activeElement?.closest("[data-field]")?.getAttribute("data-field") ?? "");
    await expect.poll(focused).toBe(field);
    await mend(page);
    const isStillSaid = async (): Promise<boolean> => {
      await openList(opened);
      const found = await link.count();
      await page.keyboard.press("Escape");
      return found > 0;
    };
    await expect.poll(isStillSaid).toBe(false);
  };

  it.each(findingCodes)(
    "leads from %s to the field, where it is mended by hand [editor.lint-links]",
    async (code) => {
      const opened = await editor.window();
      for (const given of lintCases[code]) await mended(opened, code, given);
    },
    120_000,
  );
});
