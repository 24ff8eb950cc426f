/**
 * What Chrome's page translator does to a page: each text that is not blank is replaced by two nested `font` elements
 * that hold the translation, and its node leaves the page. What asks not to be translated is left. Runs in the browser and
 * uses nothing from outside of the function, so that it can be passed to one as text.
 */
export function translate(root: Node): void {
  const texts: Text[] = [];
  const collect = (node: Node): void => {
    if (node instanceof Text) texts.push(node);
    if (node instanceof Element && node.shadowRoot) collect(node.shadowRoot);
    const isLeft = node instanceof Element && node.matches("script, style, font, .notranslate, [translate=no]");
    if (!isLeft) {
      for (const child of node.childNodes) collect(child);
    }
  };
  collect(root);
  for (const text of texts) {
    if (text.data === "" || text.parentNode === null) continue;
    const [outer, inner] = [document.createElement("font"), document.createElement("font")];
    inner.textContent = `‹${text.data}›`;
    for (const font of [outer, inner]) font.style.verticalAlign = "inherit";
    outer.append(inner);
    text.parentNode.insertBefore(outer, text);
    text.remove();
  }
}
