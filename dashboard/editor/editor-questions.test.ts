import { describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { EditorTests } from "../../testkit/dashboard-editor.ts";
import { date, page as pageOf, quizDocument, text } from "../../testkit/document-parts.ts";
import type { TestQuiz } from "../../testkit/quizzes.ts";

describe.skipIf(!(await openBrowser()))("the fields of questions", () => {
  const editor = new EditorTests();
  const pageIn = async (quiz: TestQuiz) => (await editor.draftOf(quiz)).document.pages[0];

  it("say which days and times a date takes, and take it back [editor.date-limits]", async () => {
    const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [date("when")])]) });
    const opened = await editor.edit(quiz);
    const { page } = opened;
    const component = async () => (await pageIn(quiz)).components[0];
    const field = (label: string) => page.getByLabel(label, { exact: true });
    await page.getByRole("button", { name: /^when/ }).click();
    await field("Earliest day").selectOption({ label: "Days after today" });
    await expect.poll(component).toMatchObject({ min: "today+1d" });
    await field("Earliest day: days").fill("2");
    await field("Latest day").selectOption({ label: "A certain day" });
    await field("Latest day: date").fill("2027-03-31");
    for (const name of ["Saturday", "Sunday"]) await field(name).uncheck();
    await field("Asks for a time, too").check();
    await field("Earliest time").fill("09:00");
    await field("Latest time").fill("17:30");
    const limited = {
      min: "today+2d",
      max: "2027-03-31",
      weekdays: [1, 2, 3, 4, 5],
      time_from: "09:00",
      time_to: "17:30",
    };
    await expect.poll(component).toEqual({ ...date("when", { with_time: true, ...limited }) });
    expect(await opened.violations()).toEqual([]);
    await field("Latest time").fill("08:00");
    await page.getByText("This is after the latest time").waitFor();
    await field("Latest time").fill("");
    await field("Earliest time").fill("");
    await field("Earliest day").selectOption({ label: "Any" });
    await field("Latest day").selectOption({ label: "Any" });
    for (const name of ["Saturday", "Sunday"]) await field(name).check();
    await expect.poll(component).toEqual(date("when", { with_time: true }));
  });

  it("help to answer, and name the button that leads on", async () => {
    const quiz = await editor.quiz({ document: quizDocument([pageOf("a", [text("who")])]) });
    const { page, violations } = await editor.edit(quiz);
    const field = (label: string) => page.getByLabel(label, { exact: true });
    await page
      .getByRole("button", { name: /^1? ?a/ })
      .first()
      .click();
    await field("Button text").fill("Show my results");
    await page.getByRole("button", { name: /^who/ }).click();
    await field("Help").fill("As on your bank card");
    await field("Asks for").selectOption({ label: "The shopper’s name" });
    await field("Example in the empty field").fill("Ada Lovelace");
    const helped = { help: "As on your bank card", format: "name", placeholder: "Ada Lovelace" } as const;
    await expect
      .poll(() => pageIn(quiz))
      .toMatchObject({
        next_label: "Show my results",
        components: [text("who", helped)],
      });
    expect(await violations()).toEqual([]);
    for (const label of ["Help", "Example in the empty field"]) await field(label).fill("");
    await field("Asks for").selectOption({ label: "Any text" });
    await expect.poll(async () => (await pageIn(quiz)).components).toEqual([text("who", { format: "text" })]);
  });
});
