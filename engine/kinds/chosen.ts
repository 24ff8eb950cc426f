import type { ChoiceComponent } from "../document.ts";
import { invalid, type NormalisedAnswer } from "./normalised.ts";

/** The chosen options that the question has, without repeats, in the given order [engine.choice-answers]. */
export function chosen(component: ChoiceComponent, ids: readonly string[]): NormalisedAnswer {
  const known = new Set(component.options.map((option) => option.option_id));
  const option_ids = [...new Set(ids)];
  if (option_ids.some((id) => !known.has(id))) return { ok: false, reason: "unknown_option" };
  return option_ids.length > 1 && !component.multiple ? invalid : { ok: true, value: { option_ids } };
}
