import { access } from "node:fs/promises";
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from "playwright-core";
import { packedChromium } from "./browser-packed.ts";
import { patience } from "./slowness.ts";

/**
 * The browser that tests open pages in: the Chromium that an npm package carries, on Linux and x64; an installed Chrome
 * elsewhere. Where there is neither, tests are left out, which is said in one line; with CI=true that is an error.
 */

let launched: Promise<Browser | null> | undefined;

/** One for the whole process, or a new one once that is closed; it ends with the process. Whoever opens a page closes it. */
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
  /** what the console said of errors, exceptions, and what a policy refused */
  faults: string[];
  close(): Promise<void>;
}

/** A page in a profile of its own. */
export async function openPage(options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const browser = await openBrowser();
  if (browser === null) throw new Error("there is no browser; begin with describe.skipIf(!(await openBrowser()))");
  const context = await browser.newContext(options);
  context.setDefaultTimeout(30_000 * patience);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  return { page, faults, close: () => context.close() };
}
