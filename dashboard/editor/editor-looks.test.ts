import { describe, expect, it } from "vitest";
import { demoQuizzes } from "../../demo/quizzes.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardPage, lookAt, lookNames, wrongWith } from "../../testkit/dashboard.ts";
import { EditorTests } from "../../testkit/dashboard-editor.ts";
import { swept } from "../../testkit/sweeps.ts";

/** The editor in every look. */

describe.skipIf(!(await openBrowser()))("the editor", () => {
  const editor = new EditorTests();

  it.each(swept(lookNames, ["desktop"]))(
    "has nothing that axe finds, and fits, in %s [editor.screen]",
    async (look) => {
      const document = demoQuizzes[0]!.versions[0]!.document;
      const quiz = await editor.quiz({ document, publish: true });
      const path = `/quizzes/${quiz.id}/edit`;
      const tab = (name: string) => ({
        path,
        act: async ({ page }: DashboardPage) => {
          await page.getByRole("tab", { name }).click();
          await page.waitForTimeout(600);
        },
      });
      const select = (name: RegExp) => ({
        path,
        act: async ({ page }: DashboardPage) => {
          await page.getByRole("button", { name }).click();
          await page.waitForTimeout(600);
        },
      });
      const screens = [
        path,
        select(/^4 ?How your skin/),
        select(/^Pick everything/),
        tab("Logic"),
        tab("Points and data"),
        tab("Look and texts"),
        tab("History"),
        "/quizzes/new",
      ];
      expect(wrongWith(await lookAt(editor.t, editor.mira, look, screens))).toEqual([]);
    },
    60_000,
  );
});
