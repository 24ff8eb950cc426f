import { choiceLimits } from "./choice-limits.ts";
import type { FormulaComponent, QuizDocument } from "./document.ts";
import type { Expression } from "./evaluate.ts";
import { parseFormula } from "./expression.ts";
import { needsOf } from "./needs.ts";
import { outcomes } from "./outcomes.ts";
import { indexQuiz, type Quiz } from "./quiz.ts";

/** null for an expression that does not parse. */
function readFormula(formula: FormulaComponent): Expression | null {
  const parsed = parseFormula(formula);
  return parsed.ok ? parsed.tree : null;
}

/** Indexes a document that `checkDocument` accepted, including its formulas. Never throws. */
export const compileQuiz = (document: QuizDocument): Quiz =>
  indexQuiz(document, readFormula, { choiceLimits, ...(needsOf(document).includes("outcomes") && { outcomes }) });

/** A document's parsed formulas by their source text, for browsers, which then need no parser. */
export function formulasOf({ pages }: QuizDocument): Record<string, Expression> {
  const formulas = pages.flatMap(({ components }) => components.filter((component) => component.kind === "formula"));
  return Object.fromEntries(
    formulas.flatMap((formula) => {
      const tree = readFormula(formula);
      return tree === null ? [] : [[formula.expression, tree] as const];
    }),
  );
}
