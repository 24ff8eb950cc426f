import { access } from "node:fs/promises";
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from "playwright-core";
import { packedChromium } from "./browser-packed.ts";
import { patience } from "./slowness.ts";

/**
 * The browser in which tests open pages: on Linux and x64 the Chromium from an npm package; elsewhere an installed
 * Chrome. Without either, tests are skipped with a message; with CI=true that is an error.
 */

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
const ordinaryUserAgent = (browser: Browser): string =>
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version().split(".")[0]}.0.0.0 Safari/537.36`;

/** A page in its own profile. */
export async function openPage(options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const browser = await openBrowser();
  if (browser === null) throw new Error("there is no browser; begin with describe.skipIf(!(await openBrowser()))");
  const context = await browser.newContext({ userAgent: ordinaryUserAgent(browser), ...options });
  // less than a test may take, so that it fails with the step that does not end
  context.setDefaultTimeout(25_000 * patience);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  return { page, faults, close: () => context.close() };
}
