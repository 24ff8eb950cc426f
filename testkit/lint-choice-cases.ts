import type { Page } from "playwright-core";
import { choice, option, page, quizDocument } from "./document-parts.ts";

/** The cases of lint-cases.ts about the limits of choices. */

export const choiceCases = {
  choices_impossible: [
    {
      document: quizDocument([
        page("a", [choice("feel", [option("x"), option("y")], { multiple: true, required: true, min_choices: 3 })]),
      ]),
      path: "pages.0.components.0.min_choices",
      mend: (on: Page) => on.getByLabel("At least").fill("2"),
    },
  ],
  choice_setting_unused: [
    {
      document: quizDocument([page("a", [choice("feel", [option("x"), option("none", { exclusive: true })])])]),
      path: "pages.0.components.0.options.1.exclusive",
      mend: (on: Page) => on.getByLabel("Several may be chosen").check(),
    },
  ],
};
