import type { QuizDocument } from "../../engine/document.ts";

/** Where in the editor a field of the document is edited [editor.lint-links]. Pure. */

export const tabs = ["build", "logic", "points", "look", "history"] as const;
export type Tab = (typeof tabs)[number];

/** What is selected, by its keys: places change, keys stay. */
export interface Selection {
  page: string | null;
  component: string | null;
}

export const nothingSelected: Selection = { page: null, component: null };

export interface Location {
  tab: Tab;
  /** null: what was selected stays so */
  selection: Selection | null;
  /** the field as screens name it; the nearest one that is there is meant */
  field: string;
}

export const keyOfComponent = (component: QuizDocument["pages"][number]["components"][number]): string =>
  component.kind === "products" ? component.block_key : component.component_key;

export function locate(document: QuizDocument, path: string): Location {
  const [first, second, third, fourth, ...rest] = path.split(".");
  const field = path;
  if (first === "jump_rules") return { tab: "logic", selection: null, field };
  if (first === "dimensions" || first === "property_mappings") return { tab: "points", selection: null, field };
  if (first === "presentation") return { tab: "look", selection: null, field };
  const page = first === "pages" ? document.pages[Number(second)] : undefined;
  if (!page) return { tab: "build", selection: nothingSelected, field };
  const component = third === "components" ? page.components[Number(fourth)] : undefined;
  if (!component) return { tab: "build", selection: { page: page.page_key, component: null }, field };
  const selection = { page: page.page_key, component: keyOfComponent(component) };
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
export function placeOf(document: QuizDocument, { page, component }: Selection): { page: number; component: number } {
  const at = document.pages.findIndex(({ page_key }) => page_key === page);
  const components = document.pages[at]?.components ?? [];
  return {
    page: at,
    component: component === null ? -1 : components.findIndex((one) => keyOfComponent(one) === component),
  };
}
