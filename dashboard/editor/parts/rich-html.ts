import { isImageAddress, isLinkAddress } from "../../../engine/addresses.ts";
import { makeWordLists, withoutBullet } from "./word-lists.ts";

/**
 * Sanitises HTML from a browser's editing or clipboard to what a quiz's text may contain: the same list as the server's
 * and the player's, serialised as the server does, so that the stored text equals the sent one. Both sanitise it again.
 */

export interface RichHtml {
  html: string;
  /** names of removed elements; their text stays, unless the element holds none for people */
  removed: string[];
}

/** Parses in a document of its own, where no script runs and nothing is loaded. */
export function richHtml(html: string): RichHtml {
  const { body } = new DOMParser().parseFromString(unstyled(html), "text/html");
  makeWordLists(body, styleOf);
  return richHtmlOf(body);
}

const ownStyle = "data-style";

/** Renames styles: the page's CSP blocks them even there, and browsers log each one. */
const unstyled = (html: string): string =>
  html
    .replace(/<(\/?)style\b/gi, `<$1${ownStyle}`)
    // a tag ends before the next one begins, so that a text of nothing but beginnings is read once
    .replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/(\s)style(\s*=)/gi, `$1${ownStyle}$2`));

export function richHtmlOf(root: Node): RichHtml {
  const writer = new Writer();
  writer.children(root, []);
  return writer.end();
}

/** Lines of plain text as paragraphs, lines with bullets as a list; a single line goes into the current paragraph. */
export function htmlOfText(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length === 1) return escaped(lines[0] ?? "");
  const written = lines.map((line) => {
    const entry = withoutBullet(line);
    return entry === null ? `<p>${escaped(line)}</p>` : `<ul><li>${escaped(entry)}</li></ul>`;
  });
  return written.join("").replaceAll("</ul><ul>", "");
}

/** A valid address for a link; null: it is not one. */
export function linkAddress(typed: string): string | null {
  const address = typed.trim();
  const whole = /^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`;
  return isLinkAddress(whole) ? whole : null;
}

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const attribute = (text: string): string => escaped(text).replace(/"/g, "&quot;");

/** Inline formatting: `strong`, `em`, `u`, or a link with its attributes. */
type Mark = string;

const markOf = new Map<string, Mark>([
  ...(["b", "strong"] as const).map((name) => [name, "strong"] as const),
  ...(["i", "em"] as const).map((name) => [name, "em"] as const),
  ["u", "u"],
]);
const paragraphs = new Map([
  ...["p", "div"].map((name) => [name, "p"] as const),
  ...["h1", "h2"].map((name) => [name, "h2"] as const),
  ["h3", "h3"] as const,
  ...["h4", "h5", "h6"].map((name) => [name, "h4"] as const),
]);
/** Elements without text for people; they are removed with their content. */
const silent = new Set([
  ownStyle,
  ..."script style template noscript iframe object embed svg math audio video canvas select option textarea".split(" "),
]);
/** Removed without being reported: they have no meaning of their own, or come from the clipboard. */
const plain = new Set([
  ownStyle,
  ..."span font a img html body head title meta link section article main header footer tbody small o:p center".split(
    " ",
  ),
]);
const blocks = new Set([
  ..."section article main header footer table tr td th caption figure figcaption pre form dl dt dd address".split(" "),
]);

class Writer {
  #out = "";
  /** the open paragraph or list item: its tag, and where its content starts in the output */
  #open: { tag: string; from: number } | null = null;
  #marks: readonly Mark[] = [];
  readonly #removed = new Set<string>();

  children(node: Node, marks: readonly Mark[]): void {
    for (const child of node.childNodes) this.#node(child, marks);
  }

  end(): RichHtml {
    this.#close();
    const isEmpty = !/<img /.test(this.#out) && this.#out.replace(/<[^>]*>/g, "").trim() === "";
    return { html: isEmpty ? "" : this.#out, removed: [...this.#removed] };
  }

  #node(node: Node, marks: readonly Mark[]): void {
    if (node.nodeType === Node.TEXT_NODE) this.#text(node.nodeValue ?? "", marks);
    // elements of a document without a window are not `instanceof` this window's classes
    else if (node.nodeType === Node.ELEMENT_NODE) this.#element(node as HTMLElement, marks);
  }

  #element(element: HTMLElement, marks: readonly Mark[]): void {
    const name = element.localName;
    if (name === "br") this.#inline("<br />", marks);
    else if (name === "img") this.#image(element, marks);
    else if (name === "ul" || name === "ol") this.#list(element, name);
    else if (name === "blockquote") this.#quote(element);
    else {
      const tag = paragraphs.get(name);
      if (tag !== undefined) this.#paragraph(element, tag, withMark(marks, null, element));
      else this.#other(element, name, marks);
    }
  }

  #other(element: HTMLElement, name: string, marks: readonly Mark[]): void {
    const mark = name === "a" ? linkOf(element) : (markOf.get(name) ?? null);
    if (mark === null && !plain.has(name)) this.#removed.add(name);
    if (silent.has(name)) return;
    const isBlock = blocks.has(name);
    if (isBlock) this.#breakOff();
    this.children(element, withMark(marks, mark, element));
    if (isBlock) this.#breakOff();
  }

  #text(value: string, marks: readonly Mark[]): void {
    const text = value.replace(/[\t\r\n]+/g, " ");
    // white space between paragraphs
    if (text === "" || (this.#open === null && text.trim() === "")) return;
    this.#inline(escaped(text), marks);
  }

  #image(element: HTMLElement, marks: readonly Mark[]): void {
    const source = element.getAttribute("src")?.trim() ?? "";
    if (!isImageAddress(source)) return void this.#removed.add("img");
    const more = ["alt", "width", "height"].flatMap((name) => {
      const value = element.getAttribute(name);
      const fits = value !== null && (name === "alt" || /^\d{1,4}$/.test(value));
      return fits ? [` ${name}="${attribute(value)}"`] : [];
    });
    this.#inline(`<img src="${attribute(source)}"${more.join("")} />`, marks);
  }

  #inline(html: string, marks: readonly Mark[]): void {
    if (this.#open === null) this.#begin("p");
    const same = marks.findIndex((mark, at) => this.#marks[at] !== mark);
    const common = same === -1 ? Math.min(marks.length, this.#marks.length) : same;
    this.#closeMarks(common);
    for (const mark of marks.slice(common)) this.#out += `<${mark}>`;
    this.#marks = marks;
    this.#out += html;
  }

  #closeMarks(count: number): void {
    for (const mark of this.#marks.slice(count).reverse()) this.#out += `</${mark.split(" ")[0]}>`;
    this.#marks = this.#marks.slice(0, count);
  }

  #begin(tag: string): void {
    this.#out += `<${tag}>`;
    this.#open = { tag, from: this.#out.length };
  }

  /** Ends a paragraph; drops the invisible line break that browsers put at the end of it. */
  #close(): void {
    if (this.#open === null) return;
    this.#closeMarks(0);
    const { tag, from } = this.#open;
    const inside = this.#out.slice(from);
    if (inside !== "<br />" && inside.endsWith("<br />")) this.#out = this.#out.slice(0, -"<br />".length);
    this.#out += `</${tag}>`;
    this.#open = null;
  }

  /** Starts a new line: after a break in a list item, else in another paragraph. */
  #breakOff(): void {
    if (this.#open?.tag !== "li") this.#close();
    else if (this.#out.length > this.#open.from && !this.#out.endsWith("<br />") && !this.#out.endsWith(">"))
      this.#inline("<br />", []);
  }

  #paragraph(element: HTMLElement, tag: string, marks: readonly Mark[]): void {
    this.#breakOff();
    // a list item has no paragraphs; an element that contains blocks is none either
    const isOwn = this.#open === null && element.hasChildNodes() && !holdsBlocks(element);
    if (isOwn) this.#begin(tag);
    this.children(element, marks);
    this.#breakOff();
  }

  #list(element: HTMLElement, tag: string): void {
    const outer = this.#open?.tag === "li" ? this.#open : null;
    if (outer) this.#closeMarks(0);
    else this.#close();
    const before = this.#out;
    this.#out += `<${tag}>`;
    let entries = 0;
    for (const child of element.childNodes) {
      if (child.nodeType !== Node.ELEMENT_NODE && (child.nodeValue ?? "").trim() === "") continue;
      entries += 1;
      this.#begin("li");
      if (child instanceof Element && child.localName !== "li") this.#node(child, []);
      else this.children(child, []);
      this.#close();
    }
    this.#out = entries === 0 ? before : `${this.#out}</${tag}>`;
    this.#open = outer;
  }

  #quote(element: HTMLElement): void {
    const isIn = this.#open?.tag === "li";
    this.#breakOff();
    if (!isIn) this.#out += "<blockquote>";
    this.children(element, []);
    this.#breakOff();
    if (!isIn) this.#out += "</blockquote>";
  }
}

const holdsBlocks = (element: Element): boolean =>
  element.querySelector("p,div,ul,ol,blockquote,h1,h2,h3,h4,h5,h6,table,section,article") !== null;

function linkOf(element: Element): Mark | null {
  const href = element.getAttribute("href") ?? "";
  const address = /^\s*(https?|mailto):/i.test(href) ? linkAddress(href) : null;
  return address === null ? null : `a href="${attribute(address)}" rel="noopener"`;
}

const styleOf = (element: Element): string => element.getAttribute(ownStyle) ?? element.getAttribute("style") ?? "";

/** Adds the formatting that an element implies, by its name or, as word processors do, by its style. */
function withMark(marks: readonly Mark[], mark: Mark | null, element: Element): readonly Mark[] {
  const style = styleOf(element);
  const weight = /(?:^|[;\s])font-weight\s*:\s*(\w+)/i.exec(style)?.[1] ?? "";
  const isPlain = mark === "strong" && (weight === "normal" || (weight !== "" && Number(weight) < 600));
  const implied = [
    ...(mark === null || isPlain ? [] : [mark]),
    ...(weight === "bold" || Number(weight) >= 600 ? ["strong"] : []),
    ...(/(?:^|[;\s])font-style\s*:\s*italic/i.test(style) ? ["em"] : []),
  ];
  const isLink = (each: Mark): boolean => each.startsWith("a ");
  const others = implied.some(isLink) ? marks.filter((each) => !isLink(each)) : marks;
  return [...new Set([...others, ...implied])];
}
