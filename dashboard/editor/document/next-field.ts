import type { Component, QuizDocument } from "../../../engine/document.ts";
import { isChoice, isQuestion } from "../../../engine/kinds/value.ts";

/** Where Enter leads while a page is written: from its title to the question, and on to the options [editor.enter]. Pure. */

/** The field that is written first of a component, after its path. */
export function firstField(component: Component): string {
  if (isQuestion(component)) return "question";
  if (component.kind === "products") return component.source === "rules" ? "from" : "products";
  return component.kind === "formula" ? "label" : "html_text";
}

/** @returns the name of the next field; null: Enter does what it always does */
export function nextField({ pages }: QuizDocument, field: string): string | null {
  const [, page, title] = /^pages\.(\d+)\.(title)$/.exec(field) ?? [];
  if (title !== undefined) {
    const first = pages[Number(page)]?.components[0];
    return first ? `pages.${page}.components.0.${firstField(first)}` : null;
  }
  const [path, at, place] = /^pages\.(\d+)\.components\.(\d+)(?=\.question$)/.exec(field) ?? [];
  const component = pages[Number(at)]?.components[Number(place)];
  if (path === undefined || !component || !isChoice(component)) return null;
  const blank = component.options.findIndex(({ label }) => label.trim() === "");
  return component.options.length === 0 ? null : `${path}.options.${Math.max(blank, 0)}.label`;
}
