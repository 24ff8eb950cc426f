import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readWritten, safeHtml } from "../../../server/quizzes/safe-html.ts";
import { openBrowser } from "../../../testkit/browser.ts";
import { bundleForBrowser } from "../../../testkit/browser-bundle.ts";
import { openShopPage, type ShopPage } from "../../../testkit/browser-shop.ts";
import { htmlVectors } from "../../../testkit/html-vectors.ts";
import type { RichHtml } from "./rich-html.ts";

describe.skipIf(!(await openBrowser()))("HTML that the editor writes", () => {
  let shop: ShopPage;
  beforeAll(async () => {
    const script = await bundleForBrowser(join(import.meta.dirname, "../../../testkit/dashboard-rich-html-page.ts"));
    shop = await openShopPage('<!doctype html><title>A page</title><body><script src="/page.js"></script>', {
      pages: {
        "/page.js": (_request, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(script),
      },
    });
  });
  afterAll(() => shop?.close());

  const made = (html: string): Promise<RichHtml> => shop.page.evaluate((text) => window.richHtmlOf(text), html);

  it("is what the server keeps, of a hundred published attacks too, of which nothing runs [editor.rich-text]", async () => {
    for (const vector of htmlVectors) {
      const { html } = await made(vector);
      expect(safeHtml(html), vector).toEqual({ html, removed: [], fault: null });
      // and nothing more is done to it a second time
      expect((await made(html)).html, vector).toBe(html);
    }
    expect(await shop.page.evaluate(() => window.vectorsRan)).toBe(0);
  });

  const cases: [what: string, given: string, html: string, removed?: string[]][] = [
    [
      "letters of browsers and word processors",
      "<b>a</b><i>b</i><span style='font-weight:700;font-style:italic'>c</span>",
      "<p><strong>a</strong><em>b</em><strong><em>c</em></strong></p>",
    ],
    ["what a clipboard wraps in a plain b", '<b style="font-weight:normal"><p>a</p><p>b</p></b>', "<p>a</p><p>b</p>"],
    [
      "lines of a browser's editing",
      "one<div>two<br></div><div><br></div>three",
      "<p>one</p><p>two</p><p><br /></p><p>three</p>",
    ],
    [
      "lists in paragraphs, and in lists",
      "<p><ul><li>a<ul><li>b</li></ul></li><li></li></ul></p>",
      "<ul><li>a<ul><li>b</li></ul></li><li></li></ul>",
    ],
    [
      "links, and what leads nowhere",
      '<a href="https://a.example/?a=1&b=2">x</a><a href="javascript:y">y</a><a href="/z">z</a>',
      '<p><a href="https://a.example/?a=1&amp;b=2" rel="noopener">x</a>yz</p>',
    ],
    [
      "pictures by https alone",
      '<img src="https://a.example/i.png" alt=\'a "b"\' width="20%"><img src="http://a.example">',
      '<p><img src="https://a.example/i.png" alt="a &quot;b&quot;" /></p>',
      ["img"],
    ],
    [
      "tables as their words",
      "<table><tr><td>a</td><td>b</td></tr></table><script>x</script>",
      "<p>a</p><p>b</p>",
      ["table", "tr", "td", "script"],
    ],
    ["signs that are none of a tag's", "a &lt; b &amp;amp; c", "<p>a &lt; b &amp;amp; c</p>"],
    [
      "headings and quotes",
      "<h1>a</h1><h5>b</h5><blockquote>c<p>d</p></blockquote>",
      "<h2>a</h2><h4>b</h4><blockquote><p>c</p><p>d</p></blockquote>",
    ],
    ["nothing as nothing", "<p><br></p><p> </p>", ""],
  ];
  it("is done at once with a megabyte of nothing but tags that never end, which took hours [quiz-documents.html-bounds]", async () => {
    expect(await made("<a".repeat(500_000))).toEqual({ html: "", removed: [] });
  });

  const drawn = (sign: string) =>
    `<![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>${sign}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>`;
  const word = (list: string, sign: string, text: string, name = "Middle") =>
    `<p class=MsoListParagraphCxSp${name} style='margin-left:36.0pt;text-indent:-18.0pt;mso-list:${list} lfo1'>${drawn(sign)}<span lang=EN-GB>${text}<o:p></o:p></span></p>\r\n\r\n`;
  it.each([
    [
      "bullets",
      `<p class=MsoNormal>Made of</p>${word("l0 level1", "·", "oats", "First")}${word("l0 level1", "·", "<b>honey</b>", "Last")}<p class=MsoNormal>Calm</p>`,
      "<p>Made of</p><ul><li>oats</li><li><strong>honey</strong></li></ul><p>Calm</p>",
    ],
    [
      "numbers, with bullets below and numbers again",
      [
        word("l1 level1", "1.", "wash"),
        word("l1 level2", "o", "warm"),
        word("l1 level2", "o", "short"),
        word("l1 level1", "2.", "dry"),
      ].join(""),
      "<ol><li>wash<ul><li>warm</li><li>short</li></ul></li><li>dry</li></ol>",
    ],
    [
      "letters in brackets, and a second list right behind",
      word("l2 level1", "(a)", "one") + word("l3 level1", "§", "two"),
      "<ol><li>one</li></ol><ul><li>two</li></ul>",
    ],
    [
      "two lists with a paragraph between",
      `${word("l0 level1", "·", "a")}<p>b</p>${word("l0 level1", "·", "c")}`,
      "<ul><li>a</li></ul><p>b</p><ul><li>c</li></ul>",
    ],
    ["a first item of a deeper level", word("l0 level3", "·", "deep"), "<ul><li>deep</li></ul>"],
  ])("keeps a word processor's lists: %s [editor.pasted-lists]", async (_, given, html) => {
    expect(await made(given)).toEqual({ html, removed: [] });
    expect(readWritten(html)).not.toBeNull();
  });

  it.each(cases)("has %s [editor.rich-text]", async (_, given, html, removed = []) => {
    expect(await made(given)).toEqual({ html, removed });
    expect(readWritten(html)).not.toBeNull();
  });
});
