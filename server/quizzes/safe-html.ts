import sanitizeHtml from "sanitize-html";
import { isImageAddress, isLinkAddress } from "../../engine/addresses.ts";
import { bounds } from "../../engine/document.ts";

/**
 * Sanitises the HTML of content components, which merchants, templates and assistants write and every shopper's browser
 * shows: anything not on this list is removed [quiz-documents.html]. The player sanitises it again (player/sanitise),
 * because a document may have been stored before there was a list.
 */
const allowed: ReadonlyMap<string, readonly string[]> = new Map([
  ...["p", "br", "strong", "em", "u", "ul", "ol", "li", "h2", "h3", "h4", "blockquote"].map((tag) => bare(tag)),
  ["a", ["href", "rel"]],
  ["img", ["src", "alt", "width", "height"]],
]);

function bare(tag: string): [tag: string, attributes: readonly string[]] {
  return [tag, []];
}

/** Elements whose content is no text for people. */
const withoutText = [
  ..."script style textarea option noscript iframe noembed noframes xmp plaintext title svg math template".split(" "),
  ..."object select audio video canvas".split(" "),
];

/** Prevents a page that a link opens in a new tab from accessing the page that it came from. */
const linkRelation = "noopener";

const sizeForm = /^\d{1,4}$/;

/** The safe value of an allowed attribute; null: there is none. */
function safeValue(tag: string, attribute: string, raw: string): string | null {
  if (!allowed.get(tag)?.includes(attribute)) return null;
  const value = raw.trim();
  switch (attribute) {
    case "href":
      return isLinkAddress(value) ? value : null;
    case "src":
      return isImageAddress(value) ? value : null;
    case "width":
    case "height":
      return sizeForm.test(value) ? value : null;
    default:
      return raw;
  }
}

const namedAtMost = 20;
const longestName = 40;

/** What was removed from one text, each kind of thing once. */
class Removals {
  readonly #named = new Set<string>();

  add(what: string): void {
    if (this.#named.size <= namedAtMost) this.#named.add(what);
  }

  get list(): string[] {
    const all = [...this.#named];
    return all.length <= namedAtMost ? all : [...all.slice(0, namedAtMost), "more"];
  }
}

const shortened = (name: string): string => (name.length > longestName ? `${name.slice(0, longestName)}...` : name);

export interface SafeHtml {
  html: string;
  /** such as `<script>` and `onclick of <p>`; empty if nothing was removed */
  removed: string[];
  /** why no new document may contain the text as it was given; null: it may */
  fault: string | null;
}

/** Elements that may be open at once, and in all. Editors and word processors stay far below both. */
export const deepestHtml = 32;
export const mostElements = 2_500;
const tooDeep = `must not be nested more than ${deepestHtml} elements deep`;
const tooMany = `must have at most ${mostElements} elements`;
const tooLong = `must have at most ${bounds.htmlText} characters`;

/**
 * The text with only allowed HTML; sanitising it again changes nothing. Takes time in proportion to the text's length:
 * the sanitiser reads at most `bounds.htmlText` characters, once, and stops at the element that exceeds a bound
 * [quiz-documents.html-bounds]. Texts that were stored before these bounds may have a fault, and are safe too.
 *
 * @param parse the sanitiser, which tests count
 */
export function safeHtml(input: string, parse: typeof sanitizeHtml = sanitizeHtml): SafeHtml {
  // nearly every text was already sanitised when it was stored
  const written = readWritten(input);
  if (written !== null) return { html: input, removed: [], fault: faultOf(written) };
  const fault = input.length > bounds.htmlText ? tooLong : null;
  const removals = new Removals();
  const text = input.slice(0, bounds.htmlText);
  // declarations, comments and instructions, which the parser does not report
  if (/<[!?]|<\/(?![a-z])/i.test(text)) removals.add("<!-- -->");
  try {
    const html = nested(sanitised(text, removals, parse));
    if (readWritten(html) !== null) return { html, removed: removals.list, fault };
  } catch (error) {
    if (!(error instanceof Excess)) throw error;
    return { html: wordsOf(text, parse), removed: ["elements"], fault: fault ?? error.message };
  }
  return { html: wordsOf(text, parse), removed: ["elements nested past all order"], fault };
}

const wordsOf = (html: string, parse: typeof sanitizeHtml): string =>
  parse(html, { allowedTags: [], nonTextTags: withoutText });

/** What a text has of elements. */
interface Elements {
  count: number;
  /** the maximum number that are open at once */
  depth: number;
}

function faultOf({ count, depth }: Elements): string | null {
  if (depth > deepestHtml) return tooDeep;
  return count > mostElements ? tooMany : null;
}

const voidTags = new Set(["br", "img"]);
/** By tag: the open elements that a parser closes before it. */
const endedBy: ReadonlyMap<string, readonly string[]> = new Map([
  ...["p", "ul", "ol", "blockquote"].map((tag): [string, string[]] => [tag, ["p"]]),
  ...["h2", "h3", "h4"].map((tag): [string, string[]] => [tag, ["p", "h2", "h3", "h4"]]),
  ["li", ["li"]],
  ["a", ["a"]],
]);
/** Text without `<` and `>`, and one tag in the sanitiser's output format. */
const writtenTag = /([^<>]*)<(\/?)([a-z0-9]+)((?: [a-z]+="[^"<>]*")*)( \/)?>/y;
const writtenAttribute = / ([a-z]+)="([^"]*)"/g;
const entity = /&(?!(?:amp|lt|gt);)/;
const entityOfAttribute = /&(?!(?:amp|lt|gt|quot);)/;

/**
 * The elements of a text that is already in the sanitiser's output format; null if it is not. This check takes a
 * hundredth of the time of sanitising.
 */
export function readWritten(html: string): Elements | null {
  const open: string[] = [];
  let from = 0;
  let [count, depth] = [0, 0];
  while (html.includes("<", from)) {
    writtenTag.lastIndex = from;
    const [whole = "", before = "", slash, tag = "", attributes = "", end] = writtenTag.exec(html) ?? [];
    if (whole === "" || entity.test(before) || !allowed.has(tag)) return null;
    from += whole.length;
    if (voidTags.has(tag) !== (end !== undefined)) return null;
    if (slash === "/") {
      if (attributes !== "" || open.pop() !== tag) return null;
    } else {
      if (!areWritten(tag, attributes) || endedBy.get(tag)?.includes(open.at(-1) ?? "")) return null;
      if (end === undefined) open.push(tag);
      count += 1;
      depth = Math.max(depth, open.length);
    }
  }
  const isWhole = open.length === 0 && !/>/.test(html.slice(from)) && !entity.test(html.slice(from));
  return isWhole ? { count, depth } : null;
}

/**
 * The sanitiser's output with its elements nested as a parser nests them: removing an element around others may leave a
 * paragraph in a paragraph, which no second pass has to find out.
 */
function nested(html: string): string {
  const open: string[] = [];
  const parts: string[] = [];
  const close = (count: number): void => {
    for (let left = count; left > 0; left -= 1) parts.push(`</${open.pop()}>`);
  };
  for (const part of html.split(/(<[^>]*>)/)) {
    const [, slash, tag = ""] = /^<(\/?)([a-z0-9]+)/.exec(part) ?? [];
    if (tag === "" || voidTags.has(tag)) parts.push(part);
    else if (slash === "/") close(open.includes(tag) ? open.length - open.lastIndexOf(tag) : 0);
    else {
      while (endedBy.get(tag)?.includes(open.at(-1) ?? "")) close(1);
      open.push(tag);
      parts.push(part);
    }
  }
  close(open.length);
  return parts.join("");
}

function areWritten(tag: string, attributes: string): boolean {
  const parsed: Record<string, string> = {};
  for (const [, name = "", value = ""] of attributes.matchAll(writtenAttribute)) {
    if (Object.hasOwn(parsed, name) || entityOfAttribute.test(value)) return false;
    parsed[name] = value.replace(/&(amp|lt|gt|quot);/g, (_, of: keyof typeof characters) => characters[of]);
    if (safeValue(tag, name, parsed[name]) !== parsed[name]) return false;
  }
  return (tag !== "a" || parsed["rel"] === linkRelation) && (tag !== "img" || parsed["src"] !== undefined);
}

const characters = { amp: "&", lt: "<", gt: ">", quot: '"' } as const;

/** Its message is the fault. */
class Excess extends Error {}

/** Throws Excess: removed elements count too, because the parser's own work depends on them. */
function sanitised(html: string, removals: Removals, parse: typeof sanitizeHtml): string {
  const elements: Elements = { count: 0, depth: 0 };
  return parse(html, {
    onOpenTag: (tag) => {
      elements.count += 1;
      if (!voidTags.has(tag)) elements.depth += 1;
      const fault = faultOf(elements);
      if (fault !== null) throw new Excess(fault);
    },
    onCloseTag: (tag) => {
      if (!voidTags.has(tag)) elements.depth -= 1;
    },
    allowedTags: [...allowed.keys()],
    allowedAttributes: Object.fromEntries([...allowed].map(([tag, attributes]) => [tag, [...attributes]])),
    allowedSchemes: ["http", "https", "mailto"],
    allowedSchemesByTag: { img: ["https"] },
    allowProtocolRelative: false,
    nonTextTags: withoutText,
    transformTags: { "*": (tag, attributes) => ({ tagName: tag, attribs: safeAttributes(tag, attributes, removals) }) },
    exclusiveFilter: ({ tag, attribs }) => tag === "img" && !attribs["src"],
  });
}

function safeAttributes(tag: string, attributes: Record<string, string>, removals: Removals): Record<string, string> {
  if (!allowed.has(tag)) {
    removals.add(`<${shortened(tag)}>`);
    return {};
  }
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const safe = safeValue(tag, name, value);
    if (safe === null) removals.add(`${shortened(name)} of <${tag}>`);
    else result[name] = safe;
  }
  if (tag === "a") result["rel"] = linkRelation;
  if (tag === "img" && result["src"] === undefined) removals.add("<img> without an https address");
  return result;
}
