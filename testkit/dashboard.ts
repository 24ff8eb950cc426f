import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { ApiFoundations } from "../server/main/compose.ts";
import type { Browser } from "./accounts.ts";
import { openTestApp, type TestApp } from "./app.ts";
import { openPage } from "./browser.ts";
import { builtDashboard, builtPlayer } from "./built-player.ts";
import { listen } from "./raw-http.ts";

/** The dashboard in a real browser, for a signed-in person, under its page's own policy. */

export interface DashboardApp extends TestApp {
  /** its address for browsers */
  url: string;
}

/** The whole API with the built dashboard and player, on its own port. */
export async function openDashboardApp(overrides: Partial<ApiFoundations> = {}): Promise<DashboardApp> {
  const [dashboard, player] = await Promise.all([builtDashboard(), builtPlayer()]);
  const t = await openTestApp({ dashboard: dashboard.files, player: player.files, ...overrides });
  const port = await listen(t.app);
  return { ...t, url: `http://127.0.0.1:${port}` };
}

export interface DashboardPage {
  page: Page;
  /** errors on the console, exceptions, and violations of the page's policy; without answers of the API */
  faults: string[];
  /** goes to a screen, such as `/quizzes?tab=funnel`, and waits until nothing is loading */
  open(path: string): Promise<void>;
  /** goes to another screen like a link on the current one, without reloading the page */
  follow(path: string): Promise<void>;
  /** waits until nothing is loading */
  settled(): Promise<void>;
  /** axe's findings on the current page, or only those of these rules */
  violations(only?: Rules): Promise<string[]>;
  /** whether the page, or a dialog or menu on it, is wider than the available space */
  isWide(): Promise<boolean>;
  close(): Promise<void>;
}

type Server = Pick<DashboardApp, "url">;

/** @param as the person whose cookies the page has; without it, nobody's */
export async function openDashboard(
  t: Server,
  as?: Browser,
  options: BrowserContextOptions = {},
): Promise<DashboardPage> {
  const { page, close } = await openPage({ viewport: desktop, ...options });
  if (as) await page.context().addCookies(cookiesOf(as, t.url));
  const opened = watch(page);
  return {
    ...opened,
    open: async (path) => {
      await page.goto(`${t.url}/dashboard${path}`);
      await opened.settled();
    },
    close,
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

/** Opens another tab of the same browser. */
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
    // the browser logs every error answer of the API, which is not a fault of the page
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
      // the previous screen stays until the next one can be drawn
      await page.waitForFunction((left) => {
        const { status, location, resolvedLocation } = window.__TSR_ROUTER__?.state ?? {};
        return status === "idle" && location?.href !== left && resolvedLocation?.href === location?.href;
      }, before);
      await settled();
    },
    settled,
    violations: async (only = {}) => {
      // loading axe takes as long as running it
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
  // moving or fading elements are examined in their final state
  for (const animation of document.getAnimations()) {
    // endless animations have no final state
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

/** Fields into which phones zoom when they get the focus: those with letters below 16 pixels, on a narrow screen. */
const zoomedInto = (): string[] =>
  window.innerWidth >= 768
    ? []
    : [...document.querySelectorAll("input:not([type=checkbox]):not([type=radio]), select, textarea")].flatMap(
        (field) => (Number.parseFloat(getComputedStyle(field).fontSize) < 16 ? [field.outerHTML.slice(0, 300)] : []),
      );

interface Look {
  options: BrowserContextOptions;
  /** a change made on each screen after it was examined, and the rules that axe then checks */
  second: { name: string; change(page: Page): Promise<unknown>; only: Rules };
}

/** Configurations in which each screen is examined. */
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
  zoomed: string[];
}

/** Goes to each of the screens in one of the looks and returns its faults; `act` first does something there. */
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
    const zoomed = await on.page.evaluate(zoomedInto);
    found.push({ path, heading, violations: await on.violations(only), isWide: await on.isWide(), zoomed });
  };
  let seen: { path: string; isTouched: boolean; isCovered: boolean } | null = null;
  for (const screen of screens) {
    const { path, act = null } = typeof screen === "string" ? { path: screen } : screen;
    await on.page.emulateMedia({ colorScheme });
    await on.page.setViewportSize(viewport ?? desktop);
    // a dialog or menu would cover the next screen too, and `act`'s effects stay if only the search changes
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

/** All faults in one list, which should be empty. */
export const wrongWith = ({ found, faults }: { found: readonly Looked[]; faults: readonly string[] }): string[] => [
  ...found.flatMap(({ path, violations, isWide, zoomed }) => [
    ...violations.map((violation) => `${path}: ${violation}`),
    ...(isWide ? [`${path} is wider than its room`] : []),
    ...zoomed.map((field) => `${path}: a phone zooms into ${field}`),
  ]),
  ...faults,
];
