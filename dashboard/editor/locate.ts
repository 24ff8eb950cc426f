import type { QuizDocument } from "../../engine/document.ts";

/** Finds where in the editor a field of the document is edited [editor.lint-links]. Pure. */

export const tabs = ["build", "logic", "points", "look", "history"] as const;
export type Tab = (typeof tabs)[number];

/** The selected thing, by keys, because positions change and keys do not. */
export interface Selection {
  page: string | null;
  component: string | null;
  /** which of several things with the same key, as a draft may have them; by default the first */
  nth?: { page: number; component: number };
}

export const nothingSelected: Selection = { page: null, component: null };

/** The three panes, of which a phone shows one. */
export type Pane = "outline" | "preview" | "properties";

export interface Location {
  tab: Tab;
  /** null: the selection stays as it is */
  selection: Selection | null;
  /** the field's name on the screen; if it is missing, the nearest enclosing field */
  field: string;
  /** the pane with the field; by default the properties */
  pane?: Pane;
}

export const keyOfComponent = (component: QuizDocument["pages"][number]["components"][number]): string =>
  component.kind === "products" ? component.block_key : component.component_key;

/** For each key, how many equal keys come before it. */
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

/** The selection for a page, or for a component on it. */
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
  // points are edited in the grid
  if (rest[0] === "options" && rest[2] === "points") return { tab: "points", selection, field };
  return { tab: "build", selection, field };
}

/** Field names from the exact one to the enclosing ones. */
export function fieldsAround(path: string): string[] {
  const steps = path.split(".");
  return steps.map((_, index) => steps.slice(0, steps.length - index).join("."));
}

/** The indexes of a selection; -1 for what no longer exists. */
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

/** The first match if there are no longer that many. */
function nthOf(keys: readonly string[], key: string | null, nth = 0): number {
  const found = [...keys.keys()].filter((index) => keys[index] === key);
  return found[nth] ?? found[0] ?? -1;
}

/** Whether this thing is selected; a page counts as selected along with anything on it. */
export const isSelected = ({ page, component, nth }: Selection, own: Required<Selection>): boolean =>
  page === own.page &&
  (nth?.page ?? 0) === own.nth.page &&
  (own.component === null || (component === own.component && (nth?.component ?? 0) === own.nth.component));
