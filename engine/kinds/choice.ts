import { readImage } from "../addresses.ts";
import { bounds, type ChoiceComponent, type ChoiceOption } from "../document.ts";
import { Fields, type Problems, readNumber, textUpTo } from "../read.ts";
import type { KindOf } from "./kind.ts";
import { invalid, type NormalisedAnswer } from "./normalised.ts";

export const choiceKind: KindOf<ChoiceComponent> = {
  read: (fields) => ({
    multiple: fields.flag("multiple"),
    options: fields.list("options", { min: 0, max: bounds.options }, readOption, "required"),
  }),
  fresh: (make) => ({ multiple: false, options: [make.option(), make.option()] }),
};

function readOption(value: unknown, path: string, problems: Problems): ChoiceOption {
  const fields = new Fields(value, path, problems);
  const option: ChoiceOption = {
    option_id: fields.key("option_id"),
    label: fields.text("label", bounds.text),
    image_url: fields.orNull("image_url", readImage),
    ...fields.ifPresent("image_alt", textUpTo(bounds.text)),
    points: fields.map("points", bounds.dimensions, (entry, at) =>
      readNumber(entry, at, problems, { min: -bounds.points, max: bounds.points }),
    ),
  };
  fields.refuseOthers();
  return option;
}

/** The chosen options that the question has, without repeats, in the given order [engine.choice-answers]. */
export function chosen(component: ChoiceComponent, ids: readonly string[]): NormalisedAnswer {
  const known = new Set(component.options.map((option) => option.option_id));
  const option_ids = [...new Set(ids)];
  if (option_ids.some((id) => !known.has(id))) return { ok: false, reason: "unknown_option" };
  return option_ids.length > 1 && !component.multiple ? invalid : { ok: true, value: { option_ids } };
}
