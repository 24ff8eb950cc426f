import { bounds, type TextComponent, textFormats } from "../document.ts";
import { oneOf, textUpTo } from "../read.ts";
import type { KindOf } from "./kind.ts";
import { invalid, type NormalisedAnswer } from "./normalised.ts";

export const textKind: KindOf<TextComponent> = {
  read: (fields) => ({
    max_length: fields.integerOr("max_length", { min: 1, max: bounds.maxLength }, bounds.defaultMaxLength),
    ...fields.filled("format", oneOf(textFormats)),
    ...fields.ifPresent("placeholder", textUpTo(bounds.text)),
  }),
  fresh: () => ({ max_length: bounds.defaultMaxLength }),
};

/**
 * Characters are code points, so that an emoji counts as one [engine.text-answers]. NUL and unpaired surrogates cannot
 * be stored.
 */
export function typed(value: string, maxLength: number): NormalisedAnswer {
  if (value.length > 2 * maxLength || [...value].length > maxLength) return invalid;
  return /[\0\p{Cs}]/u.test(value) ? invalid : { ok: true, value: { value } };
}
