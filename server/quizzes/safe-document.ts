import { setImmediate as nextTurn } from "node:timers/promises";
import type { QuizDocument } from "../../engine/document.ts";
import type { Finding } from "../../engine/lint.ts";
import { isObject } from "../../engine/read.ts";
import { type SafeHtml, safeHtml } from "./safe-html.ts";

/** What was removed from a document's HTML, by the dotted path of its field. */
export interface RemovedHtml {
  path: string;
  message: string;
}

/** The removals as findings of the lint. */
export const removedFindings = (removed: readonly RemovedHtml[]): Finding[] =>
  removed.map((each) => ({ severity: "warning", code: "html_removed", ...each }));

export interface SafeDocument {
  document: Readonly<Record<string, unknown>>;
  removed: RemovedHtml[];
}

/**
 * A document with sanitised HTML [quiz-documents.html]. Drafts may be invalid, so every `html_text` of anything among a
 * page's components is sanitised. The given document stays as it is. Sanitising a text takes some milliseconds, so the
 * event loop gets a turn after each.
 */
export async function safeDocument(document: Readonly<Record<string, unknown>>): Promise<SafeDocument> {
  const removed: RemovedHtml[] = [];
  const pages = await mapEntries(document["pages"], async (page, index) => {
    const components = await mapEntries(page["components"], (component, place) =>
      safeComponent(component, `pages.${index}.components.${place}.html_text`, removed),
    );
    return components === undefined ? page : { ...page, components };
  });
  return { document: pages === undefined ? document : { ...document, pages }, removed };
}

/** A version's document, ready to be shown: versions saved before there was an allow list may contain any HTML. */
export async function shownDocument(document: QuizDocument): Promise<QuizDocument> {
  const safe = await safeDocument({ ...document });
  // only the `html_text` fields of the version's document have changed
  return safe.document as unknown as QuizDocument;
}

type Entry = Record<string, unknown>;

/** undefined: it is not a list. */
async function mapEntries(
  list: unknown,
  change: (entry: Entry, index: number) => Promise<Entry> | Entry,
): Promise<unknown[] | undefined> {
  if (!Array.isArray(list)) return undefined;
  const changed: unknown[] = [];
  for (const [index, entry] of list.entries()) changed.push(isObject(entry) ? await change(entry, index) : entry);
  return changed;
}

async function safeComponent(component: Entry, path: string, removed: RemovedHtml[]): Promise<Entry> {
  const { html_text: html } = component;
  if (typeof html !== "string") return component;
  const safe = safeHtml(html);
  if (safe.removed.length > 0) removed.push({ path, message: sentence(safe) });
  if (safe.html === html) return component;
  await nextTurn();
  return { ...component, html_text: safe.html };
}

const sentence = ({ removed }: SafeHtml): string => `may not hold ${removed.join(", ")}, which was taken out`;
