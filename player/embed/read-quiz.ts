import type { FormulaComponent } from "../../engine/document.ts";
import { isKnownExpression } from "../../engine/evaluate.ts";
import { indexQuiz, type Quiz, type QuizParts } from "../../engine/quiz.ts";
import type { LiveQuiz } from "../live-quiz.ts";

/** Reads a document; null if one of its formulas has an operator of a later program [player.too-new]. */
export function readQuiz(
  { document, player: { formulas } }: Pick<LiveQuiz, "document" | "player">,
  parts: QuizParts,
): Quiz | null {
  const read = ({ expression }: FormulaComponent) => {
    const tree = Object.hasOwn(formulas, expression) ? formulas[expression] : null;
    return isKnownExpression(tree) ? tree : null;
  };
  const quiz = indexQuiz(document, read, parts);
  return [...quiz.formulas.values()].every(({ tree }) => tree !== null) ? quiz : null;
}
