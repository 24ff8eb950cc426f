import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoCatalog } from "../../../../demo/catalog.ts";
import { openBrowser, openPage } from "../../../../testkit/browser.ts";
import { openTestDemo, type TestDemo } from "../../../../testkit/demo-shop.ts";
import { listen } from "../../../../testkit/raw-http.ts";

/** What a browser makes of the storefront's own pages; the quizzes in them are the player's. */

const browser = await openBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let demo: TestDemo;
let url: string;
beforeAll(async () => {
  if (browser === null) return;
  demo = await openTestDemo();
  url = `http://127.0.0.1:${await listen(demo.t.app)}`;
});
afterAll(() => demo?.t.close());

const several = demoCatalog.find(({ variants }) => variants.length > 1)!;
const soldOut = demoCatalog.find(({ variants }) => variants.every((variant) => variant.inventory_quantity === 0))!;

const phone = { width: 375, height: 740 };
const desktop = { width: 1440, height: 900 };

/** Fills the cart of the page's browser and goes to the page that is named. */
const ways = {
  home: "/demo",
  product: `/demo/products/${several.handle}`,
  "sold out": `/demo/products/${soldOut.handle}`,
  "empty cart": "/demo/cart",
  cart: `/cart/${several.variants[0]!.id}:2`,
  forgotten: `/demo/orders/${"0".repeat(32)}`,
} as const;

describe.skipIf(browser === null)("the storefront in a browser", () => {
  it.each([
    { name: "phone", viewport: phone, colorScheme: "light" },
    { name: "phone, dark", viewport: phone, colorScheme: "dark" },
    { name: "desktop", viewport: desktop, colorScheme: "light" },
    { name: "desktop, dark", viewport: desktop, colorScheme: "dark" },
    { name: "320 pixels, forced colours", viewport: { width: 320, height: 640 }, forcedColors: "active" },
  ] as const)(
    "has nothing that axe finds, and no page is wider than the window: $name [demo.accessible]",
    async ({ name: _, ...context }) => {
      // the page's policy keeps axe out
      const { page, close } = await openPage({ ...context, bypassCSP: true });
      for (const [name, path] of Object.entries(ways)) {
        await page.goto(url + path);
        await page.addScriptTag({ content: axe });
        const violations = await page.evaluate(async () => {
          const found = await window.axe.run(document, { resultTypes: ["violations"] });
          return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
        });
        expect([name, violations]).toEqual([name, []]);
        const [wide, window_] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth] as const);
        expect([name, wide]).toEqual([name, Math.min(wide, window_)]);
      }
      await close();
    },
    60_000,
  );

  it("sells without a script of its own or the player's [demo.cart]", async () => {
    const { page, close } = await openPage({ javaScriptEnabled: false, viewport: desktop });
    await page.goto(`${url}${ways.home}`);
    await page.locator("noscript p").waitFor({ state: "visible" });
    await page.goto(`${url}${ways.product}`);
    await page.getByRole("button", { name: "Add to cart" }).click();
    await page.getByLabel("Quantity of").fill("3");
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByRole("button", { name: "Place the order" }).click();
    await page.getByRole("heading", { name: "Thank you. Here is what happened" }).waitFor();
    await close();
  });

  it("puts a product into the cart without leaving its page, and says what a cart refuses [demo.cart]", async () => {
    const { page, faults, close } = await openPage({ viewport: desktop });
    await page.goto(`${url}${ways.product}`);
    await page.getByLabel("Quantity").fill("6");
    await page.getByRole("button", { name: "Add to cart" }).click();
    await page.getByText("It is in your cart.").waitFor();
    expect(await page.locator("[data-count]").innerText()).toBe("6");
    await page.getByRole("button", { name: "Add to cart" }).click();
    await page.getByText("At most 10 of").waitFor();
    expect(await page.locator("[data-count]").innerText()).toBe("6");
    // the player is not built here, and the refusal is a 422
    const others = faults.filter((fault) => !/player is not built|status of (404|422|503)/.test(fault));
    expect(others).toEqual([]);
    await close();
  });

  it("says that nothing stays in the cart of a browser without cookies [demo.cart]", async () => {
    const { page, close } = await openPage({ viewport: desktop });
    await page.route("**/demo/cart.js", (route) => route.fulfill({ json: { item_count: 0 } }));
    await page.goto(`${url}${ways.product}`);
    await page.getByRole("button", { name: "Add to cart" }).click();
    await page.getByText("this browser keeps none").waitFor();
    await close();
  });

  it("draws every picture that its pages name [demo.pictures]", async () => {
    const { page, close } = await openPage({ viewport: desktop });
    await page.goto(`${url}/demo`);
    const broken = await page.evaluate(async () => {
      const images = [...document.images];
      for (const image of images) image.loading = "eager";
      await Promise.allSettled(images.map((image) => image.decode()));
      return images.filter(({ naturalWidth }) => naturalWidth === 0).map(({ src }) => src);
    });
    expect(broken).toEqual([]);
    await close();
  });
});

declare global {
  interface Window {
    axe: typeof import("axe-core");
  }
}
