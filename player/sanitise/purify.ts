import DOMPurify from "dompurify";
import { allowedAttributes, allowedElements } from "./allowed.ts";

/** For browsers without a sanitiser of their own; a chunk that only they fetch. */
export function purify(html: string): DocumentFragment {
  // Its types do not say that it gives nothing where it leaves nothing, as of a frameset.
  const found: DocumentFragment | null = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [...allowedElements],
    ALLOWED_ATTR: Object.values(allowedAttributes).flat(),
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  return found ?? document.createDocumentFragment();
}
