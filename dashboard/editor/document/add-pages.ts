import type { Component, Page, QuizDocument } from "../../../engine/document.ts";
import { freshComponent, freshPage } from "./fresh.ts";
import type { Edit } from "./history.ts";
import type { Keys } from "./keys.ts";
import { addResult, beforeResultForAll } from "./results.ts";

/** What an author adds to the list of pages, and where it goes [editor.add-pages]. Pure. */

export type NewPage =
  /** a page with one component on it */
  | { kind: "question"; component: Component["kind"] | null }
  | { kind: "content" }
  /** a result with points, its page and the page's condition */
  | { kind: "result" }
  | { kind: "result for everybody" };

/** @param at the index that the page gets; left out: where its kind belongs */
export function addNewPage(
  document: QuizDocument,
  keys: Keys,
  wanted: NewPage,
  at?: number,
): { edit: Edit; at: number } {
  if (wanted.kind === "result") {
    const index = at ?? beforeResultForAll(document);
    return { edit: addResult(document, keys, index), at: index };
  }
  const isResult = wanted.kind === "result for everybody";
  const index = at ?? (isResult ? document.pages.length : beforeResults(document));
  const page = freshPage(keys, isResult ? "result" : wanted.kind === "content" ? "content" : "question");
  const asked = wanted.kind === "question" ? wanted.component : wanted.kind === "content" ? "content" : null;
  const value: Page = asked === null ? page : { ...page, components: [freshComponent(keys, asked)] };
  return { edit: { said: "add a page", changes: [{ kind: "insert", path: ["pages"], index, value }] }, at: index };
}

/** Behind all questions and before the result pages that follow them: a result page ends the quiz. */
export function beforeResults({ pages }: QuizDocument): number {
  const lastQuestion = pages.findLastIndex(({ kind }) => kind === "question");
  const result = pages.findIndex(({ kind }, index) => kind === "result" && index > lastQuestion);
  return result === -1 ? pages.length : result;
}
