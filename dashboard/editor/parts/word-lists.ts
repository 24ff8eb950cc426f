/**
 * Lists that word processors put on the clipboard as paragraphs: `mso-list` in a paragraph's style gives its list and
 * level, and an element with `mso-list: Ignore` holds the bullet or number that was drawn (HTML of Microsoft Word and
 * Outlook for desktop) [editor.pasted-lists].
 */

const listStyle = /mso-list\s*:\s*(l\d+)\s+level([1-9])/i;
const drawnMarker = /mso-list\s*:\s*ignore/i;
/** `1.`, `a)`, `iv.`; a bullet is a single sign, or the letter o or § of a symbol font */
const ordinal = /^\(?(?:\d{1,4}|[a-z]|[ivxlcdm]{1,8})[.)]/i;
const bullets = /^\s*[\u2022\u00b7\u25aa\u25cf\u25e6\u25cb\u25a0\u2023\uf0b7\uf0a7]\s*(?=\S)/;

interface Entry {
  paragraph: Element;
  list: string;
  level: number;
  tag: "ol" | "ul";
}

interface OpenList {
  element: Element;
  level: number;
  list: string;
}

/**
 * Turns paragraphs that a word processor marked as list items into lists, in place.
 *
 * @param styleOf an element's style as text
 */
export function makeWordLists(root: ParentNode, styleOf: (element: Element) => string): void {
  let open: OpenList[] = [];
  for (const paragraph of [...root.querySelectorAll("p,h1,h2,h3,h4,h5,h6")]) {
    const entry = entryOf(paragraph, styleOf);
    if (entry === null) continue;
    const outermost = open[0]?.element;
    open = outermost && outermost === elementBefore(paragraph) ? open.filter(({ level }) => level <= entry.level) : [];
    const item = paragraph.ownerDocument.createElement("li");
    item.append(...paragraph.childNodes);
    listFor(entry, open).append(item);
    paragraph.remove();
  }
}

/** The open list that an item belongs to, or a new one, which becomes the innermost open list. */
function listFor(entry: Entry, open: OpenList[]): Element {
  const innermost = open.at(-1);
  if (innermost?.level === entry.level) {
    if (innermost.list === entry.list) return innermost.element;
    open.pop();
  }
  const element = begin(entry, open.at(-1)?.element ?? null);
  open.push({ element, level: entry.level, list: entry.list });
  return element;
}

/** Lines of plain text that begin with a bullet, as word processors copy lists. */
export const withoutBullet = (line: string): string | null => (bullets.test(line) ? line.replace(bullets, "") : null);

function entryOf(paragraph: Element, styleOf: (element: Element) => string): Entry | null {
  const [, list, level] = listStyle.exec(styleOf(paragraph)) ?? [];
  if (list === undefined || level === undefined) return null;
  const markers = [...paragraph.querySelectorAll("span")].filter((span) => drawnMarker.test(styleOf(span)));
  const drawn = (markers[0]?.textContent ?? "").trim();
  for (const marker of markers) marker.remove();
  return { paragraph, list, level: Number(level), tag: ordinal.test(drawn) ? "ol" : "ul" };
}

/** The element before, if only white space and comments stand between. */
function elementBefore(paragraph: Element): Element | null {
  let node = paragraph.previousSibling;
  while (node !== null && (node.nodeType === Node.COMMENT_NODE || isBlankText(node))) node = node.previousSibling;
  return node === paragraph.previousElementSibling ? paragraph.previousElementSibling : null;
}

const isBlankText = (node: Node): boolean => node.nodeType === Node.TEXT_NODE && (node.nodeValue ?? "").trim() === "";

/** A list where the paragraph stands, or in the last item of the list around it. */
function begin({ paragraph, tag }: Entry, outer: Element | null): Element {
  const list = paragraph.ownerDocument.createElement(tag);
  const parent = outer === null ? null : (outer.lastElementChild ?? outer);
  if (parent === null) paragraph.before(list);
  else parent.append(list);
  return list;
}
