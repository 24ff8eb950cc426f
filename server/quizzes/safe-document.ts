import { isObject } from "../../engine/read.ts";
import { type SafeHtml, safeHtml } from "./safe-html.ts";

/** What was taken out of a document's HTML, by the dotted path of its field. */
export interface RemovedHtml {
  path: string;
  message: string;
}

export interface SafeDocument {
  document: Readonly<Record<string, unknown>>;
  removed: RemovedHtml[];
}

/**
 * A document with its HTML made safe [quiz-documents.html]: a draft too, which need not be valid, so that every
 * `html_text` of whatever stands among the components of a page is made so. The given one stays as it is.
 */
export function safeDocument(document: Readonly<Record<string, unknown>>): SafeDocument {
  const removed: RemovedHtml[] = [];
  const pages = mapEntries(document["pages"], (page, index) => ({
    ...page,
    ...mapField(page, "components", (component, place) =>
      safeComponent(component, `pages.${index}.components.${place}.html_text`, removed),
    ),
  }));
  return { document: pages === undefined ? document : { ...document, pages }, removed };
}

type Change = (entry: Record<string, unknown>, index: number) => Record<string, unknown>;

/** undefined: it is no list. */
const mapEntries = (list: unknown, change: Change): unknown[] | undefined =>
  Array.isArray(list)
    ? list.map((entry: unknown, index) => (isObject(entry) ? change(entry, index) : entry))
    : undefined;

function mapField(object: Record<string, unknown>, name: string, change: Change): Record<string, unknown> {
  const changed = mapEntries(object[name], change);
  return changed === undefined ? {} : { [name]: changed };
}

function safeComponent(
  component: Record<string, unknown>,
  path: string,
  removed: RemovedHtml[],
): Record<string, unknown> {
  const { html_text: given } = component;
  if (typeof given !== "string") return component;
  const safe = safeHtml(given);
  if (safe.removed.length > 0) removed.push({ path, message: sentence(safe) });
  return { ...component, html_text: safe.html };
}

const sentence = ({ removed }: SafeHtml): string => `may not hold ${removed.join(", ")}, which was taken out`;
