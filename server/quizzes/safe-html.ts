import sanitizeHtml from "sanitize-html";
import { isImageAddress, isLinkAddress } from "../../engine/addresses.ts";

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
}

/** The text with only allowed HTML. Sanitising it again changes nothing. */
export function safeHtml(input: string): SafeHtml {
  // nearly every text was already sanitised when it was stored
  if (isNormalised(input)) return { html: input, removed: [] };
  const removals = new Removals();
  // declarations, comments and instructions, which the parser does not report
  if (/<[!?]|<\/(?![a-z])/i.test(input)) removals.add("<!-- -->");
  let html = allowedIn(input, removals);
  // removing an element may change how the elements around it are nested
  for (let pass = 0; pass < passesAtMost; pass += 1) {
    const again = allowedIn(html, removals);
    if (again === html) return { html, removed: removals.list };
    html = again;
  }
  removals.add("elements nested past all order");
  return { html: sanitizeHtml(html, { allowedTags: [], nonTextTags: withoutText }), removed: removals.list };
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
 * Whether a text is already in the sanitiser's output format: this check takes a hundredth of the time of sanitising,
 * which for a document of a megabyte would block the server for a second.
 */
export function isNormalised(html: string): boolean {
  const open: string[] = [];
  let from = 0;
  while (html.includes("<", from)) {
    writtenTag.lastIndex = from;
    const [whole = "", before = "", slash, tag = "", attributes = "", end] = writtenTag.exec(html) ?? [];
    if (whole === "" || entity.test(before) || !allowed.has(tag)) return false;
    from += whole.length;
    if (voidTags.has(tag) !== (end !== undefined)) return false;
    if (slash === "/") {
      if (attributes !== "" || open.pop() !== tag) return false;
    } else {
      if (!areWritten(tag, attributes) || endedBy.get(tag)?.includes(open.at(-1) ?? "")) return false;
      if (end === undefined) open.push(tag);
    }
  }
  return open.length === 0 && !/>/.test(html.slice(from)) && !entity.test(html.slice(from));
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

/** More passes than any real text needs. */
const passesAtMost = 20;

function allowedIn(html: string, removals: Removals): string {
  return sanitizeHtml(html, {
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
