import type { Page } from "playwright-core";
import { openBrowser, openPage } from "./browser.ts";
import { type DrivenBrowser, waitUntil } from "./webdriver.ts";

/** The tests' Chromium behind the same interface as Firefox and WebKit, so that one journey can run in all of them. */

const names = { Tab: "Tab", Enter: "Enter", Escape: "Escape", Space: "Space", ArrowDown: "ArrowDown" } as const;

const elementOf = async (page: Page, expression: string) => {
  const found = (await page.evaluateHandle<Element>(expression)).asElement();
  if (found === null) throw new Error(`Chromium: ${expression} is no element`);
  return found;
};

export async function openChromium(): Promise<DrivenBrowser | null> {
  if ((await openBrowser()) === null) return null;
  const { page, close } = await openPage();
  const run = <T>(body: string, ...given: unknown[]): Promise<T> =>
    page.evaluate(`(function () { ${body} }).apply(null, ${JSON.stringify(given)})`) as Promise<T>;
  return {
    name: "Chromium",
    run,
    goto: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    click: async (expression) => (await elementOf(page, expression)).click(),
    type: async (expression, text) => (await elementOf(page, expression)).type(text),
    press: (key) => page.keyboard.press(names[key]),
    until: (expression) => waitUntil("Chromium", run, expression),
    close,
  };
}
