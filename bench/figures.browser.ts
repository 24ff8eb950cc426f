import type { Page } from "playwright-core";
import type { AnalyticsPaths } from "../client/src/index.ts";
import { openPage } from "../testkit/browser.ts";

/**
 * How soon the dashboard's figures are there: from a click to the next paint, and to the painted figures; and how long a
 * graph of 60 pages and 400 edges takes to be drawn once its answer is there. Wanted: a click answers in 100 ms, the graph
 * is there in 200.
 *
 *   node bench/figures.browser.ts LINK    the link to sign in that a running program printed; its first quiz is looked at
 */

const rounds = 12;
const pages = 60;
const edges = 400;

/** A quiz in which everybody goes everywhere: pages in a row, jumps, skips and steps back between any of them. */
function largeAnswer(answer: AnalyticsPaths): AnalyticsPaths {
  const key = (page: number) => `page${page}`;
  const causes = ["next", "jump", "skip", "back", "restart"] as const;
  const made = Array.from({ length: edges }, (_, index) => {
    const from = index % pages;
    const isNext = index < pages - 1;
    const step = isNext ? 1 : 1 + ((index * 7) % 17);
    const cause = isNext ? "next" : (causes[index % causes.length] ?? "next");
    const goesBack = cause === "back" || cause === "restart";
    const to = goesBack ? Math.max(0, from - step) : Math.min(pages - 1, from + step);
    const rule = cause === "jump" ? { jump_rule_key: `rule${index}` } : {};
    const moves = isNext ? 9_000 - from * 120 : 5 + ((index * 37) % 400);
    return { from_page_key: key(from), to_page_key: key(to), cause, moves, sessions_moved: moves - 2, ...rule };
  });
  const nodes = Array.from({ length: pages }, (_, page) => ({
    page_key: key(page),
    title: `Page ${page + 1}: what do you think of it?`,
    removed: page % 19 === 18,
    entries: made.filter((edge) => edge.from_page_key === key(page)).reduce((sum, edge) => sum + edge.moves, 40),
    entries_by_jump: 3,
    exits_closed: 25,
    exits_restarted: 5,
    exits_timed_out: 10,
    finished_here: 0,
    still_here: 0,
    median_time_on_page_ms: 4_000,
  }));
  return { ...answer, sessions: 9_000, nodes, edges: made, other_paths: { moves: 0, routes: 0 } };
}

/** From a click on a tab to the paint after it, and to the paint in which `there` is. */
const clicked = (page: Page, tab: string, there: string): Promise<{ answered: number; painted: number }> =>
  page.evaluate(
    async ([name, selector]) => {
      const painted = () =>
        new Promise<number>((tell) => requestAnimationFrame(() => setTimeout(() => tell(performance.now()))));
      const button = [...document.querySelectorAll<HTMLElement>('[role="tab"]')].find(
        (one) => one.textContent === name,
      );
      const begun = performance.now();
      button?.click();
      const answered = await painted();
      while (document.querySelector(selector ?? "") === null) await painted();
      return { answered: answered - begun, painted: (await painted()) - begun };
    },
    [tab, there] as const,
  );

const shown: readonly [tab: string, there: string][] = [
  ["Funnel", '[data-figure="funnel-pages"][aria-busy="false"]'],
  ["Paths", "[data-graph] [data-edge]"],
  ["Overview", '[data-figure="series"][aria-busy="false"] .recharts-line-curve'],
  ["Answers", '[data-figure="answers"][aria-busy="false"]'],
  ["Products", '[data-figure="products"][aria-busy="false"]'],
  ["Traffic", '[data-figure="traffic"][aria-busy="false"]'],
  ["Breakdown", '[data-figure="breakdown"][aria-busy="false"]'],
];

/** Figures of the running program, but for the paths, whose answer is made large. */
async function measure(page: Page, link: string): Promise<void> {
  await page.route(/\/analytics\/paths/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as AnalyticsPaths;
    await route.fulfill({ response: answer, json: largeAnswer(body) });
  });
  await page.goto(link);
  await page
    .getByRole("button", { name: /sign in|continue/i })
    .first()
    .click();
  await page.waitForURL(/\/dashboard(\?|$)/);
  const quiz = await page.locator('[data-figure="best-quizzes"] [data-row]').first().getAttribute("data-row");
  await page.goto(`${new URL(link).origin}/dashboard/quizzes/${quiz}?tab=breakdown`);
  await page.waitForSelector('[data-figure="breakdown"][aria-busy="false"]');
  const times = new Map<string, { answered: number; painted: number }[]>(shown.map(([tab]) => [tab, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [tab, there] of shown) {
      const time = await clicked(page, tab, there);
      // the first round fetches the parts
      if (round > 0) times.get(tab)?.push(time);
    }
  }
  console.log("from a click, ms                    to the next paint p50 p95     to the painted figures p50 p95");
  for (const [tab, measured] of times) {
    const at = (part: number, of: "answered" | "painted") => {
      const sorted = measured.map((one) => one[of]).sort((a, b) => a - b);
      return (sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN).toFixed(0);
    };
    const told = tab === "Paths" ? `Paths (${pages} pages, ${edges} edges)` : tab;
    const cells = [at(0.5, "answered"), at(0.95, "answered"), at(0.5, "painted"), at(0.95, "painted")];
    console.log(`${told.padEnd(36)}${cells.map((cell) => cell.padStart(14)).join("")}`);
  }
}

const [link] = process.argv.slice(2);
if (link === undefined) throw new Error("the link to sign in is missing");
const { page } = await openPage({ viewport: { width: 1440, height: 900 }, locale: "en-US" });
await measure(page, link);
process.exit(0);
