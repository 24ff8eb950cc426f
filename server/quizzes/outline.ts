import type { QuizDetail } from "../../contract/quizzes.ts";
import { kindsOf, valueOfKind } from "../../engine/kinds/value.ts";
import { type Fields, fieldsOf, keyed, text, wording } from "./read-draft.ts";

/**
 * The questions of a quiz's document, as `GET /v1/quizzes/{quiz_id}` lists them [quizzes.one-quiz]. Pure; accepts
 * drafts too.
 */
export type PageOutline = QuizDetail["pages"][number];
type ComponentOutline = PageOutline["components"][number];
type OptionOutline = ComponentOutline["options"][number];

export type Definition = Pick<QuizDetail, "pages" | "jump_rules" | "dimensions" | "formulas">;

const pageKinds = ["question", "content", "result"] as const;
const questionKinds: readonly ComponentOutline["kind"][] = kindsOf("options", "text", "contact", "number", "date");

/** Pages, questions and options in document order. */
export function outlineOf(document: unknown): PageOutline[] {
  return keyed(fieldsOf(document)["pages"], "page_key").map((page, index) => ({
    page_key: text(page["page_key"]),
    title: wording(page["title"]),
    kind: pageKinds.find((kind) => kind === page["kind"]) ?? "question",
    position: index + 1,
    removed: false,
    components: keyed(page["components"], "component_key").flatMap(questionOutline),
  }));
}

function questionOutline(component: Fields): ComponentOutline[] {
  const kind = questionKinds.find((known) => known === component["kind"]);
  if (!kind) return [];
  return [
    {
      component_key: text(component["component_key"]),
      kind,
      question: wording(component["question"]),
      required: component["required"] === true,
      removed: false,
      options: valueOfKind[kind] === "options" ? keyed(component["options"], "option_id").map(optionOutline) : [],
    },
  ];
}

const optionOutline = (option: Fields): OptionOutline => ({
  option_id: text(option["option_id"]),
  label: wording(option["label"]),
  image_url: typeof option["image_url"] === "string" ? option["image_url"] : null,
  removed: false,
});

/**
 * Adds to an outline what only earlier versions had. `earlier` is itself such an outline, of the previous version, so
 * that each removed key appears as the newest version that had it described it: a question next to those of its page at
 * that time, an option next to those of its question, wherever that is now; whole pages at the end, the most recently
 * removed first.
 */
export function withRemoved(current: readonly PageOutline[], earlier: readonly PageOutline[]): PageOutline[] {
  const questions = new Set(current.flatMap((page) => page.components.map(({ component_key: key }) => key)));
  const before = new Map(earlier.flatMap((page) => page.components.map((each) => [each.component_key, each.options])));
  const pagesBefore = new Map(earlier.map((page) => [page.page_key, page]));
  const lostQuestions = (page: PageOutline | undefined): ComponentOutline[] =>
    (page?.components ?? []).filter(({ component_key: key }) => !questions.has(key)).map(removedQuestion);
  const currentPages = current.map((page) => ({
    ...page,
    components: [
      ...page.components.map((each) => withOptions(each, before.get(each.component_key) ?? [])),
      ...lostQuestions(pagesBefore.get(page.page_key)),
    ],
  }));
  const present = new Set(current.map((page) => page.page_key));
  const gone = earlier.filter((page) => !present.has(page.page_key));
  return [
    ...currentPages,
    ...gone.map((page) => ({ ...page, position: null, removed: true, components: lostQuestions(page) })),
  ];
}

function withOptions(component: ComponentOutline, before: readonly OptionOutline[]): ComponentOutline {
  const present = new Set(component.options.map((option) => option.option_id));
  const gone = before.filter((option) => !present.has(option.option_id)).map(removedOption);
  return { ...component, options: [...component.options, ...gone] };
}

const removedOption = (option: OptionOutline): OptionOutline => ({ ...option, removed: true });
const removedQuestion = (component: ComponentOutline): ComponentOutline => ({
  ...component,
  removed: true,
  options: component.options.map(removedOption),
});
