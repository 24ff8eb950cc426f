import type { ChoiceComponent, JumpRule, NumberComponent, Page, QuizDocument } from "../../engine/document.ts";
import type { HistoryQuiz } from "./history.ts";

/**
 * Names of keys: from the live version or, for removed keys, from the newest version that has them
 * [quizzes.removed-keys].
 */

export interface Named<Thing> {
  thing: Thing;
  removed: boolean;
}

/** Present things in their order, then removed ones, whose order is not promised. */
function namedOf<Thing>(quiz: HistoryQuiz, list: (document: QuizDocument) => Thing[], key: (thing: Thing) => string) {
  const named: Named<Thing>[] = [];
  for (const { document } of quiz.versions.toReversed()) {
    const removed = document !== quiz.versions.at(-1)?.document;
    for (const thing of list(document)) {
      if (!named.some((other) => key(other.thing) === key(thing))) named.push({ thing, removed });
    }
  }
  return named;
}

export const pagesOfQuiz = (quiz: HistoryQuiz): Named<Page>[] =>
  namedOf(
    quiz,
    (document) => document.pages,
    (page) => page.page_key,
  );

export const rulesOfQuiz = (quiz: HistoryQuiz): Named<JumpRule>[] =>
  namedOf(
    quiz,
    (document) => document.jump_rules,
    (rule) => rule.jump_rule_key,
  );

export interface Countable {
  page: Page;
  component: ChoiceComponent | NumberComponent;
}

const countables = (document: QuizDocument): Countable[] =>
  document.pages.flatMap((page) =>
    page.components.flatMap((component) =>
      component.kind === "choice" || component.kind === "image" || component.kind === "number"
        ? [{ page, component }]
        : [],
    ),
  );

/** The questions with figures: those of the live version, in its order [answers.questions]. */
export const questionsOfQuiz = (quiz: HistoryQuiz): Countable[] => {
  const live = quiz.versions.at(-1);
  return live ? countables(live.document) : [];
};

/** All options that a question ever had. */
export const optionsOfQuestion = (quiz: HistoryQuiz, component_key: string) =>
  namedOf(
    quiz,
    (document) =>
      countables(document).flatMap(({ component }) =>
        component.component_key === component_key && component.kind !== "number"
          ? component.options.map((option) => ({ ...option, kind: component.kind }))
          : [],
      ),
    (option) => option.option_id,
  );

/** A page's title in the newest version that has it. */
export const titleOf = (quiz: HistoryQuiz, page_key: string): string | null =>
  pagesOfQuiz(quiz).find(({ thing }) => thing.page_key === page_key)?.thing.title ?? null;
