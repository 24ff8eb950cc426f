import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardPage, openDashboard } from "../../testkit/dashboard.ts";
import { addPeople, peopleQuiz } from "../../testkit/dashboard-people.ts";
import { openScreens, type Screens, sentTo } from "../../testkit/dashboard-screens.ts";
import { putExport } from "../../testkit/exports.ts";
import type { TestQuiz } from "../../testkit/quizzes.ts";
import { readWorkbook, unzip } from "../../testkit/workbook.ts";

describe.skipIf(!(await openBrowser()))("files", () => {
  let screens: Screens;
  let owner: Browser;
  let quiz: TestQuiz;
  beforeAll(async () => {
    screens = await openScreens();
    quiz = await peopleQuiz(screens);
    await addPeople(screens, quiz);
    owner = await screens.member("owner");
  });
  afterAll(() => screens?.close());

  const on = async (as: Browser, at: string, work: (opened: DashboardPage) => Promise<void>) => {
    const opened = await openDashboard(screens.t, as);
    await opened.open(at);
    await work(opened);
    expect(opened.faults).toEqual([]);
    await opened.close();
  };

  const clickDownload = async (page: Page, name: string): Promise<Buffer> => {
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name, exact: true }).first().click();
    return readFile(await (await saving).path());
  };
  const textIn = (workbook: Buffer): string => [...unzip(workbook).values()].join();
  const byApi = async (id: string): Promise<Buffer> => {
    const { body } = await screens.t.request("GET", `/v1/exports/${id}`, { key: screens.store.key });
    return Buffer.from(await (await fetch(body.download_url)).arrayBuffer());
  };

  it("are asked for from a filtered list, followed, and downloaded byte for byte [dashboard-exports.filters, dashboard-exports.progress]", () =>
    on(owner, `/profiles?has_email=true&quiz_id=${quiz.id}`, async ({ page }) => {
      const sent = sentTo(page, "/v1/exports");
      await page.getByRole("button", { name: "Export…" }).click();
      const dialog = page.getByRole("dialog", { name: "Export as a file" });
      await dialog.getByRole("button", { name: "Make the file" }).click();
      await dialog.getByText("The file is ready: 2 rows").waitFor();
      expect(sent).toEqual([{ dataset: "profiles", format: "xlsx", search: { has_email: true, quiz_id: quiz.id } }]);
      const file = await clickDownload(page, "Download the file");
      const [made] = (await screens.t.request("GET", "/v1/exports", { key: screens.store.key })).body.data;
      expect(made).toMatchObject({ status: "completed", source: "dashboard", row_count: 2 });
      expect(file.equals(await byApi(made.id))).toBe(true);
      expect(textIn(file)).toContain("ada@example.com");
      await page.goto(`${screens.t.url}/dashboard/exports`);
      expect((await clickDownload(page, "Download")).equals(file)).toBe(true);
    }));

  it("of figures take days of the shop's zone, and what the API refuses is said at its field", () =>
    on(owner, "/exports", async ({ page }) => {
      const sent = sentTo(page, "/v1/exports");
      await page.getByRole("button", { name: "New export…" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("What").selectOption("Figures by day");
      await dialog.getByLabel("First day").fill("2026-03-02");
      await dialog.getByLabel("Last day").fill("2026-03-01");
      await dialog.getByRole("button", { name: "Make the file" }).click();
      await dialog.getByText("This must not be after to").waitFor();
      await dialog.getByLabel("Last day").fill("2026-03-03");
      await dialog.getByRole("button", { name: "Make the file" }).click();
      await dialog.getByText("The file is ready").waitFor();
      expect(sent.at(-1)).toEqual({
        dataset: "quiz_analytics",
        format: "xlsx",
        from: "2026-03-02",
        to: "2026-03-03",
        tz: "Europe/Berlin",
      });
    }));

  it("of answers are offered for one quiz, headed by its questions, in the kind that is chosen [dashboard-exports.one-quiz, dashboard-exports.layout]", () =>
    on(owner, "/exports", async ({ page }) => {
      const sent = sentTo(page, "/v1/exports");
      const layout = { dataset: "responses", format: "xlsx", headers: "texts" };
      const ask = async (change: (dialog: Locator) => Promise<unknown>) => {
        await page.getByRole("button", { name: "New export…" }).first().click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("What").selectOption("Answers");
        await expect.poll(() => dialog.getByLabel("Quiz").inputValue()).toBe("Find your routine");
        await change(dialog);
        await dialog.getByRole("button", { name: "Make the file" }).click();
        await dialog.getByText("The file is ready").waitFor();
      };
      await ask(async () => undefined);
      expect(sent.at(-1)).toEqual({ ...layout, quiz_id: quiz.id });
      const [sheet] = readWorkbook(await clickDownload(page, "Download the file"));
      expect(sheet?.rows[0]).toEqual(expect.arrayContaining(["1. Tone?", "2. Age?"]));
      await page.keyboard.press("Escape");
      await ask(async (dialog) => {
        await dialog.getByLabel("Format").selectOption("Plain CSV, for programs");
        await dialog.getByLabel("Name the columns by the questions’ texts").uncheck();
        // choosing a quiz again takes it back
        await dialog.getByLabel("Quiz").click();
        await page.getByRole("option", { name: "Find your routine" }).click();
      });
      expect(sent.at(-1)).toEqual({ dataset: "responses", format: "csv", csv_style: "plain" });
      await page.keyboard.press("Escape");
      await page.getByText("Answers (plain CSV)").first().waitFor();
    }));

  it("that are gone are called expired and can be asked for again [dashboard-exports.expired]", async () => {
    await putExport(screens.t, screens.store, { dataset: "responses", status: "expired" });
    await on(owner, "/exports", async ({ page }) => {
      const row = page.getByRole("row").filter({ hasText: "Expired" }).first();
      await row.getByText("the file was removed").waitFor();
      expect(await row.getByRole("button", { name: "Download" }).count()).toBe(0);
      await row.getByRole("button", { name: "Ask again…" }).click();
      expect(await page.getByRole("dialog").getByLabel("What").inputValue()).toBe("responses");
    });
  });

  it("leave out contacts for an editor, who is told of files that hold them, and an analyst may ask for none [dashboard-exports.roles]", async () => {
    const { t, store } = screens;
    for (const dataset of ["responses", "profiles"]) await putExport(t, store, { dataset });
    await on(await screens.member("editor"), "/exports", async ({ page }) => {
      const others = page.getByRole("row").filter({ hasText: "Answers (CSV)" }).filter({ hasText: "Ready" }).first();
      await others.getByRole("button", { name: "Download" }).click();
      await others.getByText("This file holds contacts, which your role does not show.").waitFor();
      await page
        .getByRole("row")
        .filter({ hasText: "People (CSV)" })
        .getByText("Holds contacts: for owners")
        .first()
        .waitFor();
      await page.getByRole("button", { name: "New export…" }).click();
      const what = page.getByRole("dialog").getByLabel("What");
      await what.waitFor();
      expect(await what.locator("option").allInnerTexts()).toEqual(["Answers", "Figures by day"]);
      await page.getByText("Emails and phone numbers are left out").waitFor();
      await page.getByRole("button", { name: "Make the file" }).click();
      await page.getByText("The file is ready: 3 rows").waitFor();
      const file = textIn(await clickDownload(page, "Download the file"));
      expect(file).toContain("Dry skin");
      expect(file).not.toContain("ada@example.com");
    });
    await on(await screens.member("analyst"), "/exports", async ({ page }) => {
      await page.getByText("Holds contacts: for owners").first().waitFor();
      expect(await page.getByRole("button", { name: /New export|Ask again/ }).count()).toBe(0);
      const withContacts = page.getByRole("row").filter({ hasText: /People|Answers/ });
      expect(await withContacts.getByRole("button").count()).toBe(0);
    });
  });
});
