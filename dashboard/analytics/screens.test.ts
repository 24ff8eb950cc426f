import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnalyticsPaths } from "../../client/src/index.ts";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import type { TestStore } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { readCsv } from "../../testkit/csv.ts";
import {
  type DashboardApp,
  type DashboardPage,
  lookAt,
  openDashboard,
  openDashboardApp,
  openTab,
  wrongWith,
} from "../../testkit/dashboard.ts";
import { changeAnswers, readRows, readStats, toldRow, watchQuestions } from "../../testkit/dashboard-figures.ts";
import { feedYear } from "../../testkit/dashboard-year.ts";
import { openFinderShop } from "../../testkit/finder-shop.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { patience, slowness } from "../../testkit/slowness.ts";
import { surveyDocument } from "../../testkit/small-quizzes.ts";

/** What the screens of figures do when somebody uses them. */

const browser = await openBrowser();
/** What is clicked is drawn when the machine gets to it. */
const soon = { timeout: 5_000 * patience };

describe.skipIf(browser === null)("the screens of figures", () => {
  let t: DashboardApp;
  let store: TestStore;
  let owner: Browser;
  let on: DashboardPage;
  let lastAsked: (end: string) => string;
  let quizId: string;
  let days: string;

  beforeAll(async () => {
    t = await openDashboardApp();
    const fed = await feedYear(t);
    ({ store, days } = fed);
    quizId = fed.history.quizzes[0]!.id;
    owner = await signedIn(t, "owner@shop.example", { store, role: "owner" });
    on = await openDashboard(t, owner, { acceptDownloads: true });
    lastAsked = watchQuestions(on.page);
  }, 180_000);

  afterAll(async () => {
    await on?.close();
    await t?.close();
  });

  const asked = (end: string) => new URL(lastAsked(end), t.url).searchParams;
  const shown = () => new URL(on.page.url()).searchParams;

  const tabs = ["overview", "funnel", "paths", "answers", "products", "traffic", "breakdown"];

  it.each([
    ["channel", "Channel"],
    ["device", "Device"],
    ["new_returning", "New or returning"],
    ["country", "Country"],
  ])("ask for the %s that is chosen, on every tab [dashboard-figures.address]", async (name, label) => {
    await on.open(`/quizzes/${quizId}?tab=funnel&${days}`);
    const before = await readStats(on.page, "funnel-whole");
    await on.page.getByRole("button", { name: "Filter" }).click();
    await on.page.getByRole("combobox", { name: label }).click();
    await on.page.getByRole("option").first().click();
    await expect.poll(() => shown().get(name), soon).not.toBeNull();
    const value = shown().get(name);
    await expect.poll(() => asked("/funnel").get(name), soon).toBe(value);
    await on.settled();
    const after = () => readStats(on.page, "funnel-whole");
    const { body } = await t.request("GET", lastAsked("/funnel"), { key: store.key });
    const { views, not_started, starts, completions, in_progress } = body;
    const wanted = toldRow({ views, not_started, starts, completions, in_progress });
    if (views > 0) await expect.poll(after, soon).toEqual(wanted);
    await on.page.keyboard.press("Escape");
    await on.page.getByRole("tab", { name: "Overview" }).click();
    await expect.poll(() => asked("/overview").get(name), soon).toBe(value);
    await on.page.getByRole("button", { name: `Remove the filter ${label}` }).click();
    await expect.poll(() => [shown().get(name), asked("/overview").get(name)], soon).toEqual([null, null]);
    await on.page.goBack();
    await on.page.goBack();
    await on.page.goBack();
    // the other tab's figures stay until these are drawn
    await expect.poll(() => readStats(on.page, "funnel-whole"), soon).toEqual(before);
  });

  it("take days from presets, in the store's zone, and compare them [dashboard-figures.days, dashboard-figures.compare]", async () => {
    await on.open(`/quizzes/${quizId}?tab=breakdown`);
    expect([...asked("/breakdown")]).toEqual([
      ["tz", "UTC"],
      ["by", "channel"],
    ]);
    const today = new Date(t.calendar.now()).toISOString().slice(0, 10);
    await on.page.getByRole("button", { name: /^Days:/ }).click();
    await on.page.getByRole("button", { name: "Last 7 days" }).click();
    const week = new Date(t.calendar.now() - 6 * 86_400_000).toISOString().slice(0, 10);
    await expect.poll(() => [shown().get("from"), shown().get("to")], soon).toEqual([week, today]);
    await expect
      .poll(() => [asked("/breakdown").get("from"), asked("/breakdown").get("to")], soon)
      .toEqual([week, today]);
    await on.page.getByRole("switch", { name: "Compare with the period before" }).click();
    await expect.poll(() => shown().get("compare"), soon).toBe("previous");
    await expect.poll(() => Date.parse(week) - Date.parse(asked("/breakdown").get("to") ?? ""), soon).toBe(86_400_000);
  });

  it("show the same by a link in another tab [dashboard-figures.address]", async () => {
    await on.open(`/quizzes/${quizId}?tab=traffic&${days}&by=utm_source&device=mobile&limit=10`);
    const here = await readRows(on.page, '[data-figure="traffic"]');
    const other = await openTab(t, on, on.page.url().split("/dashboard")[1]!);
    expect(await readRows(other.page, '[data-figure="traffic"]')).toEqual(here);
    await other.close();
  });

  it("answer a click on a tab by its mark in the next paint, within 100 ms [dashboard-figures.quick]", async () => {
    await on.open(`/quizzes/${quizId}?tab=breakdown&${days}`);
    const times: number[] = [];
    for (const tab of [...tabs, ...tabs]) {
      const clicked = on.page.getByRole("tab", { name: tab, exact: false });
      const { took, isMarked } = await clicked.evaluate(async (button: HTMLElement) => {
        const begun = performance.now();
        button.click();
        await new Promise((tell) => requestAnimationFrame(() => setTimeout(tell)));
        return { took: performance.now() - begun, isMarked: button.getAttribute("aria-selected") === "true" };
      });
      expect([tab, isMarked]).toEqual([tab, true]);
      times.push(took);
      await on.settled();
    }
    expect(times.sort((a, b) => a - b)[tabs.length]).toBeLessThan(100 * slowness);
  });

  it("give each table as CSV with the figures of the answer [dashboard-figures.csv]", async () => {
    await on.open(`/quizzes/${quizId}?tab=funnel&${days}`);
    const download = on.page.waitForEvent("download");
    await on.page.getByRole("button", { name: "CSV of Page by page" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/_funnel_\d{4}-\d{2}-\d{2}_\d{4}-\d{2}-\d{2}_pages\.csv$/);
    const { body } = await t.request("GET", lastAsked("/funnel"), { key: store.key });
    const rows = readCsv(await readFile(await file.path(), "utf8"));
    expect(rows).toEqual(body.pages.map((page: object) => toldRow(page)));
    // a picture of two tables gives both
    await on.open(`/quizzes/${quizId}?tab=paths&${days}`);
    await on.page.locator('[data-figure="paths"]').getByRole("button", { name: "As a table" }).click();
    const second = on.page.waitForEvent("download");
    await on.page.getByRole("button", { name: "CSV of Pages" }).click();
    const pages = await second;
    expect(pages.suggestedFilename()).toMatch(/_paths_.*_pages\.csv$/);
    const { body: paths } = await t.request("GET", lastAsked("/paths"), { key: store.key });
    const arrivals = readCsv(await readFile(await pages.path(), "utf8")).map((row) => [
      row["page_key"],
      row["entries"],
    ]);
    expect(arrivals).toEqual(
      paths.nodes.map((page: AnalyticsPaths["nodes"][number]) => [page.page_key, String(page.entries)]),
    );
  });

  it("tell the call that they made, which answers the same with a key [dashboard-figures.api-call]", async () => {
    await on.open(`/quizzes/${quizId}?tab=products&${days}&bucket=added_from_quiz&sort=units`);
    await on.page.getByRole("button", { name: "API call of Products" }).click();
    const curl = await on.page.getByRole("region", { name: "The call with curl" }).innerText();
    const url = new URL(/'(http[^']+)'/.exec(curl)![1]!);
    for (const [, name, value] of curl.matchAll(/--data-urlencode '([^=]+)=([^']*)'/g))
      url.searchParams.set(name!, value!);
    expect(`${url.pathname}${url.search}`).toBe(lastAsked("/products"));
    const answer = await fetch(url, { headers: { authorization: `Bearer ${store.key}` } });
    expect([answer.status, ((await answer.json()) as { sort: string }).sort]).toEqual([200, "units"]);
    await on.page.getByRole("tab", { name: "TypeScript" }).click();
    const script = await on.page.getByRole("region", { name: "The call in TypeScript" }).innerText();
    expect(script).toContain("await getQuizAnalyticsProducts(client, {");
    expect(await on.page.getByRole("button", { name: /Copy/ }).isVisible()).toBe(true);
  });

  it("order and find quizzes, a page at a time [dashboard-figures.address]", async () => {
    await on.open(`/quizzes?${days}`);
    await on.page.getByRole("button", { name: "Starts" }).click();
    await expect
      .poll(() => [asked("/analytics/quizzes").get("sort"), asked("/analytics/quizzes").get("dir")], soon)
      .toEqual(["starts", "desc"]);
    await on.page.getByRole("searchbox", { name: "Find a quiz by name" }).fill("find");
    await on.page.waitForURL(/q=find/);
    await expect.poll(() => asked("/analytics/quizzes").get("q"), soon).toBe("find");
    await on.page.getByRole("searchbox", { name: "Find a quiz by name" }).fill("no such quiz");
    await on.page.getByText("No quiz has this in its name").waitFor();
    // what was looked for is one step, and its field says what the address says
    await on.page.goBack();
    await expect.poll(() => shown().get("q"), soon).toBeNull();
    const field = on.page.getByRole("searchbox", { name: "Find a quiz by name" });
    await expect.poll(() => field.inputValue(), soon).toBe("");
    await on.open(`/quizzes?${days}&offset=9000`);
    await on.page.getByText("There is no such page").waitFor();
    await on.page.getByRole("button", { name: "Show the first page" }).click();
    await on.page.waitForSelector("[data-quiz]");
    await expect.poll(() => shown().get("offset"), soon).toBeNull();
  });

  it("show a link's screen without what the API refuses of it [dashboard-figures.address]", async () => {
    await on.open(`/quizzes/${quizId}?tab=funnel&from=2999-01-01&to=2999-01-02&device=mobile`);
    await on.page.waitForSelector('[data-figure="funnel-pages"]');
    await expect
      .poll(() => ["from", "to", "device"].map((name) => shown().get(name)), soon)
      .toEqual([null, null, "mobile"]);
    await on.open(`/quizzes/${quizId}?tab=answers&${days}&component_key=nobody_asked`);
    await on.page.waitForSelector('[data-figure="answers"]');
    await expect.poll(() => shown().get("component_key"), soon).toBeNull();
    expect(await on.page.getByRole("alert").count()).toBe(0);
  });

  it("show the days asked for where those before cannot be had, and say so [dashboard-figures.compare]", async () => {
    const isBefore = (url: URL) => url.pathname.endsWith("/funnel") && url.searchParams.get("to")! < days.slice(5, 15);
    await on.page.route(isBefore, (route) =>
      route.fulfill({
        status: 403,
        contentType: "application/problem+json",
        body: JSON.stringify({ type: "about:blank", title: "insufficient_role", status: 403, detail: "no" }),
      }),
    );
    await on.open(`/quizzes/${quizId}?tab=funnel&${days}&compare=previous`);
    await on.page.locator("[data-before-failed]").waitFor();
    const { body } = await t.request("GET", lastAsked(`/funnel`).replace(/from=.*?&to=.*?&/, `${days}&`), {
      key: store.key,
    });
    expect((await readStats(on.page, "funnel-whole"))["views"]).toBe(String(body.views));
    await on.page.unroute(isBefore);
    await on.page.locator("[data-before-failed]").getByRole("button", { name: "Try again" }).click();
    await on.page.waitForSelector('[data-stat="views"] [data-before]');
    expect(await on.page.locator("[data-before-failed]").count()).toBe(0);
  });

  it("name the quiz that needs attention, and lead to it [dashboard-figures.attention]", async () => {
    const shop = await openFinderShop(t, { name: "Serum finder" });
    await makeQuiz(t, shop.store, { name: "Serum finder", quizId: shop.quiz.id, document: surveyDocument });
    const editor = await signedIn(t, "edits@shop.example", { store: shop.store, role: "editor" });
    const home = await openDashboard(t, editor);
    await home.open("/");
    const link = home.page.locator('[data-attention] [data-kind="draft_differs"] a');
    expect(await link.innerText()).toMatch(/^Serum finder\n.*changes/);
    expect(await link.getAttribute("href")).toContain(`/dashboard/quizzes/${shop.quiz.id}/edit`);
    await home.close();
  });

  it("choose a page of a graph by a click, and look at one by pointing at it [dashboard-figures.graph-keys]", async () => {
    await on.open(`/quizzes/${quizId}?tab=paths&${days}`);
    const card = on.page.locator("[data-card]").first();
    await card.click();
    await expect.poll(() => card.getAttribute("aria-pressed"), soon).toBe("true");
    await on.page.locator(".qs-graph-details strong").waitFor();
    await card.click();
    await on.page.locator(".qs-graph-details strong").waitFor({ state: "detached" });
    await on.page.locator("h1").hover();
    const isDim = () => on.page.getAttribute(".qs-graph-edges", "data-dim");
    await expect.poll(isDim, soon).toBe("false");
    await card.hover();
    await expect.poll(isDim, soon).toBe("true");
  });

  it("go through a graph by keys [dashboard-figures.graph-keys]", async () => {
    await on.open(`/quizzes/${quizId}?tab=paths&${days}`);
    await on.page.waitForSelector("[data-card]");
    const stops = await on.page.$$eval(
      "[data-card]",
      (cards) => cards.filter((card) => (card as HTMLElement).tabIndex === 0).length,
    );
    expect(stops).toBe(1);
    await on.page.locator('[data-card][tabindex="0"]').focus();
    await on.page.keyboard.press("ArrowRight");
    const focused = () => on.page.evaluate(() => document.activeElement?.getAttribute("data-card") ?? null);
    const second = await focused();
    expect(second).not.toBeNull();
    await on.page.keyboard.press("Enter");
    await expect.poll(() => on.page.getAttribute(`[data-card="${second}"]`, "aria-pressed"), soon).toBe("true");
    await on.page.locator(".qs-graph-details strong").waitFor();
    await on.page.keyboard.press("End");
    await expect.poll(focused, soon).not.toBe(second);
    await on.page.keyboard.press("Escape");
    await on.page.locator(".qs-graph-details strong").waitFor({ state: "detached" });
  });

  it("say why there is nothing, and what to do [dashboard-figures.empty]", async () => {
    await on.open(`/quizzes/${quizId}?tab=funnel&from=2020-01-01&to=2020-01-07&country=DE`);
    await on.page.getByText("No sessions in these days").waitFor();
    await on.page.getByRole("button", { name: "Remove the filters" }).click();
    await expect.poll(() => shown().get("country"), soon).toBeNull();
    await on.page.getByRole("button", { name: "Show the last 365 days" }).click();
    await expect
      .poll(async () => Number((await readStats(on.page, "funnel-whole"))["views"] ?? 0), soon)
      .toBeGreaterThan(0);
    const bare = await t.store();
    const newcomer = await signedIn(t, "new@shop.example", { store: bare, role: "owner" });
    const screens = ["/", "/quizzes", "/analytics", "/analytics?tab=products", "/analytics?tab=breakdown"];
    expect(wrongWith(await lookAt(t, newcomer, "phone", screens))).toEqual([]);
    const there = await openDashboard(t, newcomer);
    await there.open("/quizzes");
    await there.page.getByText("There is no quiz yet").waitFor();
    await there.open("/analytics");
    await there.page.getByText("No shopper has opened a quiz yet").waitFor();
    await there.close();
  });

  it("claim nothing of a store whose figures are still put together [dashboard-figures.empty]", async () => {
    const isQuestion = (url: URL) => url.pathname.includes("/analytics/");
    await changeAnswers<Record<string, unknown>>(on.page, isQuestion, (body) => {
      const none = { data: [], total: 0, rows: [], question: null, questions: [], options: [] };
      const emptied = Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name, name in none ? none[name as keyof typeof none] : value]),
      );
      const freshness = { ...(body["freshness"] as object), as_of: null, next_refresh_at: null, pending: true };
      return { ...emptied, freshness };
    });
    for (const path of ["/", "/quizzes", `/quizzes/${quizId}?tab=answers`, "/analytics?tab=products"]) {
      await on.page.goto(`${t.url}/dashboard${path}`);
      await on.page.getByText("The figures are being put together").waitFor();
      expect(await on.page.getByText(/There is no quiz yet|No question that|No products/).count()).toBe(0);
    }
    await on.page.unroute(isQuestion);
  });

  it("say up to when they reach, and ask anew with what they hold [dashboard-figures.freshness]", async () => {
    await on.open(`/quizzes/${quizId}?tab=funnel&${days}`);
    const asOf = await on.page.getAttribute("[data-as-of]", "data-as-of");
    const { body } = await t.request("GET", lastAsked("/funnel"), { key: store.key });
    expect(asOf).toBe(body.freshness.as_of);
    const again = on.page.waitForRequest((request) => request.url().includes("/funnel"));
    await on.page.getByRole("button", { name: "Refresh" }).click();
    expect((await again).headers()["if-none-match"]).toMatch(/^"/);
    await on.settled();
    expect((await readStats(on.page, "funnel-whole"))["views"]).toBe(String(body.views));
  });

  it("follow while shoppers come in, without a reload [dashboard-figures.live]", async () => {
    const shop = await openFinderShop(t);
    const looker = await signedIn(t, "looks@shop.example", { store: shop.store, role: "analyst" });
    const home = await openDashboard(t, looker);
    await home.open("/");
    const overview = await openTab(t, home, `/quizzes/${shop.quiz.id}`);
    const views = '[data-stat="views"]';
    for (const { page } of [home, overview]) expect(await page.getAttribute(views, "data-value")).toBe("0");
    await shop.take(1, [], { minutesAgo: 1 });
    // the calendar of tests stands: this is the time that figures are kept for those who look
    t.calendar.advance(5_000);
    // five seconds until the screens look again, and what other tests on the same processors take away from the drawing
    for (const { page } of [home, overview])
      await page.waitForSelector(`${views}[data-value="1"]`, { timeout: 8_000 * patience });
    expect([...home.faults, ...overview.faults]).toEqual([]);
    await home.close();
  });

  it("left no fault behind", () => expect(on.faults).toEqual([]));
});
