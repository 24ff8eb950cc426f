import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser, ordinaryUserAgent } from "../../testkit/browser.ts";
import { packedChromium } from "../../testkit/browser-packed.ts";
import { type EmbeddedShop, openEmbeddedShop } from "../../testkit/browser-quiz.ts";
import { openShopSite, type ShopSite } from "../../testkit/browser-shop.ts";
import { patience } from "../../testkit/slowness.ts";
import { countRows } from "../../testkit/storefront.ts";

/**
 * Chromium itself makes a page ahead, by speculation rules. Not under Playwright, which switches that off; what happens
 * in the page is what it tells the shop's site.
 */
const browser = await openBrowser();

/** Goes to the quiz's page, which the browser has made ahead, once the site says so. */
const landing = `<!doctype html><title>Shop</title><a href="/quiz">The quiz</a>
  <script type="speculationrules">{ "prerender": [{ "urls": ["/quiz"], "eagerness": "immediate" }] }</script>
  <script>
    const ask = async () => (await fetch("/go")).status === 200 ? document.querySelector("a").click() : setTimeout(ask, 50);
    ask();
  </script>`;

/** Answers once the quiz is there, reloads, and tells whether the quiz then asks to go on. */
const teller = `<script>
  const tell = (what) => fetch("/told?" + what, { keepalive: true });
  tell("ahead " + document.prerendering);
  document.addEventListener("prerenderingchange", () => tell("seen"));
  const keys = () => [localStorage, sessionStorage].flatMap((kept) => Object.keys(kept)).filter((key) => /^quizstore/.test(key));
  if (document.prerendering) setTimeout(() => tell("kept " + keys().length), 1500);
  for (const name of ["opened", "page", "answered"])
    document.addEventListener("quizstore:" + name, ({ target }) => {
      tell(name + " " + document.prerendering + " " + (target.getAttribute("mode") ?? "inline"));
      const { shadowRoot } = target;
      if (name === "page" && !target.hasAttribute("mode"))
        setTimeout(() => {
          if (sessionStorage.again) return tell("asks " + /Welcome back/.test(shadowRoot.textContent));
          sessionStorage.again = 1;
          shadowRoot.querySelector("input").click();
          setTimeout(() => location.reload(), 300);
        }, 300);
    });
</script>`;

describe.skipIf(browser === null || process.platform !== "linux" || process.arch !== "x64")("a page made ahead", () => {
  let shop: EmbeddedShop;
  let site: ShopSite;
  const told: string[] = [];
  let goes = false;
  beforeAll(async () => {
    shop = await openEmbeddedShop();
    site = await openShopSite({
      "/": landing,
      "/quiz": `<!doctype html><html lang="en"><title>Quiz</title>${teller}${shop.script}${shop.tag()}${shop.tag('mode="popup" trigger="load"')}`,
      "/go": (_request, response) => response.writeHead(goes ? 200 : 204).end(),
      "/told": (request, response) => {
        told.push(decodeURIComponent(request.url?.split("?")[1] ?? ""));
        response.writeHead(204).end();
      },
    });
  });
  afterAll(async () => {
    await site.close();
    await shop.close();
  });

  it("by speculation rules begins when it is opened, and is itself after a reload [player.prerendered]", async () => {
    const { executablePath, args, env } = await packedChromium();
    const profile = await mkdtemp(join(tmpdir(), "quizstore-chromium-"));
    const more = [
      `--user-data-dir=${profile}`,
      "--remote-debugging-port=0",
      `--user-agent=${browser && ordinaryUserAgent(browser)}`,
    ];
    const chromium = spawn(executablePath, [...args, ...more, `${site.origin}/`], { env, stdio: "ignore" });
    const ended = new Promise((resolve) => chromium.once("exit", resolve));
    const hears = (what: string) => expect.poll(() => told, { timeout: 20_000 * patience }).toContain(what);
    try {
      await hears("ahead true");
      await hears("kept 0");
      expect(told).toEqual(["ahead true", "kept 0"]);
      expect(await countRows(shop.t, shop.store, "sessions")).toBe(0);
      goes = true;
      await hears("seen");
      for (const mode of ["inline", "popup"]) await hears(`opened false ${mode}`);
      await hears("asks false");
      await expect.poll(() => countRows(shop.t, shop.store, "sessions")).toBeGreaterThan(0);
    } finally {
      chromium.kill();
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    }
  }, 90_000);
});
