import type { QuizDocument } from "./document.ts";
import type { Expression } from "./evaluate.ts";
import { parseExpression } from "./expression.ts";
import { indexQuiz, type Quiz } from "./quiz.ts";

/** null for an expression that does not parse. */
function readFormula(expression: string): Expression | null {
  const parsed = parseExpression(expression);
  return parsed.ok ? parsed.tree : null;
}

/** Indexes a document that `checkDocument` accepted, its formulas among it. Never throws. */
export const compileQuiz = (document: QuizDocument): Quiz => indexQuiz(document, readFormula);

/** The formulas of a document by their expressions, for browsers, which need not read them themselves. */
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
