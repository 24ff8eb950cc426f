import type { QuizDocument } from "./document.ts";
import { isChoice } from "./kinds/value.ts";
import { outsideTags, type Recalled, recalled } from "./recall.ts";

/** A text of a document that may recall something. */
export interface RecallingText {
  path: (string | number)[];
  text: string;
  isHtml: boolean;
}

export function* recallingTexts({ pages }: QuizDocument): Generator<RecallingText> {
  for (const [index, page] of pages.entries()) {
    const { title, subtitle, headline, next_label } = page;
    for (const [name, text] of Object.entries({ title, subtitle, headline, next_label })) {
      if (text) yield { path: ["pages", index, name], text, isHtml: false };
    }
    for (const [place, component] of page.components.entries()) {
      const path = ["pages", index, "components", place];
      if (component.kind === "content") yield { path: [...path, "html_text"], text: component.html_text, isHtml: true };
      if ("question" in component) yield { path: [...path, "question"], text: component.question, isHtml: false };
      if (!isChoice(component)) continue;
      for (const [at, { label }] of component.options.entries()) {
        yield { path: [...path, "options", at, "label"], text: label, isHtml: false };
      }
    }
  }
}

/** A text with each placeholder replaced; in HTML only those within text. */
export function replaceRecalls(
  { text, isHtml }: RecallingText,
  put: (what: Recalled, fallback: string) => string,
): string {
  return isHtml ? outsideTags(text, (part) => recalled(part, put)) : recalled(text, put);
}

export function recallsIn(given: RecallingText): Recalled[] {
  const found: Recalled[] = [];
  replaceRecalls(given, (what) => {
    found.push(what);
    return "";
  });
  return found;
}
