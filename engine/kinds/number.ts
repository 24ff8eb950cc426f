import { bounds, type NumberComponent, numberStyles, ratingIcons } from "../document.ts";
import { leastNumber, mostNumber } from "../number-range.ts";
import { type Fields, oneOf, textUpTo } from "../read.ts";
import type { KindOf } from "./kind.ts";
import { invalid, type NormalisedAnswer } from "./normalised.ts";

export const numberKind: KindOf<NumberComponent> = {
  read(fields) {
    const style = fields.oneOf("style", numberStyles, "field");
    const range = { min: -bounds.number, max: bounds.number };
    const step = fields.numberOr("step", { min: bounds.minStep, max: bounds.number }, 1);
    const min = fields.numberOr("min", range, style === "rating" ? 1 : null);
    const max = fields.numberOr("max", range, style === "rating" ? (min ?? 1) + 4 * step : null);
    if (min !== null && max !== null && min > max) fields.problems.add(fields.at("min"), "is above max");
    else if (style === "rating") checkRating(fields, ((max ?? 0) - (min ?? 0)) / step);
    const unit = fields.textOrNull("unit", bounds.unit);
    const rating = {
      ...fields.filled("icon", oneOf(ratingIcons)),
      ...fields.ifPresent("min_label", textUpTo(bounds.text)),
      ...fields.ifPresent("max_label", textUpTo(bounds.text)),
    };
    return { min, max, step, unit, style, ...rating };
  },
  fresh: () => ({ min: null, max: null, step: 1, unit: null, style: "field" }),
};

/** A rating has a value to press for each step, which have to fit on a phone [quiz-documents.ratings]. */
function checkRating(fields: Fields, steps: number): void {
  const values = Math.floor(steps + 1e-9) + 1;
  if (values >= 2 && values <= bounds.ratingValues) return;
  fields.problems.add(fields.at("max"), `must give a rating 2 to ${bounds.ratingValues} values`);
}

/** A number within the question's bounds, and on a step [engine.number-answers]. */
export function numeric(component: NumberComponent, value: number, acceptedBefore: boolean): NormalisedAnswer {
  const { min, max, step } = component;
  if (!Number.isFinite(value) || value < (min ?? value) || value > (max ?? value)) return invalid;
  // The error that binary fractions may add to a number of steps: 0.3 is 2.9999999999999996 steps of 0.1.
  const steps = (value - (min ?? 0)) / step;
  const tolerance = Math.max(1e-6, Math.abs(steps) * 1e-12);
  if (Math.abs(steps - Math.round(steps)) > tolerance) return invalid;
  const within = withinReach(value);
  return within === value || acceptedBefore ? { ok: true, value: { value: within + 0 } } : invalid;
}

/**
 * Clamps a number to the nearest one that a question accepts: within those bounds, sums, means and buckets stay exact
 * enough in a double, and are written without an exponent.
 */
function withinReach(value: number): number {
  if (Math.abs(value) < leastNumber) return 0;
  return Math.min(Math.max(value, -mostNumber), mostNumber);
}
