import { compileQuiz } from "../../../engine/compile-quiz.ts";
import type { Answers, AnswerValue, ChoiceComponent, Page, QuizDocument } from "../../../engine/document.ts";
import { type PointsEntry, score } from "../../../engine/score.ts";
import { visiblePages } from "../../../engine/visibility.ts";

/** What wins for some answers, as the points' grid shows it [editor.wins]. Pure. */

export interface Standing {
  /** from the most points to the fewest; of those that are level, the first in the document */
  ranks: readonly PointsEntry[];
  /** null: no answer gives points */
  winner: string | null;
  /** the result page that such a shopper sees first; null: none */
  page: { page: Page; index: number } | null;
}

export function standingFor(document: QuizDocument, answers: Answers): Standing {
  const quiz = compileQuiz(document);
  const { points, winner } = score(quiz, answers);
  const ranks = points.toSorted((a, b) => b.total - a.total);
  const shown = visiblePages(quiz, answers).find(({ kind }) => kind === "result");
  const index = document.pages.findIndex(({ page_key }) => page_key === shown?.page_key);
  const page = document.pages[index];
  return { ranks, winner: winner?.dimension_id ?? null, page: page ? { page, index } : null };
}

/** The answers after an option was chosen, or was chosen before and is not any more. */
export function toggled(answers: Answers, choice: ChoiceComponent, option_id: string): Map<string, AnswerValue> {
  const { component_key, multiple } = choice;
  const before = answers.get(component_key);
  const chosen = before && "option_ids" in before ? before.option_ids : [];
  const isOff = chosen.includes(option_id);
  const others = multiple ? chosen.filter((id) => id !== option_id) : [];
  const option_ids = isOff ? others : [...others, option_id];
  const next = new Map(answers);
  if (option_ids.length === 0) next.delete(component_key);
  else next.set(component_key, { option_ids });
  return next;
}
