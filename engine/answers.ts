import type { QuestionComponent } from "./document.ts";
import { chosen } from "./kinds/chosen.ts";
import { maxContactLength } from "./kinds/contact.ts";
import { dated } from "./kinds/dated.ts";
import { cleared, invalid, type NormalisedAnswer } from "./kinds/normalised.ts";
import { numeric } from "./kinds/number.ts";
import { typed } from "./kinds/text.ts";
import { isChoice, isContact } from "./kinds/value.ts";

/** What `answer_saved` carries. */
export interface RawAnswer {
  option_ids?: readonly string[] | null | undefined;
  /** ignored unless the option that has a text field is chosen */
  other_text?: string | null | undefined;
  value?: string | number | { date: string; time?: string | null | undefined } | readonly unknown[] | null | undefined;
}

/**
 * Checks a shopper's answer against its component in the version, and normalises it for `Answers`.
 *
 * - `null`, `[]` and blank text clear the answer. Without either field it is an `invalid_value`.
 * - choice, image: `option_ids`, without repeats, in the given order; an unknown id is `unknown_option`, a second one
 *   on a single choice `invalid_value`. What limits of choices allow, `answerOf` decides.
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
  if (isChoice(component)) {
    if (option_ids?.length) return chosen(component, option_ids);
    return option_ids !== undefined || value === null ? cleared : invalid;
  }
  if (option_ids?.length) return invalid;
  if (value === null || (value === undefined && option_ids !== undefined)) return cleared;
  if (typeof value === "string" && value.trim() === "") return cleared;
  switch (component.kind) {
    case "number":
      return typeof value === "number" ? numeric(component, value, acceptedBefore) : invalid;
    case "date":
      return typeof value === "string" || typeof value === "object" ? dated(component, value) : invalid;
    case "text":
    case "email":
    case "phone":
      return typeof value === "string"
        ? typed(value, isContact(component) ? maxContactLength : component.max_length)
        : invalid;
  }
}

/** The event's shape allows only an empty list, which clears like null [engine.clearing]. */
const isList = (value: RawAnswer["value"]): value is readonly unknown[] => Array.isArray(value);
