import { allowedAttributes, allowedElements } from "./allowed.ts";

/**
 * The sanitiser that browsers are getting. TypeScript's list of the DOM does not have it yet; the first proposal, which
 * some browsers had for a while, went by other options and lacked `get` of its configuration.
 */
interface NativeSanitiser {
  setHTML(html: string, options: { sanitizer: object }): void;
}

/** Elements that say nothing by themselves: what stands in them is kept, as DOMPurify does. */
const seenThrough = ["div", "span", "section", "article", "b", "i", "font", "center", "h1", "h5", "h6"];

const configuration = {
  elements: allowedElements.map((name) => ({ name, attributes: [...(allowedAttributes[name] ?? [])] })),
  replaceWithChildrenElements: seenThrough,
  attributes: [],
  comments: false,
  dataAttributes: false,
};

const linkProtocols = ["http:", "https:", "mailto:"];

/**
 * Makes HTML of a document harmless before it is shown [player.html]: by the browser's own sanitiser, or by DOMPurify where
 * it has none. Links open in a new tab. Called before anything is shown, it fetches what this browser lacks, so that HTML is
 * shown without waiting, and when the network is away.
 */
export async function sanitise(html: string): Promise<DocumentFragment> {
  const own = sanitisedByBrowser(html);
  if (own !== null) return hardened(own);
  const { purify } = await import("./purify.ts");
  return hardened(purify(html, allowedElements, Object.values(allowedAttributes).flat()));
}

/** Null where the browser cannot. Parsed in a document of its own, so that nothing is fetched before it was looked at. */
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

/** What neither sanitiser looks at as strictly as we do: addresses, and where a link leads to. */
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
    // Without the attribute a reader would spell the address.
    else if (!image.hasAttribute("alt")) image.alt = "";
  }
  return document.importNode(found, true);
}

/** Of an address that stands alone; one relative to the shop's page has none. */
function protocolOf(address: string | null): string {
  try {
    return new URL(address ?? "").protocol;
  } catch {
    return "";
  }
}
