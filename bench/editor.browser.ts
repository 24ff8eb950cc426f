import type { CDPSession, Locator, Page } from "playwright-core";
import { openPage } from "../testkit/browser.ts";
import { largeOptions, largePages, middle } from "../testkit/large-quiz.ts";
import { startEditorStore } from "./editor-store.ts";
import { percentile, printRow } from "./support.ts";

/**
 * Measures how soon the editor responds with a quiz of a hundred pages and a thousand options, from a key or click to
 * the next paint; and how soon the product picker responds in a shop of fifty thousand. Target: every key within 100
 * ms.
 *
 *   node bench/editor.browser.ts [PRODUCTS]
 *
 * The last column is the processor time of the page's main thread for each input and everything it causes: the paint,
 * the lint, the preview, saving.
 *
 * Half of the keys come 120 ms apart, like those of a fluent typist; the others after pauses of up to 0.7 seconds,
 * during which the lint, the preview and saving begin, so that keys interrupt that work.
 */

const keysPerField = 60;
const wantedMs = 100;

/** From now on, records for each key or click the time from the event itself to after the paint. */
async function watchInput(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { seenInput: seen });
    const note = (event: Event): void => {
      const begun = event.timeStamp;
      // a message posted in a frame arrives after the frame is painted
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => seen.push(performance.now() - begun);
      requestAnimationFrame(() => port2.postMessage(null));
    };
    for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, note, true);
  });
}

const takeSeen = (page: Page): Promise<number[]> =>
  // set on the page above, so that Window's type lacks it
  page.evaluate(() => (window as unknown as { seenInput: number[] }).seenInput.splice(0));

/** Processor time of the page's main thread so far, which does not depend on other load. */
async function processorMs(page: Page): Promise<number> {
  const session = await sessionOf(page);
  const { metrics } = await session.send("Performance.getMetrics");
  return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
}

let session: CDPSession | null = null;
async function sessionOf(page: Page): Promise<CDPSession> {
  if (session !== null) return session;
  session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return session;
}

function printTimes(name: string, times: readonly number[], processor: number): void {
  const at = (share: number) => percentile(times, share).toFixed(0);
  const over = times.filter((ms) => ms >= wantedMs).length;
  printRow(name, times.length, at(0.5), at(0.95), at(1), over, (processor / times.length).toFixed(0));
}

/** The same pauses each time. */
const pauseAt = (n: number): number => (n % 2 === 0 ? 120 : 120 + ((n * 97) % 580));

async function typeInto(page: Page, name: string, field: Locator, text: string): Promise<void> {
  await field.click();
  await page.keyboard.press("End");
  await page.waitForTimeout(1_500);
  await takeSeen(page);
  const before = await processorMs(page);
  for (let n = 0; n < keysPerField; n += 1) {
    await page.keyboard.press(text[n % text.length] ?? "a");
    await page.waitForTimeout(pauseAt(n));
  }
  await page.waitForTimeout(1_500);
  printTimes(name, await takeSeen(page), (await processorMs(page)) - before);
}

async function clicks(page: Page, name: string, fields: readonly Locator[]): Promise<void> {
  await page.waitForTimeout(1_500);
  await takeSeen(page);
  const before = await processorMs(page);
  for (const field of fields) {
    await field.click();
    await page.waitForTimeout(700);
  }
  printTimes(name, await takeSeen(page), (await processorMs(page)) - before);
}

async function measureKeys(page: Page): Promise<void> {
  const row = (n: number) => page.locator("[data-row]").filter({ hasText: new RegExp(`^${n + 1}Page ${n}`) });
  const component = (name: RegExp) => page.getByRole("button", { name });
  const field = (name: string) => page.locator(`[data-field="${name}"]`);
  const at = `pages.${middle}`;
  const letters = "some words that are typed ";
  await row(middle).click();
  await typeInto(page, "title of a page", field(`${at}.title`), letters);
  await component(/^Question 49/).click();
  await typeInto(page, "question", field(`${at}.components.0.question`), letters);
  await typeInto(page, "label of an option", field(`${at}.components.0.options.3.label`), letters);
  await component(/^Years/).click();
  await typeInto(page, "formula", field(`${at}.components.2.expression`), " + 1");
  await component(/^Hello/).click();
  await typeInto(page, "text with HTML", field(`${at}.components.3.html_text`), letters);
  await clicks(page, "click on a page", [3, 20, 55, 70, 95, 12, 40, 80, 60, 30].map(row));
  await component(/^Question 30/).click();
  await clicks(page, "Add an option", Array(10).fill(page.getByRole("button", { name: "Add an option", exact: true })));
  await clicks(page, "Undo", Array(10).fill(page.getByRole("button", { name: /^Undo/ })));
  await page.getByRole("tab", { name: "Points and data" }).click();
  // content far below is only drawn when it is scrolled to
  await page.getByLabel("Points of options").evaluate(async (box) => {
    while (box.querySelector('[data-cell="500 1"]') === null) {
      box.scrollTop += 400;
      await new Promise((tell) => setTimeout(tell, 50));
    }
  });
  await typeInto(page, "cell of the points grid", page.locator('[data-cell="500 1"]'), "1");
  await typeInto(page, "name of a property", field("property_mappings.5.property_name"), letters);
  await page.getByRole("tab", { name: "Look and texts" }).click();
  await typeInto(page, "description of the quiz", field("presentation.description"), letters);
  await page.getByRole("tab", { name: "Logic" }).click();
  await clicks(
    page,
    "tab",
    ["Points and data", "Build", "Logic", "Build"].map((name) => page.getByRole("tab", { name })),
  );
}

/** Opens the picker and types words, each of which causes a search: up to the painted result of the last one. */
async function measurePicker(page: Page, products: number): Promise<void> {
  await page
    .locator("[data-row]")
    .filter({ hasText: /^4 products/ })
    .click();
  const open = page.getByRole("button", { name: "Choose products" });
  const list = page.locator('.qs-ed-products[aria-busy="false"] li');
  const before = await processorMs(page);
  const opened: number[] = [];
  const answered: number[] = [];
  for (const searched of [
    "calm cream",
    "wild",
    "oil 4999",
    "bright mask 12",
    "soft deep scrub",
    "31337",
    "balm",
    "mist 7",
  ]) {
    const begun = performance.now();
    await open.click();
    await list.first().waitFor();
    opened.push(performance.now() - begun);
    const words = page.getByLabel("Search by title");
    await takeSeen(page);
    await words.pressSequentially(searched, { delay: 100 });
    const typed = performance.now();
    const last = searched.split(" ").at(-1) ?? "";
    await list
      .filter({ hasText: new RegExp(last, "i") })
      .first()
      .waitFor();
    await page.waitForFunction(
      (word) => {
        const found = [...document.querySelectorAll('.qs-ed-products[aria-busy="false"] li')];
        return found.length > 0 && found.every((one) => one.textContent?.toLowerCase().includes(word));
      },
      last.toLowerCase(),
      { polling: "raf" },
    );
    answered.push(performance.now() - typed);
    await page.keyboard.press("Escape");
    await page.waitForTimeout(300);
  }
  const processor = (await processorMs(page)) - before;
  printTimes(`picker of ${products.toLocaleString("en")}: opened`, opened, processor);
  printTimes("picker: last key to its results", answered, processor);
  await open.click();
  await list.first().waitFor();
  await typeInto(page, "picker: key to paint", page.getByLabel("Search by title"), "calm cream ");
}

const products = Number(process.argv[2] ?? 50_000);
const store = await startEditorStore(products);
try {
  const { page } = await openPage({ viewport: { width: 1440, height: 900 }, locale: "en-US" });
  await page.goto(store.link);
  await page
    .getByRole("button", { name: /^(sign in|accept)$/i })
    .first()
    .click();
  await page.waitForURL(/\/dashboard(\?|$)/);
  const begun = performance.now();
  await page.goto(`${new URL(store.link).origin}/dashboard/quizzes/${store.quizId}/edit`);
  await page.getByLabel("Name of the quiz").waitFor();
  console.log(`${largePages} pages, ${largeOptions} options: opened in ${Math.round(performance.now() - begun)} ms`);
  await watchInput(page);
  printRow("to the next paint, ms", "inputs", "p50", "p95", "longest", `over ${wantedMs}`, "processor");
  await measureKeys(page);
  await page.getByRole("tab", { name: "Build" }).click();
  await measurePicker(page, products);
} finally {
  await store.stop();
}
process.exit(0);
