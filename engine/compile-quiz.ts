import type { QuizDocument } from "./document.ts";
import { evaluateExpression, parseExpression } from "./expression.ts";
import { indexQuiz, type Quiz, type ReadFormula } from "./quiz.ts";

/** null for an expression that does not parse. */
export function readFormula(expression: string): ReadFormula | null {
  const parsed = parseExpression(expression);
  if (!parsed.ok) return null;
  const { tree } = parsed;
  return { tree, evaluate: (lookUp) => evaluateExpression(tree, lookUp) };
}

/** Indexes a document that `checkDocument` accepted, its formulas among it. Never throws. */
export const compileQuiz = (document: QuizDocument): Quiz => indexQuiz(document, readFormula);
