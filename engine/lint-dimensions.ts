import type { ChoiceComponent, ChoiceOption } from "./document.ts";

/** The points of one option for one dimension. */
function pointsOf(option: ChoiceOption, dimension_id: string): number {
  return Object.hasOwn(option.points, dimension_id) ? (option.points[dimension_id] ?? 0) : 0;
}

/**
 * The dimensions that cannot win with any answers to these questions [quiz-documents.lint-dimensions], in the given
 * order.
 *
 * A dimension cannot win if another one always has at least as many points and wins the tie, because it comes first or
 * because ties only occur without points. This may miss some: it compares pairs, and assumes that each question may be
 * left out.
 */
export function dimensionsThatCannotWin(
  dimension_ids: readonly string[],
  questions: readonly ChoiceComponent[],
): string[] {
  const options = questions.flatMap((question) => question.options);
  const hasNegative = options.some((option) => dimension_ids.some((id) => pointsOf(option, id) < 0));

  const losesTo = (id: string, rival: string): boolean => {
    const ahead = options.some((option) => pointsOf(option, id) > pointsOf(option, rival));
    if (ahead) return false;
    if (dimension_ids.indexOf(rival) < dimension_ids.indexOf(id)) return true;
    const level = options.filter((option) => pointsOf(option, id) === pointsOf(option, rival));
    return !hasNegative && level.every((option) => pointsOf(option, id) === 0);
  };

  return dimension_ids.filter((id) => {
    const hasPoints = options.some((option) => pointsOf(option, id) !== 0);
    if (dimension_ids.length === 1) return !hasPoints;
    return dimension_ids.some((rival) => rival !== id && losesTo(id, rival));
  });
}
