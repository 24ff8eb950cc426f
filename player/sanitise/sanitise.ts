import { allowedAttributes, allowedElements } from "./allowed.ts";

/**
 * The sanitiser that browsers are getting. TypeScript's DOM types lack it so far; the first proposal, which some
 * browsers had for a while, had other options and no `get` on its configuration.
 */
interface NativeSanitiser {
  setHTML(html: string, options: { sanitizer: object }): void;
}

/** Elements without a meaning of their own: they are removed but their content stays, as with DOMPurify. */
const seenThrough = ["div", "span", "section", "article", "b", "i", "font", "center", "h1", "h5", "h6"];

const configuration = {
  elements: allowedElements.map((name) => ({ name, attributes: allowedAttributes[name] })),
  replaceWithChildrenElements: seenThrough,
  attributes: [],
  comments: false,
  dataAttributes: false,
};

const linkProtocols = ["http:", "https:", "mailto:"];

/**
 * Sanitises HTML of a document [player.html]: with the browser's own sanitiser, or with DOMPurify if it has none. Links
 * open in a new tab. An early call loads what this browser lacks, so that HTML later shows without waiting, even when
 * the network is away.
 */
export async function sanitise(html: string): Promise<DocumentFragment> {
  const own = sanitisedByBrowser(html);
  if (own !== null) return hardened(own);
  const { purify } = await import("./purify.ts");
  return hardened(purify(html, allowedElements, Object.values(allowedAttributes).flat()));
}

/**
 * Null if the browser has no sanitiser. Parses in a document of its own, so that nothing is loaded before it was
 * checked.
 */
export function sanitisedByBrowser(html: string): DocumentFragment | null {
  const box = document.implementation.createHTMLDocument("").createElement("div");
  if (!canSanitise(box)) return null;
  box.setHTML(html, { sanitizer: configuration });
  const found = box.ownerDocument.createDocumentFragment();
  found.append(...box.childNodes);
  return found;
}

function canSanitise(box: HTMLElement): box is HTMLElement & NativeSanitiser {
  const sanitizer: unknown = Reflect.get(globalThis, "Sanitizer");
  return "setHTML" in box && typeof sanitizer === "function" && "get" in sanitizer.prototype;
}

/** Applies the rules that both sanitisers lack: for addresses, and where a link leads to. */
export function hardened(found: DocumentFragment): DocumentFragment {
  for (const link of found.querySelectorAll("a")) {
    const protocol = protocolOf(link.getAttribute("href"));
    if (!linkProtocols.includes(protocol)) link.removeAttribute("href");
    else if (protocol !== "mailto:") {
      link.target = "_blank";
      link.rel = "noopener";
    }
  }
  for (const image of found.querySelectorAll("img")) {
    if (protocolOf(image.getAttribute("src")) !== "https:") image.remove();
    // Without the attribute a screen reader would spell out the address.
    else if (!image.hasAttribute("alt")) image.alt = "";
  }
  return document.importNode(found, true);
}

/** The scheme of an absolute address; one relative to the shop's page has none. */
function protocolOf(address: string | null): string {
  try {
    return new URL(address ?? "").protocol;
  } catch {
    return "";
  }
}
