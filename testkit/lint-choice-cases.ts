import { choice, option, page, quizDocument } from "./document-parts.ts";
import { click } from "./lint-mends.ts";

/** The cases of lint-cases.ts about the limits of choices. */

export const choiceCases = {
  choices_impossible: [
    {
      document: quizDocument([
        page("a", [choice("feel", [option("x")], { multiple: true, required: true, min_choices: 2 })]),
      ]),
      path: "pages.0.components.0.min_choices",
      mend: click("Add an option"),
    },
  ],
  choice_setting_unused: [
    {
      document: quizDocument([page("a", [choice("feel", [option("x", { exclusive: true })])])]),
      path: "pages.0.components.0.options.0.exclusive",
      mend: click("Several may be chosen"),
    },
  ],
};
