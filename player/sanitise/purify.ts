import DOMPurify from "dompurify";

/** For browsers without a built-in sanitiser; only they load this chunk. */
export function purify(html: string, elements: readonly string[], attributes: readonly string[]): DocumentFragment {
  // Despite its type, it returns null if nothing is left, for instance of a frameset.
  const found: DocumentFragment | null = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [...elements],
    ALLOWED_ATTR: [...attributes],
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  return found ?? document.createDocumentFragment();
}
