import { compileQuiz } from "./compile-quiz.ts";
import { strongComponents } from "./cycles.ts";
import { dependenciesOf } from "./dependencies.ts";
import type { QuizDocument } from "./document.ts";
import { needsOf } from "./needs.ts";

interface Circle {
  /** dotted path of the condition */
  path: string;
  message: string;
}

const message = "depends on points, a winner or a formula that it changes itself";

/**
 * Conditions on totals that their own page or component feeds, directly or through other conditions: whether it is
 * shown would depend on whether it is shown. No new version may have one [quiz-documents.circles].
 */
export function circles(document: QuizDocument): Circle[] {
  if (!needsOf(document).includes("outcomes")) return [];
  const { decisions, before } = dependenciesOf(compileQuiz(document));
  const groups = strongComponents(before);
  return decisions.flatMap((decision) => {
    const totals = (before.get(decision) ?? []).filter((node) => "total" in node);
    const isCircle = totals.some((total) => groups.get(total) === groups.get(decision));
    return isCircle ? [{ path: decision.path, message }] : [];
  });
}
