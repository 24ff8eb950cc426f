import type { QuizDocument } from "../../engine/document.ts";

/** Where in the editor a field of the document is edited [editor.lint-links]. Pure. */

export const tabs = ["build", "logic", "points", "look", "history"] as const;
export type Tab = (typeof tabs)[number];

/** What is selected, by its keys: places change, keys stay. */
export interface Selection {
  page: string | null;
  component: string | null;
  /** which of several with the same key, as a draft may have them; the first one where nothing is said */
  nth?: { page: number; component: number };
}

export const nothingSelected: Selection = { page: null, component: null };

/** What a phone shows of the three panes. */
export type Pane = "outline" | "preview" | "properties";

export interface Location {
  tab: Tab;
  /** null: what was selected stays so */
  selection: Selection | null;
  /** the field as screens name it; the nearest one that is there is meant */
  field: string;
  /** where it is; the properties where nothing is said */
  pane?: Pane;
}

export const keyOfComponent = (component: QuizDocument["pages"][number]["components"][number]): string =>
  component.kind === "products" ? component.block_key : component.component_key;

/** How many of the same key stand before each. */
export function nths(keys: readonly string[]): number[] {
  const seen = new Map<string, number>();
  return keys.map((key) => {
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return before;
  });
}

const pageNths = ({ pages }: QuizDocument): number[] => nths(pages.map(({ page_key }) => page_key));
const componentNths = (page: QuizDocument["pages"][number]): number[] => nths(page.components.map(keyOfComponent));

/** The page, or a component on it, as it is selected. */
export function selectionAt(document: QuizDocument, at: number, place: number | null = null): Selection {
  const page = document.pages[at];
  if (!page) return nothingSelected;
  const component = place === null ? undefined : page.components[place];
  const nth = {
    page: pageNths(document)[at] ?? 0,
    component: place === null ? 0 : (componentNths(page)[place] ?? 0),
  };
  return { page: page.page_key, component: component ? keyOfComponent(component) : null, nth };
}

export function locate(document: QuizDocument, path: string): Location {
  const [first, second, third, fourth, ...rest] = path.split(".");
  const field = path;
  if (first === "jump_rules") return { tab: "logic", selection: null, field };
  if (first === "dimensions" || first === "property_mappings") return { tab: "points", selection: null, field };
  if (first === "presentation") return { tab: "look", selection: null, field };
  const at = first === "pages" && second !== undefined ? Number(second) : -1;
  const page = document.pages[at];
  if (!page) return { tab: "build", selection: nothingSelected, field, pane: "outline" };
  const isComponent = third === "components" && page.components[Number(fourth)] !== undefined;
  if (third === "components" && fourth === undefined)
    return { tab: "build", selection: selectionAt(document, at), field, pane: "outline" };
  if (!isComponent) return { tab: "build", selection: selectionAt(document, at), field };
  const selection = selectionAt(document, at, Number(fourth));
  // points are given in the grid
  if (rest[0] === "options" && rest[2] === "points") return { tab: "points", selection, field };
  return { tab: "build", selection, field };
}

/** Names of fields from the exact one to the ones around it. */
export function fieldsAround(path: string): string[] {
  const steps = path.split(".");
  return steps.map((_, index) => steps.slice(0, steps.length - index).join("."));
}

/** Where a selection stands; -1 for what is not there any more. */
export function placeOf(
  document: QuizDocument,
  { page, component, nth }: Selection,
): { page: number; component: number } {
  const at = nthOf(
    document.pages.map(({ page_key }) => page_key),
    page,
    nth?.page,
  );
  const components = document.pages[at]?.components ?? [];
  return { page: at, component: nthOf(components.map(keyOfComponent), component, nth?.component) };
}

/** The first where there are not that many any more. */
function nthOf(keys: readonly string[], key: string | null, nth = 0): number {
  const found = [...keys.keys()].filter((index) => keys[index] === key);
  return found[nth] ?? found[0] ?? -1;
}

/** Whether something is selected, its page with whatever is on it. */
export const isSelected = ({ page, component, nth }: Selection, own: Required<Selection>): boolean =>
  page === own.page &&
  (nth?.page ?? 0) === own.nth.page &&
  (own.component === null || (component === own.component && (nth?.component ?? 0) === own.nth.component));
