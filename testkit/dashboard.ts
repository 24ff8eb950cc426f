import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { ApiFoundations } from "../server/main/compose.ts";
import type { Browser } from "./accounts.ts";
import { openTestApp, type TestApp } from "./app.ts";
import { openBrowser } from "./browser.ts";
import { builtDashboard, builtPlayer } from "./built-player.ts";
import { listen } from "./raw-http.ts";
import { patience } from "./slowness.ts";

/** The dashboard in a real browser, as somebody who is signed in, under the rules that its page has. */

export interface DashboardApp extends TestApp {
  /** where a browser reaches it */
  url: string;
}

/** The whole API with the built dashboard and player, on a port of its own. */
export async function openDashboardApp(overrides: Partial<ApiFoundations> = {}): Promise<DashboardApp> {
  const [dashboard, player] = await Promise.all([builtDashboard(), builtPlayer()]);
  const t = await openTestApp({ dashboard: dashboard.files, player: player.files, ...overrides });
  const port = await listen(t.app);
  return { ...t, url: `http://127.0.0.1:${port}` };
}

export interface DashboardPage {
  page: Page;
  /** what the console said of errors, exceptions, and what the page's rules refused; not the answers of the API */
  faults: string[];
  /** goes to a screen, such as `/quizzes?tab=funnel`, and waits until nothing is on its way any more */
  open(path: string): Promise<void>;
  /** goes to another screen from the one that is shown, as a link does: the page is not loaded anew */
  follow(path: string): Promise<void>;
  /** waits until nothing is on its way any more */
  settled(): Promise<void>;
  /** what axe finds on the page as it is, or only what those of its rules do */
  violations(only?: Rules): Promise<string[]>;
  /** whether it, or a dialog or menu over it, is wider than its room */
  isWide(): Promise<boolean>;
  close(): Promise<void>;
}

type Server = Pick<DashboardApp, "url">;

/** @param as whose cookies the page has; nobody's without it */
export async function openDashboard(
  t: Server,
  as?: Browser,
  options: BrowserContextOptions = {},
): Promise<DashboardPage> {
  const browser = await openBrowser();
  if (browser === null) throw new Error("there is no browser; begin with describe.skipIf(!(await openBrowser()))");
  const context = await browser.newContext({ viewport: desktop, ...options });
  if (as) await context.addCookies(cookiesOf(as, t.url));
  context.setDefaultTimeout(30_000 * patience);
  const page = await context.newPage();
  const opened = watch(page);
  return {
    ...opened,
    open: async (path) => {
      await page.goto(`${t.url}/dashboard${path}`);
      await opened.settled();
    },
    close: () => context.close(),
  };
}

const desktop = { width: 1440, height: 900 };

const cookiesOf = (as: Browser, url: string) =>
  as
    .cookie()
    .split("; ")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return { name, value: value.join("="), url };
    });

/** Another tab of the same browser. */
export async function openTab(t: Server, beside: DashboardPage, path: string): Promise<DashboardPage> {
  const page = await beside.page.context().newPage();
  const opened = watch(page);
  const open = async (to: string): Promise<void> => {
    await page.goto(`${t.url}/dashboard${to}`);
    await opened.settled();
  };
  await open(path);
  return { ...opened, open, close: () => page.close() };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

function watch(page: Page): Omit<DashboardPage, "open" | "close"> {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // the browser tells of every refusal of the API, which is no fault of the page
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text());
  });
  const settled = async (): Promise<void> => {
    await page.locator("h1").first().waitFor();
    await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
  };
  return {
    page,
    faults,
    follow: async (path) => {
      const before = await page.evaluate((to) => {
        const { href } = window.__TSR_ROUTER__?.state.location ?? {};
        window.__TSR_ROUTER__?.history.push(to);
        return href;
      }, `/dashboard${path}`);
      // the screen before stays until the next can be drawn
      await page.waitForFunction((left) => {
        const { status, location, resolvedLocation } = window.__TSR_ROUTER__?.state ?? {};
        return status === "idle" && location?.href !== left && resolvedLocation?.href === location?.href;
      }, before);
      await settled();
    },
    settled,
    violations: async (only = {}) => {
      // to read it takes as long as to let it look
      if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
      return page.evaluate(axeFindings, only);
    },
    isWide: () => page.evaluate(isWide),
  };
}

declare global {
  interface Window {
    axe: typeof import("axe-core");
  }
}

type Rules = Pick<import("axe-core").RunOptions, "runOnly">;

async function axeFindings(only: Rules): Promise<string[]> {
  // what moves or fades is looked at as it will be
  for (const animation of document.getAnimations()) {
    // what turns forever has no end
    if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish();
  }
  const { violations } = await window.axe.run(document, { resultTypes: ["violations"], ...only });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)} ${failureSummary}`),
  );
}

const isWide = (): boolean =>
  [document.documentElement, ...document.querySelectorAll("[role=dialog], [role=menu], .qs-alone-card")].some(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
  );

interface Look {
  options: BrowserContextOptions;
  /** what is changed under each screen that was looked at, and what axe then looks for */
  second: { name: string; change(page: Page): Promise<unknown>; only: Rules };
}

/** Ways in which each screen is looked at. */
export const looks: Readonly<Record<"desktop" | "phone", Look>> = {
  desktop: {
    options: { colorScheme: "light" },
    second: {
      name: "dark",
      change: async (page) => {
        await page.emulateMedia({ colorScheme: "dark" });
        await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
      },
      only: { runOnly: ["color-contrast", "link-in-text-block"] },
    },
  },
  phone: {
    options: { viewport: { width: 375, height: 720 }, hasTouch: true, isMobile: true },
    second: {
      name: "320 pixels",
      change: (page) => page.setViewportSize({ width: 320, height: 640 }),
      only: { runOnly: ["scrollable-region-focusable"] },
    },
  },
};

export type LookName = keyof typeof looks;
export const lookNames = Object.keys(looks) as LookName[];

export interface Looked {
  path: string;
  heading: string | null;
  violations: string[];
  isWide: boolean;
}

/** Goes to each of the screens in one of the looks and says what is wrong with it; `act` first does something there. */
export async function lookAt(
  t: Server,
  as: Browser | undefined,
  look: LookName,
  screens: readonly (string | { path: string; act: (on: DashboardPage) => Promise<unknown> })[],
): Promise<{ found: Looked[]; faults: string[] }> {
  const { options, second } = looks[look];
  const { colorScheme = "light", viewport = desktop } = options;
  const on = await openDashboard(t, as, { ...options, colorScheme });
  const found: Looked[] = [];
  const see = async (path: string, only?: Rules): Promise<void> => {
    const heading = await on.page.locator("h1").first().textContent();
    found.push({ path, heading, violations: await on.violations(only), isWide: await on.isWide() });
  };
  let seen: { path: string; isTouched: boolean; isCovered: boolean } | null = null;
  for (const screen of screens) {
    const { path, act = null } = typeof screen === "string" ? { path: screen } : screen;
    await on.page.emulateMedia({ colorScheme });
    await on.page.setViewportSize(viewport ?? desktop);
    // what lies over a screen would lie over the next, and what was done on it stays while only its search changes
    if (seen === null || seen.isCovered || (seen.isTouched && screenOf(seen.path) === screenOf(path)))
      await on.open(path);
    else if (seen.path !== path) await on.follow(path);
    await on.page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await act?.(on);
    await see(path);
    await second.change(on.page);
    await see(`${path} (${second.name})`, second.only);
    const isCovered = (await on.page.locator("[role=dialog], [role=menu]").count()) > 0;
    seen = { path, isTouched: act !== null, isCovered };
  }
  await on.close();
  return { found, faults: on.faults };
}

const screenOf = (path: string): string | undefined => path.split("?")[0];

/** What is wrong with any of them, in one list to be empty. */
export const wrongWith = ({ found, faults }: { found: readonly Looked[]; faults: readonly string[] }): string[] => [
  ...found.flatMap(({ path, violations, isWide }) => [
    ...violations.map((violation) => `${path}: ${violation}`),
    ...(isWide ? [`${path} is wider than its room`] : []),
  ]),
  ...faults,
];
