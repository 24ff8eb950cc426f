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
 * Checks a shopper's answer against its component as the version defines it, and gives it the shape that
 * `Answers` holds.
 *
 * - `null`, `[]` and blank text clear. Neither field present says nothing about the answer: `invalid_value`.
 * - choice, image: `option_ids`, repeats dropped, order kept; an id that the component lacks is `unknown_option`, a
 *   second one on a single choice `invalid_value`.
 * - text: at most `max_length` characters; email, phone: at most 320, kept as typed (what cannot be normalised is an
 *   answer all the same).
 * - number: a JSON number, no numeric string; within `min` and `max` and on a step, with room for binary fractions.
 * - date: `YYYY-MM-DD`, a real day, as a string or in `{date, time}`; `time` (`HH:MM`, seconds allowed) only
 *   `with_time`. `YYYY-MM-DDTHH:MM` in one string, as a browser's field gives it, too.
 *
 * @param kept whether it was accepted already, perhaps before numbers had bounds: one beyond them is brought to the
 * bound
 */
export function normaliseAnswer(component: QuestionComponent, raw: RawAnswer, kept = false): NormalisedAnswer {
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
      return typeof value === "number" ? numeric(component, value, kept) : invalid;
    case "date":
      return typeof value === "string" || typeof value === "object" ? dated(component, value) : invalid;
    case "text":
      return typeof value === "string" ? typed(value, component.max_length) : invalid;
    default:
      return typeof value === "string" ? typed(value, maxContactLength) : invalid;
  }
}

/** The shape of events allows only an empty list, which clears as null does [engine.clearing]. */
const isList = (value: RawAnswer["value"]): value is readonly unknown[] => Array.isArray(value);

/** Options that the question has, each once, in the order given [engine.choice-answers]. */
function chosen(component: ChoiceComponent, ids: readonly string[]): NormalisedAnswer {
  const known = new Set(component.options.map((option) => option.option_id));
  const option_ids = [...new Set(ids)];
  if (option_ids.some((id) => !known.has(id))) return { ok: false, reason: "unknown_option" };
  return option_ids.length > 1 && !component.multiple ? invalid : { ok: true, value: { option_ids } };
}

/**
 * Characters are code points, so that an emoji is one [engine.text-answers]. NUL and half characters cannot be stored.
 */
function typed(value: string, maxLength: number): NormalisedAnswer {
  if (value.length > 2 * maxLength || [...value].length > maxLength) return invalid;
  return value.includes("\u0000") || !value.isWellFormed() ? invalid : { ok: true, value: { value } };
}

/** A number within the question's bounds, and on a step [engine.number-answers]. */
function numeric(component: NumberComponent, value: number, kept: boolean): NormalisedAnswer {
  const { min, max, step } = component;
  if (!Number.isFinite(value) || value < (min ?? value) || value > (max ?? value)) return invalid;
  // The fraction by which a sum of binary fractions may miss a step: 0.3 is 2.9999999999999996 steps of 0.1.
  const steps = (value - (min ?? 0)) / step;
  const tolerance = Math.max(1e-6, Math.abs(steps) * 1e-12);
  if (Math.abs(steps - Math.round(steps)) > tolerance) return invalid;
  const within = withinReach(value);
  return within === value || kept ? { ok: true, value: { value: within + 0 } } : invalid;
}

/**
 * The number itself, or the nearest one that a question accepts: within bounds, sums, means and buckets of them stay within
 * what a double holds exactly enough, and are written without an exponent.
 */
function withinReach(value: number): number {
  if (Math.abs(value) < leastNumber) return 0;
  return Math.min(Math.max(value, -mostNumber), mostNumber);
}

/** A day that exists, with a time where the question asks for one [engine.date-answers]. */
function dated(
  component: DateComponent,
  value: string | { date: string; time?: string | null | undefined },
): NormalisedAnswer {
  const { date, time } = typeof value === "string" ? splitDate(value) : value;
  if (date === "") return cleared;
  const given = time === undefined || time === "" ? null : time;
  if (!isDay(date) || (given !== null && !(component.with_time && isTime(given)))) return invalid;
  return { ok: true, value: { value: { date, time: given } } };
}

function splitDate(text: string): { date: string; time: string | null } {
  const at = text.indexOf("T");
  return at === -1 ? { date: text, time: null } : { date: text.slice(0, at), time: text.slice(at + 1) };
}
