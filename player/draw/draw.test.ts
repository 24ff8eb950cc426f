import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openBrowser, openPage } from "../../testkit/browser.ts";
import { bundleForBrowser } from "../../testkit/browser-bundle.ts";
import type { DrawnParts } from "../../testkit/browser-draw-page.tsx";

describe.skipIf((await openBrowser()) === null)("what is drawn again", () => {
  let page: Page;
  let faults: string[];
  let close: () => Promise<void>;
  beforeAll(async () => {
    const script = await bundleForBrowser(join(import.meta.dirname, "../../testkit/browser-draw-page.tsx"));
    ({ page, faults, close } = await openPage());
    await page.setContent("<!doctype html><title>Drawing</title>");
    await page.addScriptTag({ content: script });
  });
  beforeEach(async () => {
    await page.evaluate(() => {
      document.body.innerHTML = '<div id="place"></div>';
      window.heard.length = 0;
      window.arrived.length = 0;
    });
  });
  afterAll(() => close());

  const draw = (parts: DrawnParts) => page.evaluate((given) => window.drawParts(given), parts);
  const items = () => page.locator("ul li").allTextContents();

  it("keeps elements by their keys, whatever comes before, between and after them", async () => {
    await draw({ items: ["a", "c"] });
    await page.evaluate(() => {
      for (const item of document.querySelectorAll<HTMLElement>("ul li")) item.title = `first ${item.textContent}`;
    });
    await draw({ items: ["new", "c", "b", "a"], note: "now with a note" });
    expect(await items()).toEqual(["new", "c", "b", "a"]);
    expect(await page.locator("ul li").evaluateAll((all) => all.map((item) => (item as HTMLElement).title))).toEqual([
      "",
      "first c",
      "",
      "first a",
    ]);
    expect(await page.evaluate(() => window.arrived)).toEqual(["a", "c", "new", "b"]);
    await draw({ items: [] });
    expect([await items(), await page.locator(".note").count()]).toEqual([[], 0]);
  });

  it("keeps the focus and what is typed in a field before which something comes", async () => {
    await draw({ items: ["a"], value: "kept" });
    const field = page.locator("[name=text]");
    await field.focus();
    await draw({ items: ["b", "a"], note: "above", value: "kept" });
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  it("keeps what stands after a list that grows, and elements of two lists with the same keys", async () => {
    await draw({ items: ["a", "b"], others: ["b"] });
    const field = page.locator("[name=text]");
    await field.focus();
    const listed = () => page.locator("ol li").allTextContents();
    expect(await listed()).toEqual(["a", "b", "other b"]);
    await draw({ items: ["b", "a"], others: ["a", "b"], lines: ["one", "two"] });
    expect(await listed()).toEqual(["b", "a", "other a", "other b"]);
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  it("moves nothing on account of what others have put between", async () => {
    await draw({ items: ["a"] });
    const field = page.locator("[name=text]");
    await field.focus();
    await field.evaluate((one) => one.before(Object.assign(document.createElement("i"), { className: "foreign" })));
    await draw({ items: ["a"], note: "above", lines: ["one"] });
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await page.locator(".foreign").count()).toBe(1);
  });

  it("takes away styles and attributes that are named no more", async () => {
    const attributes = () =>
      page
        .locator("form")
        .evaluate((place) => Object.fromEntries([...place.attributes].map(({ name, value }) => [name, value])));
    await draw({ items: [], look: { color: "red", "--filled": "5%" } });
    expect(await attributes()).toEqual({ style: "color: red; --filled: 5%;", tabindex: "-1", lang: "de" });
    await draw({ items: [], look: { color: "blue" } });
    expect(await attributes()).toEqual({ style: "color: blue;", tabindex: "-1", lang: "de" });
    await draw({ items: [] });
    const { style = "", ...others } = await attributes();
    expect([style, others]).toEqual(["", {}]);
  });

  it("puts fields right that the shopper changed, and takes away attributes that are none any more", async () => {
    await draw({ items: [], value: "b", checked: true });
    expect(await page.locator("[name=one]").inputValue()).toBe("b");
    expect(await page.locator("[name=text]").getAttribute("aria-invalid")).toBe("true");
    await page.locator("[name=text]").fill("typed");
    await page.locator("[name=box]").uncheck();
    await draw({ items: [], value: "b", checked: true });
    expect(await page.locator("[name=text]").inputValue()).toBe("b");
    expect(await page.locator("[name=box]").isChecked()).toBe(true);
    await draw({ items: [], value: "", checked: false });
    expect(await page.locator("[name=text]").getAttribute("aria-invalid")).toBeNull();
    expect(await page.locator("[name=one]").inputValue()).toBe("");
  });

  it("hears events once, by what was drawn last", async () => {
    await draw({ items: [], says: "one" });
    await draw({ items: [] });
    await page.getByRole("button").click();
    expect(await page.evaluate(() => window.heard.splice(0))).toEqual(["capture"]);
    await draw({ items: [], says: "two" });
    await page.getByRole("button", { name: "say two 1" }).click();
    expect(await page.evaluate(() => window.heard)).toEqual(["capture", "two"]);
  });

  it("leaves a translator's texts until what it translated changes, and then shows the present text", async () => {
    const place = () => page.locator("#place");
    const wait = () => page.evaluate(() => window.translatePage());
    await draw({ items: ["a"], says: "it" });
    await wait();
    await draw({ items: ["a", "b"], note: "more", says: "it" });
    expect(await items()).toEqual(["‹a›", "b"]);
    expect(await page.getByRole("button").textContent()).toBe("‹say ›‹it›‹ ›‹1›");
    // one of an element's texts changes
    await draw({ items: ["a"], note: "less", says: "that" });
    expect(await page.getByRole("button").innerHTML()).toBe("say that 1");
    expect(await page.locator(".note").innerHTML()).toBe("less");
    // a text goes, one comes, and elements stay where they are between them
    await wait();
    await draw({ items: [] });
    expect(await page.getByRole("button").innerHTML()).toBe("say  1");
    await wait();
    await draw({ items: ["new"], says: "again" });
    expect(await place().locator("ul").textContent()).toBe("new");
    expect(await page.getByRole("button").innerHTML()).toBe("say again 1");
    expect(faults).toEqual([]);
  });

  it("leaves texts that a translator changed in place, until they change", async () => {
    await draw({ items: ["a"], says: "it" });
    await page.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) walker.currentNode.nodeValue = `‹${walker.currentNode.nodeValue}›`;
    });
    await draw({ items: ["a"], says: "it", note: "new" });
    expect(await items()).toEqual(["‹a›"]);
    await draw({ items: ["a"], says: "that", note: "new" });
    expect([await items(), await page.getByRole("button").textContent()]).toEqual([["‹a›"], "say that 1"]);
  });

  it("puts back what others took away, in its place", async () => {
    await draw({ items: ["a", "b"] });
    await page.evaluate(() => document.querySelector("form")?.replaceChildren());
    await draw({ items: ["a", "b"], note: "new" });
    expect(await page.locator("form > *").evaluateAll((all) => all.map(({ tagName }) => tagName))).toEqual([
      "P",
      "UL",
      "OL",
      "INPUT",
      "INPUT",
      "SELECT",
      "BUTTON",
    ]);
    expect(await items()).toEqual(["a", "b"]);
  });
});
