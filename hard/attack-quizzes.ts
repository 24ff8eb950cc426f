import type { Component, Condition, Page } from "../engine/document.ts";
import { fullQuiz, shortQuiz } from "../journeys/documents.ts";
import {
  choice,
  chosen,
  content,
  email,
  number,
  option,
  phone,
  page as plainPage,
  quizDocument,
  text,
} from "../testkit/document-parts.ts";

/** The attacked store's live quizzes: valid documents, some of them as expensive as a valid document can be. */

const choiceOf = (component_key: string, options: number) => {
  const labelled = (_: unknown, number: number) =>
    option(`${component_key}_${number}`, { label: `Label of ${component_key}_${number}` });
  return choice(component_key, Array.from({ length: options }, labelled), { required: true });
};
const page = (page_key: string, components: Component[], more: Partial<Page> = {}): Page =>
  plainPage(page_key, components, { title: `Title of ${page_key}`, ...more });
const result = page("result", [], { kind: "result" });

/** Questions without bounds: whatever is typed, their figures must be answered. */
const numbersQuiz = quizDocument([
  page("first", [
    number("free"),
    number("fine", { step: 1e-9 }),
    text("story", { max_length: 10_000 }),
    email("mail"),
    phone("tel"),
  ]),
  result,
]);

export const conditionalPages = 199;
const asksOfEach = 8;

/** Which options show a page; a different eight of fifty for each. */
const shownFor = (number: number): Condition => ({
  any: Array.from({ length: asksOfEach }, (_, ask) =>
    chosen("pick", `pick_${(number + ask * 7) % 50}`, `pick_${(number + ask * 11) % 50}`),
  ),
});

/** 200 pages, of which 199 are results that depend on the first, where a required question stays unanswered. */
const branchingQuiz = quizDocument([
  page("first", [
    choiceOf("pick", 50),
    text("must", { max_length: 100, required: true }),
    ...Array.from({ length: 20 }, (_, index) => phone(`tel_${index}`)),
  ]),
  ...Array.from({ length: conditionalPages }, (_, index) =>
    page(`page_${index}`, [], { kind: "result", visible_when: shownFor(index) }),
  ),
]);

/** The maximum amount of text in a document of a megabyte. */
const largeQuiz = quizDocument([
  page("first", [choiceOf("pick", 3)]),
  ...Array.from({ length: 45 }, (_, index) =>
    page(`text_${index}`, [content(`text_${index}`, `<p>${`${index} Hello. `.repeat(1_300)}</p>`)], {
      kind: "content",
    }),
  ),
  result,
]);

export const attackedQuizzes = {
  short: shortQuiz,
  full: fullQuiz,
  numbers: numbersQuiz,
  branching: branchingQuiz,
  large: largeQuiz,
} as const;

export type AttackedQuiz = keyof typeof attackedQuizzes;
