import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedPage, type EmbeddedShop, openEmbeddedShop, type Told } from "../../testkit/browser-quiz.ts";
import { sessionRow } from "../../testkit/storefront.ts";

const require = createRequire(import.meta.url);
/** the release that most themes still bring along */
const jQuery = readFileSync(require.resolve("jquery/dist/jquery.min.js"), "utf8");

/** Pages that are as pages of shops come to be. */

describe.skipIf((await openBrowser()) === null)("hostile pages", () => {
  let shop: EmbeddedShop;
  beforeAll(async () => {
    shop = await openEmbeddedShop();
  });
  afterAll(() => shop.close());

  /** From the first page to the second, and until the server has it. */
  async function takes({ page, heard }: EmbeddedPage): Promise<void> {
    const { session_id } = await heard("page");
    await page.getByLabel("Oily").click();
    const next = page.getByRole("button", { name: "Next" });
    if (await next.isVisible()) await next.click();
    await heard("page", 2);
    await page.getByRole("heading", { name: "About oil" }).waitFor();
    const box = await page.locator("quiz-store").boundingBox();
    expect(box?.width).toBeGreaterThan(250);
    await expect
      .poll(async () => (await sessionRow(shop.t, shop.store, session_id ?? ""))?.state.last_page_key)
      .toBe("oil");
  }

  it.each([
    [
      "a reset of all styles",
      {
        head: "<style>*,*::before,*::after{margin:0;padding:0;border:0;font:inherit;list-style:none;appearance:none}button,input{display:none}</style>",
      },
    ],
    ["* { all: unset }", { head: "<style>* { all: unset } head, script, style, title { display: none }</style>" }],
    ["* { all: unset !important }", { head: "<style>body * { all: unset !important }</style>" }],
    ["quirks mode", { doctype: "" }],
    [
      "additions to prototypes",
      {
        head: `<script>
          Array.prototype.first = function () { return this[0] }; Object.prototype.forEachKey = function () {};
          Function.prototype.wrap = function () { return this }; String.prototype.blank = function () {};
          Array.prototype.toJSON = function () { return JSON.stringify(Array.from(this, (one) => one)) };
          Element.prototype.hide = function () {}; Array.prototype.find = function (test) { for (var i = 0; i < this.length; i++) if (test(this[i], i, this)) return this[i] };
        </script>`,
      },
    ],
    [
      "jQuery as shops have it, which takes clicks",
      {
        head: `<script>${jQuery}</script><script>
          $.ajaxSetup({ headers: { "X-Shop": "1" } }); $.noConflict();
          addEventListener("DOMContentLoaded", () => { jQuery("body *").on("click", (event) => event.stopPropagation()); jQuery("form").on("submit", (event) => event.preventDefault()) });
        </script>`,
      },
    ],
  ])("are a place to take a quiz: %s [player.hostile-pages]", async (_what, page) => {
    const opened = await shop.open(shop.tag(), page);
    await takes(opened);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it("are a place to take a quiz: a strict policy with nonces [player.policies]", async () => {
    const script = `<script async nonce="n0nce" src="${shop.t.url}/embed.js"></script>`;
    for (const scripts of ["'nonce-n0nce' 'strict-dynamic'", shop.t.url]) {
      const csp = `default-src 'none'; script-src ${scripts}; connect-src ${shop.t.url}; style-src 'nonce-n0nce'; require-trusted-types-for 'script'; trusted-types 'none'`;
      const opened = await shop.open(shop.tag(), { script, csp });
      await takes(opened);
      expect(opened.faults).toEqual([]);
      await opened.close();
    }
  });

  it("are a place to take a quiz: a sandboxed frame without storage [player.sandbox]", async () => {
    const frame = `<!doctype html><html lang="en"><title>Frame</title>${shop.script}${shop.tag()}</html>`;
    const opened = await shop.open('<iframe sandbox="allow-scripts" src="/frame" width="600" height="700"></iframe>', {
      pages: { "/frame": frame },
      script: "",
    });
    const inside = opened.page.frameLocator("iframe");
    await inside.getByLabel("Oily").click();
    const next = inside.getByRole("button", { name: "Next" });
    if (await next.isVisible()) await next.click();
    await inside.getByRole("heading", { name: "About oil" }).waitFor();
    const told = (await opened.page.frames()[1]?.evaluate("window.quizstoreTold")) as Told[];
    expect(told.flatMap(({ name, detail }) => (name === "error" ? detail.reason : []))).toEqual(["SecurityError"]);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it("may have the script twice, and two quizzes [player.twice]", async () => {
    const opened = await shop.open(`${shop.tag('id="one"')}${shop.tag('id="two"')}${shop.script}`);
    await opened.heard("page", 2);
    await opened.page.locator("#two").getByLabel("Fine").click();
    const told = await opened.heard("answered");
    expect(await opened.page.locator("#one").getByLabel("Fine").isChecked()).toBe(false);
    const sessions = (await opened.told()).flatMap(({ name, detail }) => (name === "opened" ? detail.session_id : []));
    expect(new Set(sessions).size).toBe(2);
    expect(sessions).toContain(told.session_id);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it("may be added, moved, changed and removed by a framework [player.frameworks]", async () => {
    const { page, faults, heard, told, close } = await shop.open('<main id="a"></main><main id="b"></main>');
    await page.evaluate(
      ([quiz, store]) => {
        const element = document.createElement("quiz-store");
        document.querySelector("#a")?.append(element);
        element.setAttribute("quiz", quiz);
        element.setAttribute("store", store);
      },
      [shop.quiz.id, shop.store.publishableKey] as const,
    );
    await heard("page");
    await page.getByLabel("Dry").click();
    await heard("answered");
    await page.evaluate(() => document.querySelector("#b")?.append(document.querySelector("quiz-store") ?? ""));
    await page.waitForTimeout(200);
    expect((await told()).map(({ name }) => name)).not.toContain("closed");
    await page.evaluate(() => document.querySelector("quiz-store")?.setAttribute("locale", "de"));
    await page.getByRole("button", { name: "Weiter" }).or(page.getByText("You")).first().waitFor();
    await page.evaluate(() => {
      const element = document.querySelector("quiz-store");
      element?.remove();
      setTimeout(() => document.querySelector("#a")?.append(element ?? ""), 50);
    });
    await heard("closed");
    await heard("opened", 2);
    const sessions = (await told()).flatMap(({ name, detail }) => (name === "opened" ? detail.session_id : []));
    expect(new Set(sessions).size).toBe(1);
    expect(faults).toEqual([]);
    await close();
  });
});
