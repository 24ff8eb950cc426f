import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signedIn } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { translate } from "../../testkit/browser-translator.ts";
import { type DashboardApp, type DashboardPage, openDashboard, openDashboardApp } from "../../testkit/dashboard.ts";
import { feedYear } from "../../testkit/dashboard-year.ts";

/** A dashboard that the browser translates, and translates again after each change. */

describe.skipIf((await openBrowser()) === null)("a translated dashboard", () => {
  let t: DashboardApp;
  let on: DashboardPage;
  let beside: DashboardPage;
  let quiz: string;
  let days: string;

  beforeAll(async () => {
    t = await openDashboardApp();
    const fed = await feedYear(t);
    const taken = fed.history.quizzes.filter(({ deleted, versions }) => !deleted && versions.length > 0);
    quiz = taken[0]!.id;
    days = fed.days;
    const owner = await signedIn(t, "owner@shop.example", { store: fed.store, role: "owner" });
    on = await openDashboard(t, owner);
    beside = await openDashboard(t, owner);
  }, 180_000);

  afterAll(async () => {
    await on?.close();
    await beside?.close();
    await t?.close();
  });

  const translated = async ({ page, settled }: DashboardPage) => {
    await settled();
    await page.evaluate(translate, await page.evaluateHandle(() => document.body));
  };
  /** What is read on the page, without the translator's marks and how long ago something was. */
  const read = async (page: Page): Promise<string> => {
    const text = await page.locator("main").innerText();
    return text.replace(/[‹›]/g, "").replace(/\s+/g, " ");
  };

  it("shows the present figures and texts after a change, as one that is not translated does [dashboard.translated]", async () => {
    await on.open("/");
    await translated(on);
    await on.page.getByRole("button", { name: "30 days" }).click();
    await on.settled();
    await beside.open("/?period=30d");
    await expect.poll(() => read(on.page)).toBe(await read(beside.page));
    expect(on.faults).toEqual([]);
  });

  it("goes from screen to screen, and removes what it showed [dashboard.translated]", async () => {
    await on.open("/");
    const tabs = ["overview", "funnel", "paths", "answers", "products", "traffic", "breakdown"];
    const more = [`&${days}`, `&${days}&compare=previous`];
    const screens = tabs.flatMap((tab) => more.map((rest) => `/quizzes/${quiz}?tab=${tab}${rest}`));
    for (const path of ["/quizzes", ...screens, "/people", "/search", "/developers", "/exports", "/settings", "/"]) {
      await translated(on);
      await on.follow(path);
      await beside.open(path);
      await expect.poll(async () => [path, await read(on.page)]).toEqual([path, await read(beside.page)]);
    }
    expect(on.faults).toEqual([]);
  });
});
