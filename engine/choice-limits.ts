import type { NormalisedAnswer } from "./kinds/normalised.ts";
import type { ChoiceLimits } from "./quiz.ts";

/** What limits of choices and options with a text field allow; players load it with a quiz that has some. */

/** characters of what a shopper writes beside an `other` option */
export const otherTextLength = 200;

const invalid = { ok: false, reason: "invalid_value" } as const;

/** Refuses an exclusive option beside others and one too many; adds what was written [engine.choice-limits]. */
const within: ChoiceLimits["within"] = (component, read, { other_text: text }) => {
  if (!("options" in component) || !read.ok || read.value === null || !("option_ids" in read.value)) return read;
  const { options, multiple, max_choices } = component;
  const { option_ids } = read.value;
  const picked = options.filter(({ option_id }) => option_ids.includes(option_id));
  const count = option_ids.length;
  if (count > 1 && picked.some(({ exclusive }) => exclusive)) return invalid;
  if (multiple && count > (max_choices ?? count)) return invalid;
  return withText(read.value, picked.some(({ other }) => other) ? text : null);
};

/** Blank text, and text without the option that has a field for it, is left out [engine.other-text]. */
function withText(
  { option_ids }: { option_ids: readonly string[] },
  text: string | null | undefined,
): NormalisedAnswer {
  if (!text?.trim()) return { ok: true, value: { option_ids } };
  // as for texts (kinds/text.ts), whose function a player would have to take out of its main part for this
  const isStorable = [...text].length <= otherTextLength && !/[\0\p{Cs}]/u.test(text);
  return isStorable ? { ok: true, value: { option_ids, other_text: text } } : invalid;
}

/**
 * Whether so many options are chosen that the question counts as answered: at least `min_choices`, or an exclusive one,
 * beside which there can be no other.
 */
const isEnough: ChoiceLimits["isEnough"] = (component, answer) =>
  !("options" in component && "option_ids" in answer) ||
  answer.option_ids.length >= (component.min_choices ?? 0) ||
  component.options.some(({ option_id, exclusive }) => exclusive && answer.option_ids.includes(option_id));

export const choiceLimits: ChoiceLimits = { within, isEnough };
