import type { RawAnswer } from "../../engine/answers.ts";
import type { AnswerValue, NumberComponent } from "../../engine/document.ts";
import { emailIn } from "../../engine/emails.ts";
import { mostNumber } from "../../engine/number-range.ts";
import type { Texts } from "../texts/types.ts";
import { fill } from "./fill.ts";
import { parseNumber, typedNumber } from "./parse-number.ts";
import type { TypedComponent } from "./stage.ts";
import { writeNumber } from "./write-number.ts";

/** The content of a date field while it is only partly filled in; no valid date looks like this. */
export const partOfDate = "?";

/** Reads the typed text as an answer; null if it is invalid. Blank text clears the answer. */
export function readTyped({ kind }: TypedComponent, typed: string, locale: string): RawAnswer | null {
  const text = typed.trim();
  if (text === "") return { value: null };
  if (kind === "number") {
    const value = parseNumber(text, locale);
    return value === null ? null : { value };
  }
  const isWrong = kind === "email" ? emailIn(text) === null : kind === "date" && text === partOfDate;
  return isWrong ? null : { value: kind === "text" ? typed : text };
}

/** Explains why the text is no answer, or why the engine refused it [player.wrong-answers]. */
export function refusal(component: TypedComponent, typed: string, texts: Texts, locale: string): string {
  switch (component.kind) {
    case "email":
      return texts.invalid_email;
    case "phone":
      return texts.invalid_phone;
    case "date":
      return component.with_time ? texts.invalid_date_time : texts.invalid_date;
    case "text":
      return fill(texts.text_too_long, { max: writeNumber(component.max_length, locale) });
    case "number":
      return numberRefusal(component, parseNumber(typed, locale), texts, locale);
  }
}

function numberRefusal(component: NumberComponent, value: number | null, texts: Texts, locale: string): string {
  const { min, max, step } = component;
  const write = (limit: number): string => writeNumber(limit, locale);
  if (value === null || Math.abs(value) > mostNumber) return texts.invalid_number;
  if (value < (min ?? value) || value > (max ?? value)) {
    if (min !== null && max !== null) return fill(texts.number_range, { min: write(min), max: write(max) });
    return min === null
      ? fill(texts.number_max, { max: write(max ?? 0) })
      : fill(texts.number_min, { min: write(min) });
  }
  const start = min ?? 0;
  const steps = Math.floor((value - start) / step);
  // Above the last step within the bound there is none: the nearest are then the two below.
  const last = max !== null && start + (steps + 1) * step > max ? 1 : 0;
  const at = (index: number): string => write(start + index * step);
  return fill(texts.number_step, { lower: at(steps - last), upper: at(steps + 1 - last) });
}

/** An answer as its field shows it. */
export function shownAnswer(answer: AnswerValue | undefined, locale: string): string {
  if (answer === undefined || !("value" in answer)) return "";
  const { value } = answer;
  if (typeof value === "string") return value;
  if (typeof value === "number") return typedNumber(value, locale);
  return value.time === null ? value.date : `${value.date}T${value.time}`;
}

/** The length in characters, as the engine counts them: an emoji is one. */
export const lengthOf = (text: string): number => [...text].length;
