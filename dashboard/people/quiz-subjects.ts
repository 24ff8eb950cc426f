import type { QuizDetail } from "../../contract/quizzes.ts";
import { operatorsOf, type TermKind, type TermOperator } from "../../contract/search-terms.ts";
import { kindOfAnswers } from "../../engine/kinds/value.ts";
import type { Subject } from "./search-edit.ts";
import type { TermState } from "./search-state.ts";

/**
 * The things a condition about a quiz can ask for, as a list with the quiz's own texts for questions and options
 * [dashboard-people.every-term].
 */

export interface SubjectChoice {
  /** the value in the list */
  value: string;
  label: string;
  subject: Subject;
}

export interface SubjectSection {
  title: string;
  choices: SubjectChoice[];
}

export interface LabelledChoice {
  value: string;
  label: string;
}

/** Also works for a subject that the quiz's definition does not list. */
export const subjectValue = ({ kind, pageKey, componentKey, dimensionId }: Subject): string =>
  JSON.stringify([kind, kind === "session" ? null : pageKey, componentKey, dimensionId]);

const removedMark = (removed: boolean): string => (removed ? " (removed)" : "");

function choice(kind: TermKind, label: string, place: Partial<Subject> = {}): SubjectChoice {
  const subject: Subject = { kind, pageKey: null, componentKey: null, dimensionId: null, ...place };
  return { value: subjectValue(subject), label, subject };
}

type Definition = Pick<QuizDetail, "pages" | "dimensions" | "formulas">;

export function subjectsOf(quiz: Definition): SubjectSection[] {
  const questions = quiz.pages.map((page) => ({
    title: `${pageLabel(page)}${removedMark(page.removed)}`,
    choices: page.components.map((component) =>
      choice(
        kindOfAnswers(component.kind),
        `${component.question || component.component_key}${removedMark(component.removed)}`,
        { pageKey: page.page_key, componentKey: component.component_key },
      ),
    ),
  }));
  const points = quiz.dimensions.map(({ dimension_id, name, removed }) =>
    choice("points", `Points for ${name || dimension_id}${removedMark(removed)}`, { dimensionId: dimension_id }),
  );
  const formulas = quiz.formulas.map(({ component_key, page_key, label, removed }) =>
    choice("formula", `${label || component_key}${removedMark(removed)}`, {
      pageKey: page_key,
      componentKey: component_key,
    }),
  );
  const result = quiz.dimensions.length === 0 ? [] : [choice("winner", "The result that won")];
  const sections = [
    { title: "The quiz", choices: [choice("session", "How it ended"), ...result] },
    ...questions,
    { title: "Points", choices: points },
    { title: "Formulas", choices: formulas },
  ];
  return merged(sections).filter(({ choices }) => choices.length > 0);
}

/** Merges pages with the same title into one section and drops repeated choices. */
function merged(sections: readonly SubjectSection[]): SubjectSection[] {
  const byTitle = Map.groupBy(sections, ({ title }) => title);
  return [...byTitle].map(([title, same]) => {
    const choices = same.flatMap((section) => section.choices);
    return { title, choices: [...new Map(choices.map((choice) => [choice.value, choice])).values()] };
  });
}

/** The options of a choice question, or the dimensions of a result; chosen but unknown ones are listed by key. */
export function optionsOf(quiz: Definition | undefined, term: TermState): LabelledChoice[] {
  const known = quiz === undefined ? [] : term.kind === "winner" ? dimensions(quiz) : options(quiz, term);
  const missing = (term.optionIds ?? []).filter((id) => !known.some(({ value }) => value === id));
  return [...known, ...[...new Set(missing)].map((id) => ({ value: id, label: id }))];
}

const dimensions = (quiz: Definition): LabelledChoice[] =>
  quiz.dimensions.map(({ dimension_id, name, removed }) => ({
    value: dimension_id,
    label: `${name || dimension_id}${removedMark(removed)}`,
  }));

function options(quiz: Definition, { pageKey, componentKey }: TermState): LabelledChoice[] {
  const components = quiz.pages
    .filter(({ page_key }) => page_key === pageKey)
    .flatMap((page) => page.components.filter(({ component_key }) => component_key === componentKey));
  const all = components.flatMap((component) => component.options);
  return all.map(({ option_id, label, removed }) => ({
    value: option_id,
    label: `${label || option_id}${removedMark(removed)}`,
  }));
}

/** What a shopper can finish with, by the value of figures by outcome. */
export const resultsOf = (quiz: Definition): LabelledChoice[] => [
  ...dimensions(quiz),
  ...quiz.pages
    .filter(({ kind }) => kind === "result")
    .map((page) => ({ value: `page:${page.page_key}`, label: `page ${pageLabel(page)}${removedMark(page.removed)}` })),
];

/** The pages on which a shopper can leave the quiz. */
export const pagesOf = (quiz: Definition): LabelledChoice[] =>
  quiz.pages.map((page) => ({ value: page.page_key, label: `${pageLabel(page)}${removedMark(page.removed)}` }));

const pageLabel = (page: QuizDetail["pages"][number]): string => {
  const name = page.title || page.page_key;
  return page.position === null ? name : `${page.position}. ${name}`;
};

const numericWords = { eq: "is exactly", lt: "is less than", gt: "is more than", between: "is between" } as const;
const dayWords = { eq: "is on", before: "is before", after: "is after", between: "is between" } as const;
const textWords = { contains: "contains", equals: "is exactly", matches: "has every word of" } as const;
const openWords = { answered: "was answered", not_answered: "was left open" } as const;
const choiceWords = { in: "is one of", not_in: "is none of" } as const;

/** The operator's text in a condition of this kind. */
export function operatorLabel(kind: TermKind, op: TermOperator): string {
  const words: Partial<Record<TermOperator, string>> =
    kind === "choice" || kind === "winner"
      ? choiceWords
      : kind === "date"
        ? dayWords
        : kind === "session"
          ? { equals: "is" }
          : kind === "text" || kind === "email" || kind === "phone"
            ? { ...textWords, ...openWords }
            : numericWords;
  return words[op] ?? op;
}

export const operatorChoices = (kind: TermKind): { value: TermOperator; label: string }[] =>
  operatorsOf[kind].map((op) => ({ value: op, label: operatorLabel(kind, op) }));
