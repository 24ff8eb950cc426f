import type { Page } from "playwright-core";
import type { AnalyticsPaths } from "../client/src/index.ts";
import { openPage } from "../testkit/browser.ts";
import { type Clicked, clickTab } from "../testkit/dashboard-figures.ts";
import { largeEdges, largePages, largePaths } from "../testkit/large-paths.ts";
import { startOwnedStore } from "./owned-store.ts";
import { dayBefore, percentile, printRow } from "./support.ts";

/**
 * Measures how soon the dashboard shows figures: from a click to the next paint, and to the painted figures, of each
 * screen; and how long it takes to draw a graph of 60 pages and 400 edges. Targets: a click responds within 100 ms, and
 * the graph is drawn within 200.
 *
 *   node bench/figures.browser.ts LINK        a running program's link to sign in; its first quiz is looked at
 *   node bench/figures.browser.ts 1000000     a program of its own, with a store of so many sessions of 90 days
 *
 * First: the program has received no requests. New: days not requested before, which are computed. Again: the same once
 * more, which program and page have cached.
 */

const rounds = 20;

const quizTabs: readonly [tab: string, there: string][] = [
  ["Funnel", '[data-figure="funnel-pages"][aria-busy="false"]'],
  ["Paths", '[data-figure="paths"][aria-busy="false"] [data-edge]'],
  ["Overview", '[data-figure="series"][aria-busy="false"] .recharts-line-curve'],
  ["Answers", '[data-figure="answers"][aria-busy="false"]'],
  ["Products", '[data-figure="products"][aria-busy="false"]'],
  ["Traffic", '[data-figure="traffic"][aria-busy="false"]'],
  ["Breakdown", '[data-figure="breakdown"][aria-busy="false"]'],
];
const storeTabs: readonly [tab: string, there: string][] = [
  ["Quizzes", '[data-figure="quizzes"][aria-busy="false"]'],
  ["Products", '[data-figure="products"][aria-busy="false"]'],
  ["Breakdown", '[data-figure="breakdown"][aria-busy="false"]'],
  ["Overview", '[data-figure="series"][aria-busy="false"] .recharts-line-curve'],
];

/** Days up to today that include all those of a store of the benchmark, and differ from round to round. */
const daysOf = (round: number): string => `from=${dayBefore(91 + round)}&to=${dayBefore(0)}`;

async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page
    .getByRole("button", { name: /^(sign in|accept)$/i })
    .first()
    .click();
  await page.waitForURL(/\/dashboard(\?|$)/);
  await page.waitForSelector('[data-figure="best-quizzes"][aria-busy="false"]', { timeout: 120_000 });
}

function printTimes(name: string, times: readonly Clicked[]): void {
  const cells = (["answered", "painted"] as const).flatMap((of) => {
    const taken = times.map((one) => one[of]);
    return [0.5, 0.95].map((share) => percentile(taken, share).toFixed(0));
  });
  printRow(name, ...cells);
}

/** Each tab of a screen, with new days and then with the same ones again. */
async function measureTabs(page: Page, name: string, address: string, tabs: typeof quizTabs): Promise<void> {
  const measured = new Map<string, Clicked[]>();
  const note = (kind: string, tab: string, time: Clicked) => {
    const key = `${name}: ${tab}, ${kind}`;
    measured.set(key, [...(measured.get(key) ?? []), time]);
  };
  const [last = ""] = tabs.at(-1) ?? [];
  for (let round = 0; round <= rounds; round += 1) {
    // the round's last tab is shown before it begins
    await page.goto(`${address}?tab=${last.toLowerCase()}&${daysOf(round)}`);
    await page.waitForSelector(tabs.at(-1)?.[1] ?? "");
    for (const kind of ["new", "again"]) {
      for (const [tab, there] of tabs) {
        const time = await clickTab(page, tab, there);
        if (round > 0 && !(kind === "new" && tab === last)) note(kind, tab, time);
        else if (kind === "new" && round === 0 && tab !== last) note("first", tab, time);
      }
    }
  }
  for (const [tab] of tabs) {
    for (const kind of ["first", "new", "again"]) {
      const times = measured.get(`${name}: ${tab}, ${kind}`);
      if (times) printTimes(`${name}: ${tab}, ${kind}`, times);
    }
  }
}

/** Home, from the list of exports and back. */
async function measureHome(page: Page): Promise<void> {
  const times: Clicked[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await clickTab(page, "Exports", 'body:not(:has([data-figure="summary"]))', "nav a");
    await page.waitForTimeout(300);
    times.push(await clickTab(page, "Home", '[data-figure="summary"][aria-busy="false"] svg', "nav a"));
  }
  printTimes("Home, again", times);
}

/** Only the graph: its answer is enlarged on the way. */
async function measureGraph(page: Page, address: string): Promise<void> {
  await page.route(/\/analytics\/paths/, async (route) => {
    const response = await route.fetch();
    const answer: AnalyticsPaths = await response.json();
    await route.fulfill({ response, json: largePaths(answer) });
  });
  await page.goto(`${address}?tab=paths`);
  await page.waitForSelector("[data-graph] [data-edge]");
  const times: Clicked[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await clickTab(page, "Breakdown", '[data-figure="breakdown"][aria-busy="false"]');
    times.push(await clickTab(page, "Paths", "[data-graph] [data-edge]"));
  }
  printTimes(`Graph of ${largePages} pages, ${largeEdges} edges`, times);
}

const [given] = process.argv.slice(2);
if (given === undefined) throw new Error("the link to sign in, or a number of sessions, is missing");
const started = /^\d+$/.test(given) ? await startOwnedStore({ sessions: Number(given), quizzes: 3 }) : null;
try {
  const link = (await started?.ownersLink()) ?? given;
  const { page } = await openPage({ viewport: { width: 1440, height: 900 }, locale: "en-US" });
  const begun = performance.now();
  await signIn(page, link);
  console.log(
    `signed in, and Home painted for the first time, after ${((performance.now() - begun) / 1_000).toFixed(1)} s`,
  );
  const quiz = await page.locator('[data-figure="best-quizzes"] [data-row]').first().getAttribute("data-row");
  const home = `${new URL(link).origin}/dashboard`;
  console.log("from a click, ms: to the next paint p50, p95; to the painted figures p50, p95");
  await measureHome(page);
  await measureTabs(page, "Quiz", `${home}/quizzes/${quiz}`, quizTabs);
  await measureTabs(page, "Store", `${home}/analytics`, storeTabs);
  await measureGraph(page, `${home}/quizzes/${quiz}`);
} finally {
  await started?.stop();
}
process.exit(0);
