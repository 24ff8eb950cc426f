import { isDay, isTime } from "./dates.ts";
import {
  type AnswerValue,
  type ChoiceComponent,
  type DateComponent,
  leastNumber,
  mostNumber,
  type NumberComponent,
  type QuestionComponent,
} from "./document.ts";

/** What `answer_saved` carries. */
export interface RawAnswer {
  option_ids?: readonly string[] | null | undefined;
  value?: string | number | { date: string; time?: string | null | undefined } | readonly unknown[] | null | undefined;
}

export type NormalisedAnswer =
  /** `value` null: the answer is cleared */
  { ok: true; value: AnswerValue | null } | { ok: false; reason: "unknown_option" | "invalid_value" };

const maxContactLength = 320;
const cleared = { ok: true, value: null } as const;
const invalid = { ok: false, reason: "invalid_value" } as const;

/**
 * Checks a shopper's answer against its component in the version, and normalises it for `Answers`.
 *
 * - `null`, `[]` and blank text clear the answer. Without either field it is an `invalid_value`.
 * - choice, image: `option_ids`, without repeats, in the given order; an unknown id is `unknown_option`, a second one
 *   on a single choice `invalid_value`.
 * - text: at most `max_length` characters; email, phone: at most 320, stored as typed (one that cannot be normalised is
 *   still an answer).
 * - number: a JSON number, no numeric string; within `min` and `max` and on a step, allowing for binary fractions.
 * - date: `YYYY-MM-DD`, an existing day, as a string or in `{date, time}`; `time` (`HH:MM`, optional seconds) only
 *   `with_time`. Also `YYYY-MM-DDTHH:MM` in one string, as a browser's field produces it.
 *
 * @param acceptedBefore whether it was accepted before, perhaps before numbers had bounds: a number beyond them is clamped
 */
export function normaliseAnswer(
  component: QuestionComponent,
  raw: RawAnswer,
  acceptedBefore = false,
): NormalisedAnswer {
  const { option_ids } = raw;
  const value = isList(raw.value) ? null : raw.value;
  if (component.kind === "choice" || component.kind === "image") {
    if (option_ids !== undefined && option_ids !== null && option_ids.length > 0) return chosen(component, option_ids);
    return option_ids !== undefined || value === null ? cleared : invalid;
  }
  if (option_ids !== undefined && option_ids !== null && option_ids.length > 0) return invalid;
  if (value === null || (value === undefined && option_ids !== undefined)) return cleared;
  if (typeof value === "string" && value.trim() === "") return cleared;
  switch (component.kind) {
    case "number":
      return typeof value === "number" ? numeric(component, value, acceptedBefore) : invalid;
    case "date":
      return typeof value === "string" || typeof value === "object" ? dated(component, value) : invalid;
    case "text":
      return typeof value === "string" ? typed(value, component.max_length) : invalid;
    default:
      return typeof value === "string" ? typed(value, maxContactLength) : invalid;
  }
}

/** The event's shape allows only an empty list, which clears like null [engine.clearing]. */
const isList = (value: RawAnswer["value"]): value is readonly unknown[] => Array.isArray(value);

/** The chosen options that the question has, without repeats, in the given order [engine.choice-answers]. */
function chosen(component: ChoiceComponent, ids: readonly string[]): NormalisedAnswer {
  const known = new Set(component.options.map((option) => option.option_id));
  const option_ids = [...new Set(ids)];
  if (option_ids.some((id) => !known.has(id))) return { ok: false, reason: "unknown_option" };
  return option_ids.length > 1 && !component.multiple ? invalid : { ok: true, value: { option_ids } };
}

/**
 * Characters are code points, so that an emoji counts as one [engine.text-answers]. NUL and unpaired surrogates cannot
 * be stored.
 */
function typed(value: string, maxLength: number): NormalisedAnswer {
  if (value.length > 2 * maxLength || [...value].length > maxLength) return invalid;
  return /[\0\p{Cs}]/u.test(value) ? invalid : { ok: true, value: { value } };
}

/** A number within the question's bounds, and on a step [engine.number-answers]. */
function numeric(component: NumberComponent, value: number, acceptedBefore: boolean): NormalisedAnswer {
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

/** An existing day, with a time if the question asks for one [engine.date-answers]. */
function dated(
  component: DateComponent,
  value: string | { date: string; time?: string | null | undefined },
): NormalisedAnswer {
  const { date, time } = typeof value === "string" ? splitDate(value) : value;
  if (date === "") return cleared;
  const timeOfDay = time === undefined || time === "" ? null : time;
  if (!isDay(date) || (timeOfDay !== null && !(component.with_time && isTime(timeOfDay)))) return invalid;
  return { ok: true, value: { value: { date, time: timeOfDay } } };
}

function splitDate(text: string): { date: string; time: string | null } {
  const at = text.indexOf("T");
  return at === -1 ? { date: text, time: null } : { date: text.slice(0, at), time: text.slice(at + 1) };
}
