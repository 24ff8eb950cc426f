import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { type OpenedPage, openPage } from "../testkit/browser.ts";
import { percentile, printRow } from "./support.ts";

/**
 * Compares the dashboard with Umami on the same machine, with the same script: what a browser fetches for the first
 * screen, and the time from a click to its figures, which counts as over when the page has not changed for half a
 * second and has no requests in flight.
 *
 *   node bench/umami.browser.ts LINK UMAMI    LINK signs in to a running program; UMAMI is the address of a website's overview
 *                                          in a running Umami (3.1 was measured), whose admin has the first password
 */

interface Beside {
  name: string;
  /** signs in, and returns the addresses of its screens; clicks begin on the last one */
  open(page: Page): Promise<[name: string, address: string][]>;
  /** the elements to click in turn, by name */
  clicks: readonly string[];
  clickable: string;
}

const rounds = 20;

/** Before the page's own code runs: counts requests, and records the time of the last change. */
function watch(): void {
  const seen = { asked: 0, changed: 0 };
  Object.assign(window, { seen });
  const ask = window.fetch;
  window.fetch = async (...given) => {
    seen.asked += 1;
    try {
      return await ask(...given);
    } finally {
      seen.asked -= 1;
    }
  };
  const note = () => {
    seen.changed = performance.now();
  };
  new MutationObserver(note).observe(document, {
    attributes: true,
    characterData: true,
    childList: true,
    subtree: true,
  });
}

interface Seen {
  asked: number;
  changed: number;
}

const untilStill = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const seen: Seen = Reflect.get(window, "seen");
    do await new Promise((tell) => setTimeout(tell, 50));
    while (seen.asked > 0 || performance.now() - seen.changed < 500);
    return seen.changed;
  });

interface Click {
  answered: number;
  painted: number;
}

const click = (page: Page, name: string, clickable: string): Promise<Click> =>
  page.evaluate(
    async ([called, selector]) => {
      const seen: Seen = Reflect.get(window, "seen");
      const found = [...document.querySelectorAll<HTMLElement>(selector)].find((one) => one.textContent === called);
      if (!found) throw new Error(`there is no ${called}`);
      const begun = performance.now();
      seen.changed = begun;
      found.click();
      const answered = await new Promise<number>((tell) =>
        requestAnimationFrame(() => setTimeout(() => tell(performance.now()))),
      );
      do await new Promise((tell) => setTimeout(tell, 50));
      while (seen.asked > 0 || performance.now() - seen.changed < 500);
      return { answered: answered - begun, painted: seen.changed - begun };
    },
    [name, clickable] as const,
  );

/** Scripts and styles that a browser with an empty cache fetches for the screen, in gzip. */
async function fetchedFor({ page }: OpenedPage, address: string): Promise<{ files: number; kilobytes: number }> {
  const bodies: Promise<Buffer>[] = [];
  page.on("response", (response) => {
    if (/^(script|stylesheet)$/.test(response.request().resourceType()) && response.ok()) bodies.push(response.body());
  });
  await page.goto(address);
  await untilStill(page);
  page.removeAllListeners("response");
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
  return { files: sizes.length, kilobytes: sizes.reduce((sum, size) => sum + size, 0) / 1_024 };
}

const part = (times: number[], share: number): string => percentile(times, share).toFixed(0);

async function measure({ name, open, clicks, clickable }: Beside): Promise<void> {
  const opened = await openPage({ viewport: { width: 1440, height: 900 }, locale: "en-US" });
  const { page } = opened;
  await page.addInitScript(watch);
  for (const [screen, address] of await open(page)) {
    const { files, kilobytes } = await fetchedFor(opened, address);
    printRow(`${name}: opening ${screen}`, `${files} files`, `${kilobytes.toFixed(0)} KB`);
  }
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return 1_000 * (metrics.find((metric) => metric.name === "TaskDuration")?.value ?? Number.NaN);
  };
  for (const called of clicks) {
    const other = clicks[(clicks.indexOf(called) + 1) % clicks.length] ?? called;
    const times: (Click & { cost: number })[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      await click(page, other, clickable);
      const before = await busy();
      const time = await click(page, called, clickable);
      // in the first round, its code is fetched
      if (round > 0) times.push({ ...time, cost: (await busy()) - before });
    }
    const of = (what: "answered" | "painted" | "cost") => times.map((time) => time[what]);
    printRow(
      `${name}: ${called}`,
      ...[part(of("answered"), 0.5), part(of("answered"), 0.95), part(of("painted"), 0.5)],
      ...[part(of("painted"), 0.95), part(of("cost"), 0.5)],
    );
  }
  await opened.close();
}

const [link, umami] = process.argv.slice(2);
if (link === undefined || umami === undefined) throw new Error("the two addresses are missing");
console.log(
  "from a click, ms: to the next paint p50, p95; to the last change of the figures p50, p95; of processor p50",
);
await measure({
  name: "Quiz Store",
  clicks: ["Overview", "Funnel", "Paths", "Answers", "Traffic", "Breakdown"],
  clickable: '[role="tab"]',
  open: async (page) => {
    await page.goto(link);
    await page.getByRole("button", { name: /^(sign in|accept)$/i }).click();
    const best = page.locator('[data-figure="best-quizzes"][aria-busy="false"] [data-row]').first();
    const quiz = await best.getAttribute("data-row");
    const home = `${new URL(link).origin}/dashboard`;
    return [
      ["Home", home],
      ["a quiz's figures", `${home}/quizzes/${quiz}`],
    ];
  },
});
await measure({
  name: "Umami",
  clicks: ["Overview", "Events", "Sessions", "Compare", "Breakdown"],
  clickable: "a, button",
  open: async (page) => {
    await page.goto(`${new URL(umami).origin}/login`);
    await page.locator("input").first().fill("admin");
    await page.locator("input").nth(1).fill("umami");
    await page.getByRole("button", { name: /login/i }).click();
    await page.waitForURL((url) => !url.pathname.startsWith("/login"));
    await page.waitForLoadState("networkidle");
    return [
      ["the list of websites", `${new URL(umami).origin}/websites`],
      ["a website's figures", umami],
    ];
  },
});
process.exit(0);
