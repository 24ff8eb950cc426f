import type { QuizDocument } from "./document.ts";
import type { Expression } from "./evaluate.ts";
import { parseExpression } from "./expression.ts";
import { indexQuiz, type Quiz } from "./quiz.ts";

/** null for an expression that does not parse. */
function readFormula(expression: string): Expression | null {
  const parsed = parseExpression(expression);
  return parsed.ok ? parsed.tree : null;
}

/** Indexes a document that `checkDocument` accepted, including its formulas. Never throws. */
export const compileQuiz = (document: QuizDocument): Quiz => indexQuiz(document, readFormula);

/** A document's parsed formulas by their source text, for browsers, which then need no parser. */
export function formulasOf({ pages }: QuizDocument): Record<string, Expression> {
  const expressions = pages.flatMap(({ components }) =>
    components.flatMap((component) => (component.kind === "formula" ? component.expression : [])),
  );
  return Object.fromEntries(
    expressions.flatMap((expression) => {
      const tree = readFormula(expression);
      return tree === null ? [] : [[expression, tree] as const];
    }),
  );
}
