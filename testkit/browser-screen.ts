import { join } from "node:path";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import type { QuizDocument } from "../engine/document.ts";
import { playerFacts } from "../engine/player-facts.ts";
import type { CatalogProduct } from "../player/live-quiz.ts";
import type { NewEvent } from "../player/run/types.ts";
import { bundleForBrowser } from "./browser-bundle.ts";
import type { ScreenGiven } from "./browser-screen-page.ts";
import { openShopPage } from "./browser-shop.ts";

/** The player's screen alone on a page, under a policy that forbids inline styles and foreign scripts. */

export interface OpenedScreen {
  page: Page;
  /** the quiz as drawn; locators look into its shadow root */
  quiz: Locator;
  title: Locator;
  /** errors, and violations of the page's policy */
  faults: string[];
  events(): Promise<NewEvent[]>;
  answers(): Promise<NewEvent[]>;
  close(): Promise<void>;
}

export interface ScreenSettings extends Partial<Omit<ScreenGiven, "live">> {
  catalog?: CatalogProduct[];
  context?: BrowserContextOptions;
  name?: string;
  /** additional HTML of the page, such as a style sheet that resets everything */
  html?: string;
}

let bundled: Promise<string> | undefined;

const policy =
  "default-src 'none'; script-src 'nonce-own'; style-src 'nonce-none'; img-src data: https:; connect-src 'self'";

/** A click waits until moving elements are stable, so animations run a hundred times as fast. */
async function hurryAnimations(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Animation.enable");
  await session.send("Animation.setPlaybackRate", { playbackRate: 100 });
}

export async function openScreenPage(document: QuizDocument, settings: ScreenSettings = {}): Promise<OpenedScreen> {
  bundled ??= bundleForBrowser(join(import.meta.dirname, "browser-screen-page.ts"));
  const script = await bundled;
  const { catalog = [], context = {}, name = "A quiz", html = "", ...given } = settings;
  const shop = await openShopPage(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>A shop</title></head><body>${html}<main><h1>A shop</h1><div id="quiz"></div></main><script nonce="own" src="/screen.js"></script></body></html>`,
    {
      csp: policy,
      context,
      pages: {
        "/screen.js": (_request, response) =>
          response.writeHead(200, { "content-type": "text/javascript" }).end(script),
      },
    },
  );
  const { page, faults } = shop;
  await hurryAnimations(page);
  const live = {
    quiz_id: "quiz_0",
    name,
    version_id: "ver_0",
    version_number: 1,
    document,
    player: playerFacts(document),
    store: { name: "A shop", currency: "EUR" },
    catalog,
  };
  // passed as text, because the types of formulas are recursive
  await page.evaluate((all) => window.quizScreen.open(JSON.parse(all)), JSON.stringify({ live, ...given }));
  const events = (): Promise<NewEvent[]> => page.evaluate(() => window.quizScreen.events);
  return {
    page,
    quiz: page.locator(".quiz"),
    title: page.locator(".quiz h2").first(),
    faults,
    events,
    answers: async () => (await events()).filter((event) => event.type === "answer_saved"),
    close: shop.close,
  };
}
