import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { bundleForBrowser } from "../../testkit/browser-bundle.ts";
import { openShopPage, type ShopPage } from "../../testkit/browser-shop.ts";
import { htmlVectors } from "../../testkit/html-vectors.ts";
import { allowedAttributes, allowedElements } from "./allowed.ts";

const browser = await openBrowser();
/** the browser's own sanitiser, and DOMPurify for those without */
const ways = ["own", "purify"] as const;

interface Found {
  name: string;
  attributes: [name: string, value: string][];
}

describe.skipIf(browser === null)("HTML of a document", () => {
  let shop: ShopPage;
  let page: Page;
  beforeAll(async () => {
    const script = await bundleForBrowser(join(import.meta.dirname, "../../testkit/browser-sanitise-page.ts"));
    shop = await openShopPage('<!doctype html><title>A shop</title><body><script src="/page.js"></script>', {
      pages: {
        "/page.js": (_request, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(script),
      },
    });
    page = shop.page;
  });
  afterAll(() => shop?.close());

  /** What is in the page after it was shown there, and what ran. */
  const shown = (html: string, way: (typeof ways)[number]): Promise<{ found: Found[]; text: string; ran: boolean }> =>
    page.evaluate(([text, how]) => window.showSanitised(text, how), [html, way] as const);

  it("has this browser's own sanitiser to go by", async () => {
    expect(await page.evaluate(() => window.hasOwnSanitiser())).toBe(true);
  });

  for (const way of ways) {
    it(`of a hundred published attacks does nothing (${way}) [player.html]`, async () => {
      expect(htmlVectors.length).toBeGreaterThan(100);
      for (const vector of htmlVectors) {
        const { found, ran } = await shown(vector, way);
        expect(ran, vector).toBe(false);
        for (const { name, attributes } of found) expect(faultOf(name, attributes), vector).toBeNull();
      }
      expect(await page.evaluate(() => window.vectorsRan)).toBe(0);
    });

    it(`keeps what is allowed as it is (${way}) [player.html]`, async () => {
      const html =
        "<h2>A</h2><p>b <strong>c</strong> <em>d</em> <u>e</u><br>f</p><ul><li>g</li></ul><ol><li>h</li></ol><h3>i</h3><h4>j</h4><blockquote>k</blockquote>";
      const { found, text } = await shown(html, way);
      expect(found.map(({ name }) => name)).toEqual([
        "h2",
        "p",
        "strong",
        "em",
        "u",
        "br",
        "ul",
        "li",
        "ol",
        "li",
        "h3",
        "h4",
        "blockquote",
      ]);
      expect(text).toBe("Ab c d efghijk");
    });

    it(`opens its links in a new tab, but those for mail (${way}) [player.html]`, async () => {
      const html = '<a href="https://a.example/">x</a><a href="mailto:a@b.example">y</a><a href="/cart">z</a>';
      const { found } = await shown(html, way);
      expect(found.map(({ attributes }) => Object.fromEntries(attributes))).toEqual([
        { href: "https://a.example/", target: "_blank", rel: "noopener" },
        { href: "mailto:a@b.example" },
        {},
      ]);
    });

    it(`keeps the words in elements that it drops (${way}) [player.html]`, async () => {
      const { text } = await shown("<div>a <b>b</b> <span>c</span></div><script>x</script>", way);
      expect(text).toBe("a b c");
    });

    it(`gives images a text, and drops those that do not come by https (${way}) [player.html]`, async () => {
      const { found } = await shown('<img src="https://a.example/i.png"><img src="http://a.example/i.png">', way);
      expect(found).toEqual([
        {
          name: "img",
          attributes: [
            ["src", "https://a.example/i.png"],
            ["alt", ""],
          ],
        },
      ]);
    });
  }
});

/** What an element may not be or have. */
function faultOf(name: string, attributes: [string, string][]): string | null {
  if (!allowedElements.some((allowed) => allowed === name)) return `element ${name}`;
  for (const [attribute, value] of attributes) {
    const isOurs = name === "a" && ["target", "rel"].includes(attribute);
    if (!isOurs && !allowedAttributes[name]?.includes(attribute)) return `attribute ${attribute} of ${name}`;
    if (attribute === "href" && !/^\s*(https?:|mailto:)/i.test(value)) return `address ${value}`;
    if (attribute === "src" && !/^\s*https:/i.test(value)) return `address ${value}`;
  }
  return null;
}
