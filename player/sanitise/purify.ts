import DOMPurify from "dompurify";

/** For browsers without a sanitiser of their own; a chunk that only they fetch. */
export function purify(html: string, elements: readonly string[], attributes: readonly string[]): DocumentFragment {
  // Its types do not say that it gives nothing where it leaves nothing, as of a frameset.
  const found: DocumentFragment | null = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [...elements],
    ALLOWED_ATTR: [...attributes],
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  return found ?? document.createDocumentFragment();
}
