import { setImmediate as nextTurn } from "node:timers/promises";
import type { QuizDocument } from "../../engine/document.ts";
import type { Finding } from "../../engine/lint.ts";
import { isObject } from "../../engine/read.ts";
import { invalidFields } from "../platform/problems.ts";
import { type SafeHtml, safeHtml } from "./safe-html.ts";

/** What was removed from a document's HTML, by the dotted path of its field. */
export interface RemovedHtml {
  path: string;
  message: string;
}

/** HTML that exceeds a bound for new documents, by the dotted path of its field [quiz-documents.html-bounds]. */
export interface FaultyHtml {
  path: string;
  message: string;
}

export interface SafeDocument {
  document: Readonly<Record<string, unknown>>;
  removed: RemovedHtml[];
  faults: FaultyHtml[];
}

/** What the lint says about a document's HTML. */
export const htmlFindings = ({ removed, faults }: Pick<SafeDocument, "removed" | "faults">): Finding[] => [
  ...faults.map((each): Finding => ({ severity: "error", code: "invalid", ...each })),
  ...removed.map((each): Finding => ({ severity: "warning", code: "html_removed", ...each })),
];

/**
 * A document with sanitised HTML [quiz-documents.html]. Drafts may be invalid, so every `html_text` of anything among a
 * page's components is sanitised. The given document stays as it is.
 */
export async function safeDocument(document: Readonly<Record<string, unknown>>): Promise<SafeDocument> {
  const sanitising = new Sanitising();
  const pages = await mapEntries(document["pages"], async (page, index) => {
    const components = await mapEntries(page["components"], (component, place) =>
      sanitising.component(component, `pages.${index}.components.${place}.html_text`),
    );
    return components === undefined ? page : { ...page, components };
  });
  const { removed, faults } = sanitising;
  return { document: pages === undefined ? document : { ...document, pages }, removed, faults };
}

/** Throws a 422 for a checked draft with HTML that no new draft may contain, by its field [quiz-documents.html-bounds]. */
export function refuseFaults(faults: readonly FaultyHtml[]): void {
  if (faults.length > 0) throw invalidFields(faults.map(({ path, message }) => ({ field: `draft.${path}`, message })));
}

/**
 * A version's document, ready to be shown: versions saved before there was an allow list may contain any HTML, and
 * those saved before its bounds may exceed them.
 */
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

/** Characters that are known to be sanitised in one turn of the event loop: some two milliseconds. */
const charactersATurn = 40_000;

class Sanitising {
  readonly removed: RemovedHtml[] = [];
  readonly faults: FaultyHtml[] = [];
  #characters = 0;

  /** Sanitising a text takes some milliseconds, so the event loop has a turn after each. */
  async component(component: Entry, path: string): Promise<Entry> {
    const { html_text: html } = component;
    if (typeof html !== "string") return component;
    const safe = safeHtml(html);
    if (safe.removed.length > 0) this.removed.push({ path, message: sentence(safe) });
    if (safe.fault !== null) this.faults.push({ path, message: safe.fault });
    this.#characters += html.length;
    const isSame = safe.html === html;
    if (!isSame || this.#characters > charactersATurn) {
      this.#characters = 0;
      await nextTurn();
    }
    return isSame ? component : { ...component, html_text: safe.html };
  }
}

const sentence = ({ removed }: SafeHtml): string => `may not hold ${removed.join(", ")}, which was taken out`;
