import type { Component, Page, QuizDocument } from "./document.ts";

/**
 * Placeholders of texts, which recall what the shopper answered or reached [engine.recall]: `{{answer:KEY|fallback}}`,
 * `{{winner|..}}` or `{{winner:2|..}}`, `{{points:DIMENSION|..}}`, `{{points|..}}` for the total, `{{formula:KEY|..}}`.
 * A fallback may be empty and holds no `|` or `}}`. Everything else is text as typed.
 */
export type Recalled =
  | { kind: "answer" | "formula"; component_key: string }
  | { kind: "winner"; rank: number }
  /** null: the total */
  | { kind: "points"; dimension_id: string | null };

/**
 * The key, the rank and the fallback are groups 2, 3 and 4. Linear: a key holds no brace and a fallback ends at the
 * next bar, so that no part of a text is read for more than one beginning.
 */
const placeholder = /\{\{(?:(answer|formula|points):([^|{}]+)|winner(?::([1-5]))?|points)\|((?:[^|}]|\}(?!\}))*)\}\}/g;

/** Replaces each placeholder of a text. */
export function recalled(text: string, put: (what: Recalled, fallback: string) => string): string {
  // most texts have none
  if (!text.includes("{{")) return text;
  return text.replace(placeholder, (_, kind: string | undefined, key = "", rank = "1", fallback = "") =>
    put(whatOf(kind, _, key, Number(rank)), fallback),
  );
}

function whatOf(kind: string | undefined, whole: string, key: string, rank: number): Recalled {
  if (kind === "answer" || kind === "formula") return { kind, component_key: key };
  if (whole.startsWith("{{winner")) return { kind: "winner", rank };
  return { kind: "points", dimension_id: kind === undefined ? null : key };
}

/** A text where no shopper is: with its fallbacks [engine.recall-fallbacks]. */
export const withFallbacks = (text: string): string => recalled(text, (_, fallback) => fallback);

/** Changes the text of HTML, never what is inside a tag. Linear. */
export function outsideTags(html: string, change: (text: string) => string): string {
  if (!html.includes("{{")) return html;
  let after = "";
  let at = 0;
  while (at < html.length) {
    const tag = html.indexOf("<", at);
    if (tag < 0) return after + change(html.slice(at));
    const end = endOfTag(html, tag);
    after += change(html.slice(at, tag)) + html.slice(tag, end);
    at = end;
  }
  return after;
}

function endOfTag(html: string, from: number): number {
  let quote = "";
  for (let at = from; at < html.length; at += 1) {
    const character = html[at] ?? "";
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === ">") return at + 1;
  }
  return html.length;
}

/** What a text recalls. */
export function recallsOf(text: string): Recalled[] {
  const found: Recalled[] = [];
  recalled(text, (what) => {
    found.push(what);
    return "";
  });
  return found;
}

/** How a placeholder is written. */
export function writeRecall(what: Recalled, fallback: string): string {
  const about =
    what.kind === "winner"
      ? what.rank === 1
        ? ""
        : `:${what.rank}`
      : what.kind === "points"
        ? what.dimension_id === null
          ? ""
          : `:${what.dimension_id}`
        : `:${what.component_key}`;
  return `{{${what.kind}${about}|${fallback}}}`;
}

/** A document with every text that may recall something changed: the same object where none is. */
export function mapTexts(document: QuizDocument, change: (text: string) => string): QuizDocument {
  const pages = mapped(document.pages, (page) => mapPage(page, change));
  return pages === document.pages ? document : { ...document, pages };
}

function mapPage(page: Page, change: (text: string) => string): Page {
  const components = mapped(page.components, (component) => mapComponent(component, change));
  return changed(page, {
    title: change(page.title),
    ...(page.subtitle && { subtitle: change(page.subtitle) }),
    ...(page.headline && { headline: change(page.headline) }),
    ...(page.next_label && { next_label: change(page.next_label) }),
    components,
  });
}

function mapComponent(component: Component, change: (text: string) => string): Component {
  if (component.kind === "content") return changed(component, { html_text: outsideTags(component.html_text, change) });
  if (!("question" in component)) return component;
  const own = changed(component, { question: change(component.question) });
  if (!("options" in own)) return own;
  const options = mapped(own.options, (option) => changed(option, { label: change(option.label) }));
  return changed(own, { options });
}

function mapped<Item>(items: Item[], change: (item: Item) => Item): Item[] {
  const after = items.map(change);
  return after.every((item, index) => item === items[index]) ? items : after;
}

function changed<Whole extends object>(whole: Whole, fields: Partial<Whole>): Whole {
  const isSame = Object.entries(fields).every(([name, value]) => whole[name as keyof Whole] === value);
  return isSame ? whole : { ...whole, ...fields };
}

/** The document as it is read where no shopper is [engine.recall-fallbacks]. */
export const plainTexts = (document: QuizDocument): QuizDocument => mapTexts(document, withFallbacks);
