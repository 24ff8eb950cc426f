import fc from "fast-check";
import { type DefaultTreeAdapterTypes, parseFragment, defaultTreeAdapter as tree } from "parse5";
import sanitizeHtml from "sanitize-html";
import { describe, expect, it } from "vitest";
import { bounds } from "../../engine/document.ts";
import { htmlVectors } from "../../testkit/html-vectors.ts";
import { bestOf } from "../../testkit/processor-time.ts";
import { deepestHtml, mostElements, readWritten, safeHtml } from "./safe-html.ts";

/** What of a text a browser would make an element, an attribute or an address that is not on the list. */
function unsafeIn(html: string): string[] {
  const found: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if (tree.isElementNode(node)) found.push(...unsafeOf(node));
    else if (!tree.isTextNode(node) && node.nodeName !== "#document-fragment") found.push(node.nodeName);
    if ("childNodes" in node) node.childNodes.forEach(visit);
  };
  visit(parseFragment(html));
  return found;
}

const known: Record<string, readonly string[]> = {
  ...Object.fromEntries("p br strong em u ul ol li h2 h3 h4 blockquote".split(" ").map((name) => [name, []] as const)),
  a: ["href", "rel"],
  img: ["src", "alt", "width", "height"],
};

function unsafeOf({ tagName, attrs }: DefaultTreeAdapterTypes.Element): string[] {
  if (!Object.hasOwn(known, tagName)) return [`<${tagName}>`];
  return attrs.flatMap(({ name, value }) => {
    const odd = `${name}="${value}" of <${tagName}>`;
    if (!known[tagName]?.includes(name)) return [odd];
    if (name === "rel") return value === "noopener" ? [] : [odd];
    if (name === "width" || name === "height") return /^\d+$/.test(value) ? [] : [odd];
    if (name === "alt") return [];
    const protocols = name === "src" ? ["https:"] : ["http:", "https:", "mailto:"];
    // as a browser reads it in a page of the shop
    const url = URL.canParse(value, "https://shop.example/") ? new URL(value, "https://shop.example/") : null;
    const isOwn = url === null || url.host === "shop.example" || url.username !== "" || url.password !== "";
    return url === null || isOwn || !protocols.includes(url.protocol) ? [odd] : [];
  });
}

describe("HTML of content components [quiz-documents.html]", () => {
  it("keeps what is allowed as it is written", () => {
    const kept = [
      "<h2>A</h2><h3>B</h3><h4>C</h4><p>One <strong>two</strong> <em>three</em> <u>four</u></p>",
      "<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul><blockquote>d</blockquote>",
      "Plain \"text\" with 'quotes' and 🙂, at 5 % off",
      '<a href="https://shop.example/a?b=c&amp;d=e#f" rel="noopener">x</a>',
      '<a href="http://shop.example" rel="noopener">x</a><a href="mailto:a@shop.example?subject=Hi" rel="noopener">y</a>',
      '<img src="https://cdn.example/a.png" alt="A &lt;leaf&gt;" width="640" height="480" />',
      "",
    ];
    for (const html of kept) expect(safeHtml(html)).toEqual({ html, removed: [], fault: null });
  });

  it("writes what is allowed in one way, and says nothing of that", () => {
    expect(safeHtml("<P>a<BR>b<p>c & d &nbsp; < 3")).toEqual({
      html: "<p>a<br />b</p><p>c &amp; d \u00a0 &lt; 3</p>",
      removed: [],
      fault: null,
    });
    expect(safeHtml("<a href=' https://x.example '>x</a>")).toEqual({
      html: '<a href="https://x.example" rel="noopener">x</a>',
      removed: [],
      fault: null,
    });
  });

  it("says what it took out, each kind once, and keeps the words of what is only not allowed", () => {
    const given = '<div class="x"><b>Bold</b> <p onclick="a()" style="b">text</p><b>more</b></div><script>a()</script>';
    expect(safeHtml(given)).toEqual({
      html: "Bold <p>text</p>more",
      removed: ["<div>", "<b>", "onclick of <p>", "style of <p>", "<script>"],
      fault: null,
    });
    expect(safeHtml("<!-- x --><p>y</p>")).toEqual({ html: "<p>y</p>", removed: ["<!-- -->"], fault: null });
    expect(safeHtml("<a href='/cart'>x</a>")).toEqual({
      html: '<a rel="noopener">x</a>',
      removed: ["href of <a>"],
      fault: null,
    });
    expect(safeHtml("a<img src=a.png alt=x>b")).toEqual({
      html: "ab",
      removed: ["src of <img>", "<img> without an https address"],
      fault: null,
    });
    const many = Array.from({ length: 60 }, (_, index) => `x-${index}${"y".repeat(100)}`)
      .map((name) => `<${name}></${name}>`)
      .join("");
    const { removed } = safeHtml(many);
    expect([removed.length, removed.at(-1), Math.max(...removed.map(({ length }) => length))]).toEqual([
      21,
      "more",
      45,
    ]);
  });

  it.each(htmlVectors.map((vector) => [vector]))("makes nothing of %j", (vector) => {
    for (const given of [vector, `<p>a</p>${vector}`, `<ul><li>${vector}`, `${vector}<p>b</p>`]) {
      const safe = safeHtml(given);
      expect(unsafeIn(safe.html)).toEqual([]);
      expect(safeHtml(safe.html)).toEqual({ html: safe.html, removed: [], fault: null });
      // what differs beyond how it is written was named
      if (unsafeIn(given).length > 0) expect(safe.removed).not.toEqual([]);
    }
  });

  it("knows an attack when it sees one: the list of ways is no list of harmless texts", () => {
    const harmless = htmlVectors.filter((vector) => unsafeIn(vector).length === 0);
    expect(htmlVectors.length).toBeGreaterThan(180);
    expect(new Set(htmlVectors).size).toBe(htmlVectors.length);
    expect(harmless.length).toBeLessThan(25);
  });

  it("makes any soup of the same harmless, and making it so again changes nothing", () => {
    const piece = fc.oneof(
      fc.constantFrom(...htmlVectors),
      fc.constantFrom(
        "<",
        ">",
        "/",
        "'",
        '"',
        "`",
        "=",
        "&",
        "<!--",
        "-->",
        "]]>",
        "</",
        "<p",
        "<a href=",
        "<img src=",
      ),
      fc.constantFrom("<svg>", "<math>", "<style>", "<table>", "</svg>", "<ul>", "<li>", "</p>", "onclick=", "\u0000"),
      fc.string({ unit: "binary", maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const { html } = safeHtml(pieces.join(""));
        expect(unsafeIn(html)).toEqual([]);
        expect(safeHtml(html)).toEqual({ html, removed: [], fault: null });
      }),
      { numRuns: 3_000 },
    );
  });

  it("knows what is settled without parsing it: all that it wrote itself, and little else", () => {
    const tags = "p br strong em u a ul ol li h2 h3 h4 blockquote img".split(" ");
    const part = fc.oneof(
      fc.constantFrom(...tags.flatMap((tag) => [`<${tag}>`, `</${tag}>`]), "<br />", '<a rel="noopener">'),
      fc.constantFrom(
        '<a href="https://x.example/a?b&amp;c&quot;" rel="noopener">',
        '<img src="https://x.example/a" />',
      ),
      fc.constantFrom(
        "a",
        "&amp;",
        "&lt;",
        "&quot;",
        "&nbsp;",
        "&",
        ">",
        "\u0000",
        "&#60;",
        "&amp",
        '"',
        ...htmlVectors,
      ),
    );
    const nested = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        part,
        fc
          .tuple(fc.constantFrom(...tags), fc.array(tie("node"), { maxLength: 3 }))
          .map(([tag, inner]) => `<${tag}${tag === "a" ? ' rel="noopener"' : ""}>${inner.join("")}</${tag}>`),
      ),
    })).node;
    fc.assert(
      fc.property(fc.array(nested, { maxLength: 4 }), (pieces) => {
        const given = pieces.join("");
        expect(readWritten(safeHtml(given).html)).not.toBeNull();
        // the text after it is not settled, so that all of it is parsed
        if (readWritten(given) !== null)
          expect(safeHtml(`${given}<p>`)).toEqual({ html: `${given}<p></p>`, removed: [], fault: null });
      }),
      { numRuns: 3_000 },
    );
  });

  it("says of a megabyte that is settled already that it is, within one turn of the event loop", () => {
    const paragraph = '<p>Some <strong>words</strong> with <a href="https://x.example/a" rel="noopener">a link</a></p>';
    const text = paragraph.repeat(Math.floor(20_000 / paragraph.length));
    const before = process.cpuUsage();
    for (let count = 0; count < 50; count += 1) expect(safeHtml(text).html).toBe(text);
    // 20 ms where nothing else runs; to parse it takes a second
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(400);
  });

  it("counts elements, open and in all, and says which bound a text exceeds [quiz-documents.html-bounds]", () => {
    const within = (tag: string, count: number) => `<${tag}>`.repeat(count) + `</${tag}>`.repeat(count);
    const deep = `must not be nested more than ${deepestHtml} elements deep`;
    const many = `must have at most ${mostElements} elements`;
    for (const tag of ["em", "b", "blockquote"]) {
      expect([tag, safeHtml(within(tag, deepestHtml)).fault]).toEqual([tag, null]);
      expect([tag, safeHtml(within(tag, deepestHtml + 1)).fault]).toEqual([tag, deep]);
    }
    // elements that a parser closes by itself are not nested
    expect(safeHtml("<p>a".repeat(100))).toMatchObject({ fault: null, removed: [] });
    expect(safeHtml(`<ul>${"<li>a".repeat(100)}</ul>`)).toMatchObject({ fault: null, removed: [] });
    expect(safeHtml("<b></i>".repeat(100)).fault).toBe(deep);
    expect(safeHtml("<br>".repeat(mostElements)).fault).toBeNull();
    expect(safeHtml("<br>".repeat(mostElements + 1)).fault).toBe(many);
    expect(safeHtml("<br />".repeat(mostElements + 1))).toMatchObject({ fault: many, removed: [] });
    expect(safeHtml(`<b>${"a".repeat(bounds.htmlText)}</b>`).fault).toBe("must have at most 20000 characters");
  });

  it("keeps what was stored before those bounds as it is if it is sanitised, else its words [quiz-documents.html-bounds]", () => {
    const deep = "<em>".repeat(5_000).concat("a", "</em>".repeat(5_000));
    expect(safeHtml(deep)).toMatchObject({ html: deep, removed: [] });
    expect(safeHtml(`<b>x</b>${deep}`.slice(0, bounds.htmlText))).toMatchObject({ html: "x" });
    const long = "<b>some</b> words ".repeat(10_000);
    expect("some words ".repeat(2_000).startsWith(safeHtml(long).html)).toBe(true);
  });

  it("sanitises a text once, and no further than the element that exceeds a bound [quiz-documents.html-bounds]", () => {
    const readBy = (html: string): number[] => {
      const lengths: number[] = [];
      const parse = (text: string, options: object) => {
        lengths.push(text.length);
        return sanitizeHtml(text, options);
      };
      safeHtml(html, parse as typeof sanitizeHtml);
      return lengths;
    };
    // one element in another, which the first pass leaves as a paragraph in a paragraph
    expect(readBy("<p><div><p>a</p></div></p>".repeat(100))).toEqual([2_600]);
    expect(readBy("<p>a</p>".repeat(100))).toEqual([]);
    for (const unit of hostileUnits)
      expect([unit, readBy(unit.repeat(1_000_000 / unit.length)).reduce((sum, each) => sum + each, 0)]).toEqual([
        unit,
        expect.toSatisfy((sum: number) => sum <= 2 * bounds.htmlText),
      ]);
  });

  it("leaves the words alone of what does not settle, and is done with the longest texts at once [quiz-documents.html-bounds]", () => {
    for (const unit of hostileUnits) {
      const text = unit.repeat(bounds.htmlText / unit.length);
      const { html } = safeHtml(text);
      expect(safeHtml(html)).toMatchObject({ html, removed: [] });
      // 3 to 20 ms; before, nested elements took up to a minute
      expect([unit, bestOf(3, () => void safeHtml(text))]).toEqual([unit, expect.toSatisfy((ms: number) => ms < 250)]);
    }
  });
});

/** What is dear for its length. */
const hostileUnits = [
  ...["<b>", "<b></i>", "<b>a</b>", "<p>", "<p a>", "</p>", "<div><p><div></p>", "<ul><li>", "<li>a<div>"],
  ...["<p onclick='", "<img src=x ", "<img>", "<svg>", "<!--", "<a href='https://", "<a href=https://a>", "<iframe>"],
  ...["<noscript>", "&amp", "<form>", "<title>", "<h2><p>", "<math><mi>"],
];
