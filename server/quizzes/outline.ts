import type { QuizDetail } from "../../contract/quizzes.ts";

/**
 * What a quiz's document asks, as `GET /v1/quizzes/{quiz_id}` lists it (decisions C). Pure; reads drafts too, which
 * need not be valid: what cannot be read is left out.
 */
export type PageOutline = QuizDetail["pages"][number];
type ComponentOutline = PageOutline["components"][number];
type OptionOutline = ComponentOutline["options"][number];

export type Definition = Pick<QuizDetail, "pages" | "jump_rules" | "dimensions" | "formulas">;

const pageKinds = ["question", "content", "result"] as const;
const questionKinds = ["choice", "image", "text", "email", "phone", "number", "date"] as const;

type Fields = Readonly<Record<string, unknown>>;

const records = (value: unknown): Fields[] =>
  Array.isArray(value)
    ? value.filter((entry): entry is Fields => typeof entry === "object" && entry !== null && !Array.isArray(entry))
    : [];
/** A record's entries that have this key, since nothing can be asked about one without. */
const keyed = (value: unknown, key: string): Fields[] =>
  records(value).filter((entry) => typeof entry[key] === "string");
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Pages, questions and options in document order. */
export function outlineOf(document: unknown): PageOutline[] {
  return keyed(fieldsOf(document)["pages"], "page_key").map((page, index) => ({
    page_key: text(page["page_key"]),
    title: text(page["title"]),
    kind: pageKinds.find((kind) => kind === page["kind"]) ?? "question",
    position: index + 1,
    removed: false,
    components: keyed(page["components"], "component_key").flatMap(questionOutline),
  }));
}

const fieldsOf = (document: unknown): Fields => records([document])[0] ?? {};

function questionOutline(component: Fields): ComponentOutline[] {
  const kind = questionKinds.find((known) => known === component["kind"]);
  if (!kind) return [];
  const chosen = kind === "choice" || kind === "image";
  return [
    {
      component_key: text(component["component_key"]),
      kind,
      question: text(component["question"]),
      required: component["required"] === true,
      removed: false,
      options: chosen ? keyed(component["options"], "option_id").map(optionOutline) : [],
    },
  ];
}

const optionOutline = (option: Fields): OptionOutline => ({
  option_id: text(option["option_id"]),
  label: text(option["label"]),
  image_url: typeof option["image_url"] === "string" ? option["image_url"] : null,
  removed: false,
});

/** The document's keys; `earlier`: what the versions before it had, which is listed as removed where it is missing. */
export function definitionOf(document: unknown, earlier: readonly PageOutline[]): Definition {
  const { pages, jump_rules, dimensions } = fieldsOf(document);
  return {
    pages: withRemoved(outlineOf(document), earlier),
    jump_rules: keyed(jump_rules, "jump_rule_key").map((rule) => ({
      jump_rule_key: text(rule["jump_rule_key"]),
      source_page_key: text(rule["source_page_key"]),
      target_page_key: text(rule["target_page_key"]),
    })),
    dimensions: keyed(dimensions, "dimension_id").map((dimension) => ({
      dimension_id: text(dimension["dimension_id"]),
      name: text(dimension["name"]),
    })),
    formulas: keyed(pages, "page_key").flatMap((page) =>
      keyed(page["components"], "component_key")
        .filter((component) => component["kind"] === "formula")
        .map((formula) => ({
          component_key: text(formula["component_key"]),
          page_key: text(page["page_key"]),
          label: text(formula["label"]),
        })),
    ),
  };
}

/**
 * An outline with what earlier ones had and it lacks. `earlier` is itself such an outline, of the version before, so
 * that each removed key comes as the newest version that had it had it: a question beside those of its page then, an
 * option beside those of its question, wherever that is now; whole pages at the end, those removed last first.
 */
export function withRemoved(current: readonly PageOutline[], earlier: readonly PageOutline[]): PageOutline[] {
  const asked = new Set(current.flatMap((page) => page.components.map(({ component_key: key }) => key)));
  const before = new Map(earlier.flatMap((page) => page.components.map((each) => [each.component_key, each.options])));
  const pagesBefore = new Map(earlier.map((page) => [page.page_key, page]));
  const lostQuestions = (page: PageOutline | undefined): ComponentOutline[] =>
    (page?.components ?? []).filter(({ component_key: key }) => !asked.has(key)).map(removedQuestion);
  const kept = current.map((page) => ({
    ...page,
    components: [
      ...page.components.map((each) => withOptions(each, before.get(each.component_key) ?? [])),
      ...lostQuestions(pagesBefore.get(page.page_key)),
    ],
  }));
  const present = new Set(current.map((page) => page.page_key));
  const gone = earlier.filter((page) => !present.has(page.page_key));
  return [
    ...kept,
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
