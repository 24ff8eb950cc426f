import { readImage } from "../addresses.ts";
import { bounds, type ChoiceComponent, type ChoiceOption, choiceStyles } from "../document.ts";
import { Fields, integerFrom, oneOf, type Problems, readFlag, readNumber, textUpTo } from "../read.ts";
import type { KindOf } from "./kind.ts";

/** Choices and pictures to choose from [quiz-documents.styles, quiz-documents.choice-settings]. */
export const choiceKind: KindOf<ChoiceComponent> = {
  read(fields) {
    const multiple = fields.flag("multiple");
    const look = fields.filled("style", oneOf(choiceStyles));
    if (multiple && look.style === "dropdown") fields.problems.add(fields.at("style"), "is for a single choice");
    const count = (min: number) => integerFrom({ min, max: bounds.options });
    const limits = { ...fields.ifPresent("min_choices", count(0)), ...fields.ifPresent("max_choices", count(1)) };
    if ((limits.min_choices ?? 0) > (limits.max_choices ?? bounds.options)) {
      fields.problems.add(fields.at("min_choices"), "is above max_choices");
    }
    const shuffle = fields.filled("shuffle", readFlag);
    const options = fields.list("options", { min: 0, max: bounds.options }, readOption, "required");
    const others = options.flatMap(({ other }, index) => (other ? [index] : []));
    for (const index of others.slice(1)) {
      fields.problems.add(fields.at(`options.${index}.other`), "is already set on another option");
    }
    return { multiple, ...look, ...limits, ...shuffle, options };
  },
  fresh: (make) => ({ multiple: false, options: [make.option(), make.option()] }),
};

function readOption(value: unknown, path: string, problems: Problems): ChoiceOption {
  const fields = new Fields(value, path, problems);
  const option: ChoiceOption = {
    option_id: fields.key("option_id"),
    label: fields.text("label", bounds.text),
    image_url: fields.orNull("image_url", readImage),
    ...fields.ifPresent("image_alt", textUpTo(bounds.text)),
    ...fields.filled("exclusive", readFlag),
    ...fields.filled("other", readFlag),
    points: fields.map("points", bounds.dimensions, (entry, at) =>
      readNumber(entry, at, problems, { min: -bounds.points, max: bounds.points }),
    ),
  };
  fields.refuseOthers();
  return option;
}
