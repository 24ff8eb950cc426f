import type { ChoiceComponent, Component, Page, QuizDocument } from "../../../engine/document.ts";
import { isChoice } from "../../../engine/kinds/value.ts";
import { type Change, type Path, valueAt } from "./change.ts";
import { copiedComponent, copiedPage, freshComponent, freshOption, freshPage } from "./fresh.ts";
import type { Edit } from "./history.ts";
import type { Keys } from "./keys.ts";
import { pageFollowers } from "./rename.ts";

/** What an author does to pages, components and options, as edits of the current document. */

/** The position of a component. */
export interface Place {
  page: number;
  component: number;
}

const pages: Path = ["pages"];
const componentsOf = (page: number): Path => ["pages", page, "components"];
export const componentPath = ({ page, component }: Place): Path => ["pages", page, "components", component];
const optionsOf = (place: Place): Path => [...componentPath(place), "options"];

const nothing: Edit = { said: "", changes: [] };

/** Sets any field; consecutive edits of the same field, such as typed letters, are undone together. */
export function setField(document: QuizDocument, path: Path, value: unknown, said = "change a field"): Edit {
  const deepest = existing(document, path);
  const change: Change = { kind: "set", path: path.slice(0, deepest), value: wrapped(path.slice(deepest), value) };
  return { said, changes: [change], joins: `set ${JSON.stringify(path)}` };
}

/** The length of the longest prefix of a path that the document has, plus one step. */
function existing(document: QuizDocument, path: Path): number {
  for (let depth = 1; depth < path.length; depth += 1) {
    const value = valueAt(document, path.slice(0, depth));
    if (typeof value !== "object" || value === null) return depth;
  }
  return path.length;
}

const wrapped = (rest: Path, value: unknown): unknown =>
  rest.reduceRight((inner: unknown, step) => (inner === undefined ? undefined : { [step]: inner }), value);

export function addPage(document: QuizDocument, keys: Keys, kind: Page["kind"], at = document.pages.length): Edit {
  return { said: "add a page", changes: [{ kind: "insert", path: pages, index: at, value: freshPage(keys, kind) }] };
}

export function duplicatePage(document: QuizDocument, keys: Keys, index: number): Edit {
  const page = document.pages[index];
  if (!page) return nothing;
  return {
    said: "duplicate a page",
    changes: [{ kind: "insert", path: pages, index: index + 1, value: copiedPage(keys, page) }],
  };
}

/** Also removes the jumps from it and its property mappings; the lint reports what still refers to it. */
export function removePage(document: QuizDocument, index: number): Edit {
  const page = document.pages[index];
  if (!page) return nothing;
  const isOnlyOne = document.pages.filter(({ page_key }) => page_key === page.page_key).length === 1;
  return {
    said: "remove a page",
    changes: [
      { kind: "remove", path: pages, index },
      ...(isOnlyOne ? without(document, "jump_rules", (rule) => rule.source_page_key === page.page_key) : []),
      ...withoutMappings(document, page.components),
    ],
  };
}

/** Removes from last to first, so that the remaining indexes stay valid. */
function without<Name extends "jump_rules" | "property_mappings">(
  document: QuizDocument,
  name: Name,
  goes: (entry: QuizDocument[Name][number]) => boolean,
): Change[] {
  return document[name]
    .flatMap((entry, index): Change[] => (goes(entry) ? [{ kind: "remove", path: [name], index }] : []))
    .reverse();
}

function withoutMappings(document: QuizDocument, components: readonly Component[]): Change[] {
  const keys = new Set(
    components.flatMap((component) => (component.kind === "products" ? [] : component.component_key)),
  );
  return without(document, "property_mappings", ({ component_key }) => keys.has(component_key));
}

/**
 * Changes a page's kind and drops what only the old kind had.
 *
 * @param key a new key, if versions used the page's key with its old kind, because figures identify pages by key alone;
 * jumps from and to the page are updated
 */
export function setPageKind(document: QuizDocument, index: number, kind: Page["kind"], key: string | null): Edit {
  const page = document.pages[index];
  if (!page || page.kind === kind) return nothing;
  const { headline, outcome, ...others } = page;
  const ofResult = { ...(headline !== undefined && { headline }), ...(outcome !== undefined && { outcome }) };
  const changed: Page = { ...others, kind, ...(kind === "result" ? ofResult : {}) };
  const said = "change the kind of a page";
  if (key === null) return { said, changes: [{ kind: "set", path: ["pages", index], value: changed }] };
  const value = { ...changed, page_key: key };
  const follow = pageFollowers(document, page.page_key, key);
  return { said, changes: [{ kind: "set", path: ["pages", index], value }, ...follow] };
}

export function movePage(document: QuizDocument, from: number, to: number): Edit {
  if (from === to || !document.pages[from] || !document.pages[to]) return nothing;
  return { said: "move a page", changes: [{ kind: "move", path: pages, from, to }] };
}

export function addComponent(
  document: QuizDocument,
  keys: Keys,
  page: number,
  kind: Component["kind"],
  at?: number,
): Edit {
  const components = document.pages[page]?.components;
  if (!components) return nothing;
  const index = at ?? components.length;
  const value = freshComponent(keys, kind);
  return { said: "add a component", changes: [{ kind: "insert", path: componentsOf(page), index, value }] };
}

export const componentAt = (document: QuizDocument, { page, component }: Place): Component | undefined =>
  document.pages[page]?.components[component];

export function duplicateComponent(document: QuizDocument, keys: Keys, place: Place): Edit {
  const component = componentAt(document, place);
  if (!component) return nothing;
  const value = copiedComponent(keys, component);
  const insert = { kind: "insert", path: componentsOf(place.page), index: place.component + 1, value } as const;
  return { said: "duplicate a component", changes: [insert] };
}

export function removeComponent(document: QuizDocument, place: Place): Edit {
  const component = componentAt(document, place);
  if (!component) return nothing;
  const remove = { kind: "remove", path: componentsOf(place.page), index: place.component } as const;
  return { said: "remove a component", changes: [remove, ...withoutMappings(document, [component])] };
}

/** Moves within its page or to a position on another page. */
export function moveComponent(document: QuizDocument, from: Place, to: Place): Edit {
  const component = componentAt(document, from);
  const target = document.pages[to.page];
  if (!component || !target) return nothing;
  const said = "move a component";
  if (from.page === to.page) {
    const last = target.components.length - 1;
    if (from.component === to.component || to.component > last) return nothing;
    return { said, changes: [{ kind: "move", path: componentsOf(from.page), from: from.component, to: to.component }] };
  }
  if (to.component > target.components.length) return nothing;
  return {
    said,
    changes: [
      { kind: "remove", path: componentsOf(from.page), index: from.component },
      { kind: "insert", path: componentsOf(to.page), index: to.component, value: component },
    ],
  };
}

export function choiceAt(document: QuizDocument, place: Place): ChoiceComponent | null {
  const component = componentAt(document, place);
  return component && isChoice(component) ? component : null;
}

export function addOption(document: QuizDocument, keys: Keys, place: Place, label = "", at?: number): Edit {
  const choice = choiceAt(document, place);
  if (!choice) return nothing;
  const index = at ?? choice.options.length;
  const value = freshOption(keys, label);
  return { said: "add an option", changes: [{ kind: "insert", path: optionsOf(place), index, value }] };
}

/**
 * Puts pasted lines into options: the first goes into the option itself if it has no text, the next ones into the
 * options right behind it that have none, the rest become options of their own.
 *
 * @returns the edit, and the last option that got a text
 */
export function pasteOptions(
  document: QuizDocument,
  keys: Keys,
  { place, at, lines }: { place: Place; at: number; lines: readonly string[] },
): { edit: Edit; last: number } {
  const options = choiceAt(document, place)?.options ?? [];
  const isBlank = (index: number): boolean => options[index]?.label.trim() === "";
  const first = isBlank(at) ? at : at + 1;
  const changes = lines.map((label, index): Change => {
    const target = first + index;
    // all options from the first on have been blank so far, or this one is inserted behind the last blank one
    const fills = lines.slice(0, index + 1).every((_, earlier) => isBlank(first + earlier));
    return fills
      ? { kind: "set", path: [...optionsOf(place), target, "label"], value: label }
      : { kind: "insert", path: optionsOf(place), index: target, value: freshOption(keys, label) };
  });
  return { edit: { said: "add options", changes }, last: first + lines.length - 1 };
}

/** The next option without a text behind this one; null: none. */
export function nextBlankOption(document: QuizDocument, place: Place, at: number): number | null {
  const options = choiceAt(document, place)?.options ?? [];
  const found = options.findIndex(({ label }, index) => index > at && label.trim() === "");
  return found === -1 ? null : found;
}

export function duplicateOption(document: QuizDocument, keys: Keys, place: Place, option: number): Edit {
  const found = choiceAt(document, place)?.options[option];
  if (!found) return nothing;
  const value = { ...found, option_id: freshOption(keys).option_id };
  return {
    said: "duplicate an option",
    changes: [{ kind: "insert", path: optionsOf(place), index: option + 1, value }],
  };
}

/** Also removes the option's property values; the lint reports conditions that still refer to it. */
export function removeOption(document: QuizDocument, place: Place, option: number): Edit {
  const choice = choiceAt(document, place);
  const found = choice?.options[option];
  if (!choice || !found) return nothing;
  const mappingChanges = document.property_mappings.flatMap((mapping, index): Change[] =>
    mapping.component_key === choice.component_key && Object.hasOwn(mapping.option_values ?? {}, found.option_id)
      ? [{ kind: "set", path: ["property_mappings", index, "option_values", found.option_id], value: undefined }]
      : [],
  );
  return {
    said: "remove an option",
    changes: [{ kind: "remove", path: optionsOf(place), index: option }, ...mappingChanges],
  };
}

export function moveOption(document: QuizDocument, place: Place, from: number, to: number): Edit {
  const options = choiceAt(document, place)?.options;
  if (from === to || !options?.[from] || !options[to]) return nothing;
  return { said: "move an option", changes: [{ kind: "move", path: optionsOf(place), from, to }] };
}
