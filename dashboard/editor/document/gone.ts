import type { ChoiceOption, Component, Page, QuizDocument } from "../../../engine/document.ts";
import { isChoice, isOperand } from "../../../engine/kinds/value.ts";
import type { Place } from "./edits.ts";
import { namesIn } from "./formula-names.ts";

/** What goes with a part of the document that is removed together with its uses. Pure. */

export type Removed =
  | { kind: "page"; page: number }
  | { kind: "component"; place: Place }
  | { kind: "option"; place: Place; option: number }
  | { kind: "result"; dimension: number };

export interface Gone {
  /** what the author removes */
  cause: Page | Component | ChoiceOption | null;
  pages: ReadonlySet<Page>;
  components: ReadonlySet<Component>;
  /** keys that mean nothing afterwards: something else may have the same key, and is meant from then on */
  pageKeys: ReadonlySet<string>;
  componentKeys: ReadonlySet<string>;
  options: ReadonlySet<string>;
  dimensions: ReadonlySet<string>;
}

export const optionKey = (component_key: string, option_id: string): string =>
  JSON.stringify([component_key, option_id]);

/** A result goes with its page and a page with its result; formulas go with what they compute with. */
export function goneWith(document: QuizDocument, removed: Removed): Gone {
  const dimensions = new Set<string>();
  const pages = new Set<Page>();
  const components = new Set<Component>();
  const options = new Set<string>();
  let cause: Gone["cause"] = null;
  if (removed.kind === "result") {
    const id = document.dimensions[removed.dimension]?.dimension_id;
    if (id !== undefined) dimensions.add(id);
    for (const page of document.pages) if (page.outcome && dimensions.has(page.outcome.dimension_id)) pages.add(page);
  } else {
    const at = removed.kind === "page" ? removed.page : removed.place.page;
    const page = document.pages[at];
    const part = removed.kind === "page" ? undefined : page?.components[removed.place.component];
    if (removed.kind === "page" && page) {
      pages.add(page);
      cause = page;
      const id = page.outcome?.dimension_id;
      if (id !== undefined && document.pages.every((other) => other === page || other.outcome?.dimension_id !== id))
        dimensions.add(id);
    } else if (removed.kind === "option" && part && isChoice(part)) {
      const option = part.options[removed.option];
      cause = option ?? null;
      const isOther = part.options.some((other) => other !== option && other.option_id === option?.option_id);
      if (option && !isOther) options.add(optionKey(part.component_key, option.option_id));
    } else if (removed.kind === "component" && part) {
      components.add(part);
      cause = part;
    }
  }
  for (const page of pages) for (const component of page.components) components.add(component);
  const componentKeys = withFormulas(document, components, dimensions);
  const pageKeys = left(document.pages, pages, ({ page_key }) => page_key);
  return { cause, pages, components, pageKeys, componentKeys, options, dimensions };
}

/** Adds the formulas that compute with what goes, and the formulas with those; returns the keys that go. */
function withFormulas(
  document: QuizDocument,
  components: Set<Component>,
  dimensions: ReadonlySet<string>,
): ReadonlySet<string> {
  const all = document.pages.flatMap((page) => page.components);
  const keyOf = (component: Component): string | null =>
    "component_key" in component ? component.component_key : null;
  for (;;) {
    const keys = left(all, components, keyOf);
    // of a component and a result with one name, formulas mean the component
    const staying = all.filter((component) => isOperand(component) && !components.has(component)).map(keyOf);
    const names = new Set([...keys, ...[...dimensions].filter((id) => !staying.includes(id))]);
    const added = all.filter(
      (component) =>
        component.kind === "formula" &&
        !components.has(component) &&
        namesIn(component.expression).some((name) => names.has(name)),
    );
    if (names.size === 0 || added.length === 0) return keys;
    for (const component of added) components.add(component);
  }
}

/** The keys of what goes that nothing left has. */
function left<Entry>(
  all: readonly Entry[],
  gone: ReadonlySet<Entry>,
  keyOf: (entry: Entry) => string | null,
): ReadonlySet<string> {
  const staying = new Set(all.filter((entry) => !gone.has(entry)).map(keyOf));
  return new Set([...gone].flatMap((entry) => keyOf(entry) ?? []).filter((key) => !staying.has(key)));
}
