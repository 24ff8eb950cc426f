import fc from "fast-check";
import type { ShopperEvent } from "../../contract/storefront.ts";
import { compileQuiz } from "../../engine/compile-quiz.ts";
import type { QuizDocument } from "../../engine/document.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { arbitraryHistory } from "../../testkit/histories.ts";
import { finderDocument, surveyDocument } from "../../testkit/small-quizzes.ts";

/** The documents that the simulation's shops publish one after another, and walks through each of them. */

/** The events of a walk, in order, without ids and times. */
export type ScriptStep = ShopperEvent extends infer Event
  ? Event extends ShopperEvent
    ? Omit<Event, "id" | "at">
    : never
  : never;

export interface Edition {
  document: QuizDocument;
  quiz: Quiz;
}

const editionOf = (document: QuizDocument): Edition => ({ document, quiz: compileQuiz(document) });

function changed(document: QuizDocument, change: (copy: QuizDocument) => void): QuizDocument {
  const copy = structuredClone(document);
  change(copy);
  return copy;
}

/** Adds an option, and changes a title. */
const finderSecond = changed(finderDocument, (copy) => {
  const [skin] = copy.pages;
  const [choice] = skin?.components ?? [];
  if (!skin || choice?.kind !== "choice") throw new Error("the finder begins with a choice");
  skin.title = "Your skin, again";
  choice.options.push({ option_id: "skin_type_4", label: "none of these", image_url: null, points: { dry: 1 } });
});

/** Removes a page. */
const finderThird = changed(finderSecond, (copy) => {
  copy.pages = copy.pages.filter((page) => page.page_key !== "serum");
});

const surveySecond = changed(surveyDocument, (copy) => {
  for (const page of copy.pages) page.title = `${page.title} (new)`;
});

/** Each quiz of a shop goes through these in turn, and then starts again. */
export const editions: readonly (readonly Edition[])[] = [
  [finderDocument, finderSecond, finderThird].map(editionOf),
  [surveyDocument, surveySecond].map(editionOf),
];

const walksOfEach = 150;
const walks = new WeakMap<Edition, ScriptStep[][]>();

/** The same walks in every process, drawn once: drawing them for each seed would take longer than sending them. */
export function walk(edition: Edition, number: number): readonly ScriptStep[] {
  const known = walks.get(edition) ?? drawWalks(edition);
  walks.set(edition, known);
  return known[number % walksOfEach] ?? [];
}

const drawWalks = ({ quiz }: Edition): ScriptStep[][] =>
  fc
    .sample(arbitraryHistory(quiz, { maxActions: 30 }), { seed: 20260310, numRuns: walksOfEach })
    .map((events) => events.map(({ id: _, at: __, time: ___, ...step }) => step as ScriptStep));
