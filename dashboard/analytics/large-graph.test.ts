import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnalyticsPaths } from "../../client/src/index.ts";
import { signedIn } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardApp, type DashboardPage, openDashboard, openDashboardApp } from "../../testkit/dashboard.ts";
import { changeAnswers, clickTab, drawSample, readEdges, usualDrawing } from "../../testkit/dashboard-figures.ts";
import { openFinderShop } from "../../testkit/finder-shop.ts";
import { largeEdges, largePages, largePaths } from "../../testkit/large-paths.ts";
import { patience, slowness } from "../../testkit/slowness.ts";

const browser = await openBrowser();

/** Tabs with charts and graphs show them without waiting for code, if somebody has looked at another one before. */
const fetchedParts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .flatMap(({ name }) => /\/(overview-chart|graph-view)-[\w-]+\.js/.exec(name)?.[1] ?? [])
      .sort(),
  );

describe.skipIf(browser === null)("a graph of 60 pages and 400 edges", () => {
  let t: DashboardApp;
  let on: DashboardPage;

  beforeAll(async () => {
    t = await openDashboardApp();
    const shop = await openFinderShop(t, { name: "Serum finder" });
    const owner = await signedIn(t, "owner@shop.example", { store: shop.store, role: "owner" });
    on = await openDashboard(t, owner);
    await changeAnswers<AnalyticsPaths>(on.page, /\/analytics\/paths/, largePaths);
    await on.open(`/quizzes/${shop.quiz.id}?tab=paths`);
    await on.page.waitForSelector("[data-strip]");
  }, 120_000);

  afterAll(async () => {
    await on?.close();
    await t?.close();
  });

  it("is drawn within 200 ms of a click, with every edge [dashboard-figures.graph-size]", async () => {
    const times: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      await clickTab(on.page, "Funnel", "body:not(:has([data-graph]))");
      await on.settled();
      const before = await drawSample(on.page);
      const { painted } = await clickTab(on.page, "Paths", "[data-graph] [data-edge]");
      const slower = (before + (await drawSample(on.page))) / 2 / usualDrawing;
      times.push(painted / Math.max(1, slower));
    }
    expect(times.sort((a, b) => a - b)[4]).toBeLessThan(200 * slowness);
    expect(await readEdges(on.page)).toHaveLength(largeEdges);
  });

  it("begins at a size that is read, and is led along by its row of all pages [dashboard-figures.graph-strip]", async () => {
    const strip = on.page.locator("[data-strip]");
    expect(await strip.locator(".qs-strip-bar").count()).toBe(largePages);
    const box = on.page.locator("[data-graph]");
    const { width } = (await box.boundingBox())!;
    const isSeen = async (id: string) => {
      const { x: left, y, height } = (await box.boundingBox())!;
      const card = (await on.page.locator(`[data-card="${id}"]`).boundingBox())!;
      return card.x >= left && card.x + card.width <= left + width && card.y >= y && card.y + card.height <= y + height;
    };
    const letters = await on.page.locator('[data-card="page0"] .qs-graph-label').boundingBox();
    // two lines of its title, of 13 pixels at the smallest size that is read
    expect(letters!.height).toBeGreaterThan(2 * 13 * 0.8);
    expect([await isSeen("page0"), await isSeen("page44")]).toEqual([true, false]);
    await strip.click({ position: { x: (44.5 / largePages) * width, y: 10 } });
    await expect.poll(() => isSeen("page44"), { timeout: 5_000 * patience }).toBe(true);
    await on.page.getByRole("button", { name: "Show all of it" }).click();
    await expect.poll(() => isSeen("page0"), { timeout: 5_000 * patience }).toBe(true);
  });

  it("is walked through by keys to its last page, each seen while it is chosen [dashboard-figures.graph-keys]", async () => {
    const focused = () => on.page.evaluate(() => document.activeElement?.getAttribute("data-card") ?? null);
    await on.page.locator('[data-card="page0"]').focus();
    const walked = [await focused()];
    for (let page = 1; page < largePages; page += 1) {
      await on.page.keyboard.press("ArrowRight");
      walked.push(await focused());
    }
    expect(walked).toEqual(Array.from({ length: largePages }, (_, page) => `page${page}`));
    await on.page.keyboard.press("Enter");
    const told = on.page.locator(".qs-graph-details");
    await told.getByText("Page 60: what do you think of it?").first().waitFor();
    expect(await told.locator("li").count()).toBeGreaterThan(1);
    // the edges of the chosen page are written on as well, which no others have room for
    const looked = await on.page.locator(".qs-edges-looked path").count();
    expect(await on.page.locator(".qs-edges-looked text").count()).toBe(looked);
    expect(looked).toBe((await readEdges(on.page)).filter(({ id }) => JSON.parse(id).includes("page59")).length);
  });

  it("has its code fetched before anybody asks for it, as the chart has [dashboard-figures.quick]", async () => {
    await on.open(`${new URL(on.page.url()).pathname.replace("/dashboard", "")}?tab=funnel`);
    await expect
      .poll(() => fetchedParts(on.page), { timeout: 5_000 * patience })
      .toEqual(["graph-view", "overview-chart"]);
    await on.page.goBack();
    await on.settled();
    await on.page.waitForSelector("[data-graph] [data-edge]");
  });

  it("has every edge in its table [dashboard-figures.graph-keys]", async () => {
    await on.page.locator('[data-figure="paths"]').getByRole("button", { name: "As a table" }).click();
    const rows = on.page.locator('[data-figure="paths"] table').first().locator("tbody tr");
    await expect.poll(() => rows.count(), { timeout: 5_000 * patience }).toBe(largeEdges);
  });
});
