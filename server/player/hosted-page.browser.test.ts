import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { openBrowser, openPage } from "../../testkit/browser.ts";
import { openShopPage } from "../../testkit/browser-shop.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { listen } from "../../testkit/raw-http.ts";
import { type SmallPlayer, smallPlayer } from "../../testkit/small-player.ts";
import { openLog } from "../platform/log.ts";
import { Built, type BuiltFiles, nothingBuilt, playerTarget } from "../web/public.ts";

/** What a browser makes of the pages and files, with a player of a few lines. */

const browser = await openBrowser();

/** Stands in for what a server opens, so that a test can have it before and after it is built. */
const shown = (): BuiltFiles => current;
let current: BuiltFiles;

let small: SmallPlayer;
let player: Built;
let t: TestApp;
let url: string;
let store: TestStore;
let quiz: TestQuiz;

beforeAll(async () => {
  if (browser === null) return;
  small = await smallPlayer();
  const log = openLog("silent", { write: () => undefined });
  player = await Built.open(playerTarget, { checkout: small.checkout, dataDir: small.data, log });
  await player.settled();
  current = player;
  t = await openTestApp({
    player: {
      get state() {
        return shown().state;
      },
      get manifest() {
        return shown().manifest;
      },
      file: (path) => shown().file(path),
    },
  });
  url = `http://127.0.0.1:${await listen(t.app)}`;
  store = await t.store();
  quiz = await makeQuiz(t, store, { name: "A quiz", publish: true });
}, 60_000);

afterAll(async () => {
  await t?.close();
  await player?.close();
  await small?.remove();
});

/** The shop of these tests has no picture for its tab. */
const besides = (faults: readonly string[]): string[] => faults.filter((fault) => !fault.includes("404"));

const addressOf = (of: TestQuiz): string => `${url}/q/${store.publishableKey}/${of.id}`;
const building: BuiltFiles = { ...nothingBuilt, state: "building" };

describe.skipIf(browser === null)("in a browser", () => {
  it("the page of a quiz runs the player and nothing is refused by its own rules [player.hosted-page, player.page-rules]", async () => {
    const { page, faults, close } = await openPage();
    await page.goto(addressOf(quiz));
    // the part that is fetched late has come, too
    await page.locator("quiz-store[data-overlay]").waitFor();
    expect(await page.locator("quiz-store").textContent()).toBe(`the quiz ${quiz.id}`);
    expect(faults).toEqual([]);
    await close();
  });

  it("the page of a quiz says so where the script does not come [player.hosted-page]", async () => {
    const { page, close } = await openPage();
    await page.route("**/embed.js", (route) => route.abort());
    await page.goto(addressOf(quiz));
    const late = page.getByText("This quiz cannot be shown at the moment. Please try again later.");
    expect(await late.isVisible()).toBe(false);
    // fifteen seconds later
    await page.evaluate(() => {
      for (const animation of document.getAnimations()) animation.finish();
    });
    await late.waitFor();
    await close();
  });

  it("a page of a shop with a strict policy loads it from another site [player.files]", async () => {
    const html = `<!doctype html><title>Shop</title><script async nonce="abc" src="${url}/embed.js"></script><quiz-store quiz="${quiz.id}"></quiz-store>`;
    const csp = "default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'";
    const { page, faults, close } = await openShopPage(html, { csp });
    await page.locator("quiz-store[data-overlay]").waitFor();
    expect(besides(faults)).toEqual([]);
    await close();
  });

  it("the loader asks again until the player is built, with the page's nonce [player.build]", async () => {
    current = building;
    const html = `<!doctype html><title>Shop</title><quiz-store quiz="${quiz.id}"></quiz-store><script async nonce="abc" src="${url}/embed.js"></script>`;
    const { page, faults, close } = await openShopPage(html, { csp: "script-src 'nonce-abc'" });
    await page.waitForTimeout(800);
    expect(await page.locator("quiz-store").textContent()).toBe("");
    current = player;
    await page.locator("quiz-store[data-overlay]").waitFor({ timeout: 5_000 });
    expect(besides(faults)).toEqual([]);
    await close();
  });

  it("a page of a quiz comes by itself once the player is built [player.build]", async () => {
    current = building;
    const { page, close } = await openPage();
    await page.goto(addressOf(quiz));
    expect(await page.locator("h1").textContent()).toBe("One moment");
    current = player;
    await page.locator("quiz-store[data-overlay]").waitFor({ timeout: 5_000 });
    await close();
  });

  it("a player that will not be built is a sentence where the quiz would stand [player.build]", async () => {
    current = { ...building, state: "failed" };
    const html = `<!doctype html><title>Shop</title><script async src="${url}/embed.js"></script><quiz-store quiz="${quiz.id}"></quiz-store>`;
    const { page, close } = await openShopPage(html);
    await page.getByText("This quiz cannot be shown at the moment.").waitFor();
    await close();
    current = player;
  });

  it.each([
    "</title><script>window.broken = 1</script>",
    '"><img src=x onerror="window.broken = 1">',
    "</style><script>window.broken = 1</script>",
  ])("a quiz named %s is only called so [player.page-rules]", async (name) => {
    const hostile = await makeQuiz(t, store, { name, publish: true });
    const { page, close } = await openPage();
    await page.goto(addressOf(hostile));
    await page.locator("quiz-store[data-overlay]").waitFor();
    expect(await page.title()).toBe(name);
    expect(await page.evaluate(() => [document.images.length, "broken" in window])).toEqual([0, false]);
    await close();
  });
});
