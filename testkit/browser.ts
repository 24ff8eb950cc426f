import { access } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
  type Request,
} from "playwright-core";
import { packedChromium } from "./browser-packed.ts";
import { keepPage } from "./open-pages.ts";
import { patience } from "./slowness.ts";

/**
 * The browser in which tests open pages: on Linux and x64 the Chromium from an npm package; elsewhere an installed
 * Chrome. Without either, tests are skipped with a message; with CI=true that is an error.
 */

/** ms that a step in a browser may take: less than a test may, so that it fails with the step that does not end. */
const longestStep = 25_000 * patience;

let launched: Promise<Browser | null> | undefined;

/**
 * One browser for the whole process, or a new one once it is closed; it ends with the process. Callers close their
 * pages.
 */
export function openBrowser(): Promise<Browser | null> {
  launched ??= launch();
  return launched;
}

async function launch(): Promise<Browser | null> {
  try {
    const options = await howToLaunch();
    const browser = await chromium.launch({ ...options, headless: true });
    browser.once("disconnected", () => {
      launched = undefined;
    });
    return browser;
  } catch (error) {
    const reason = (error as Error).message.split("\n", 1)[0];
    if (process.env["CI"] === "true") throw new Error(`CI needs a browser: ${reason}`, { cause: error });
    console.warn(`Tests in a browser are skipped: ${reason}`);
    return null;
  }
}

async function howToLaunch(): Promise<LaunchOptions> {
  if (process.platform === "linux" && process.arch === "x64") {
    const { executablePath, args, env } = await packedChromium();
    await access(executablePath);
    return { executablePath, args, env };
  }
  return { channel: "chrome" };
}

export interface OpenedPage {
  page: Page;
  /** errors on the console, exceptions, and violations of a policy */
  faults: string[];
  close(): Promise<void>;
}

/** What the browser says when it has a window: a headless one counts as a robot [sessions.robots]. */
export const ordinaryUserAgent = (browser: Browser): string =>
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version().split(".")[0]}.0.0.0 Safari/537.36`;

/** A page in its own profile. */
export async function openPage(options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const browser = await openBrowser();
  if (browser === null) throw new Error("there is no browser; begin with describe.skipIf(!(await openBrowser()))");
  const context = await browser.newContext({ userAgent: ordinaryUserAgent(browser), ...options });
  context.setDefaultTimeout(longestStep);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  const opened = performance.now();
  const requests = watchRequests(context);
  const describe = () => describePages(context, requests, faults);
  const close = async () => {
    forget();
    if (performance.now() - opened > longestStep) console.warn(`Open for long: ${await describe()}`);
    await context.close();
  };
  const forget = keepPage({ describe, close: () => context.close() });
  return { page, faults, close };
}

interface Requests {
  unanswered: Set<Request>;
  /** refused or failed, with the reason; the newest last */
  failed: string[];
}

const failuresKept = 10;
const nameOf = (request: Request): string => `${request.method()} ${request.url()}`;

function watchRequests(context: BrowserContext): Requests {
  const requests: Requests = { unanswered: new Set(), failed: [] };
  const { unanswered, failed } = requests;
  const note = (request: Request, reason: string) => {
    failed.push(`${nameOf(request)} ${reason}`);
    if (failed.length > failuresKept) failed.shift();
  };
  context.on("request", (request) => unanswered.add(request));
  context.on("requestfinished", (request) => unanswered.delete(request));
  context.on("response", (response) => {
    if (response.status() >= 400) note(response.request(), String(response.status()));
  });
  context.on("requestfailed", (request) => {
    unanswered.delete(request);
    note(request, request.failure()?.errorText ?? "failed");
  });
  return requests;
}

/** Run in the page; a text, because this file is also read without the types of pages. */
const pageState = `(async () => {
  const frame = new Promise((resolve) => requestAnimationFrame(() => resolve("draws")));
  const late = new Promise((resolve) => setTimeout(() => resolve("draws no frame in 5 s"), 5000));
  // the player's texts are in shadow roots
  const shadows = [...document.querySelectorAll("*")].flatMap((each) => [...(each.shadowRoot?.children ?? [])]);
  const texts = [document.body, ...shadows].map((each) => each?.innerText ?? "");
  const text = texts.join(" ").replace(/\\s+/g, " ").slice(0, 800);
  return [document.readyState, document.visibilityState, await Promise.race([frame, late]), text].join(", ");
})()`;

async function describePage(page: Page): Promise<string> {
  const seen: Promise<unknown> = page.evaluate(pageState);
  const late = pause(10_000, "runs no script in 10 s", { ref: false });
  return `${page.url()}: ${await Promise.race([seen.catch(String), late])}`;
}

/** What tells a lost request, page or frame from a slow one. */
async function describePages(
  context: BrowserContext,
  { unanswered, failed }: Requests,
  faults: readonly string[],
): Promise<string> {
  const pages = await Promise.all(context.pages().map(describePage));
  const lists = { "No answer yet": [...unanswered].map(nameOf), Failed: failed, Faults: faults };
  const told = Object.entries(lists).flatMap(([name, list]) =>
    list.length > 0 ? [`${name}: ${list.join(", ")}`] : [],
  );
  return [...pages, ...told].join("\n  ");
}
