import type {
  ChoiceOption,
  Component,
  Condition,
  Dimension,
  JumpRule,
  Page,
  ProductPick,
  RuledProducts,
} from "../../../engine/document.ts";
import { kindDescriptors } from "../../../engine/kinds/kinds.ts";
import { kindOfAnswers, valueOfKind } from "../../../engine/kinds/value.ts";
import { renamedLeaves } from "./condition.ts";
import { renamedFormula } from "./formula-names.ts";
import type { Keys } from "./keys.ts";
import { renamedBounds } from "./price-bounds.ts";

/**
 * New parts of a document with defaults for every field, so that the author need not fill anything in [editor.by-hand].
 */

export function freshPage(keys: Keys, kind: Page["kind"]): Page {
  return { page_key: keys.page(), title: "", kind, skippable: false, visible_when: null, components: [] };
}

export const freshOption = (keys: Keys, label = ""): ChoiceOption => ({
  option_id: keys.option(),
  label,
  image_url: null,
  points: {},
});

export function freshComponent(keys: Keys, kind: Component["kind"]): Component {
  const make = { option: () => freshOption(keys), blockKey: () => keys.block() };
  // The fields that all questions have, then those of the kind: together they are what its type says.
  return { kind, ...freshShared(keys, kind), ...kindDescriptors[kind].fresh(make) } as Component;
}

function freshShared(keys: Keys, kind: Component["kind"]) {
  if (kind === "products") return {};
  const component_key = keys.component(kindOfAnswers(kind));
  // whoever adds a question wants it answered [editor.required]
  return valueOfKind[kind] === "none" ? { component_key } : { component_key, question: "", required: true };
}

export const freshPick = (product_id: string, variant_id: string | null = null): ProductPick => ({
  product_id,
  variant_id,
  when: null,
  dimension_id: null,
});

export const freshDimension = (keys: Keys, name = ""): Dimension => ({ dimension_id: keys.dimension(), name });

/** A new jump that everybody takes. */
export const freshRule = (keys: Keys, source_page_key: string, target_page_key: string): JumpRule => ({
  jump_rule_key: keys.rule(),
  source_page_key,
  when: { all: [] },
  target_page_key,
});

/** A copy of the page with new keys; its conditions about its own questions refer to the copies. */
export function copiedPage(keys: Keys, page: Page): Page {
  const renamed = new Map<string, string>();
  const components = page.components.map((component) => {
    const copy = copiedComponent(keys, component);
    if ("component_key" in component && "component_key" in copy)
      renamed.set(component.component_key, copy.component_key);
    return copy;
  });
  return {
    ...page,
    page_key: keys.page(),
    components: components.map((component) => askingFor(renamed, component)),
  };
}

/** Options keep their ids, which only need to be unique within their question. */
export function copiedComponent(keys: Keys, component: Component): Component {
  if (component.kind === "products") return { ...component, block_key: keys.block() };
  return { ...component, component_key: keys.component(kindOfAnswers(component.kind)) };
}

function askingFor(renamed: ReadonlyMap<string, string>, original: Component): Component {
  const { visible_when } = original;
  const component = visible_when ? { ...original, visible_when: renamedCondition(visible_when, renamed) } : original;
  if (component.kind === "formula") return { ...component, expression: renamedFormula(component.expression, renamed) };
  if (component.kind !== "products") return component;
  if (component.source === "rules") return askingByRules(renamed, component);
  const products = component.products.map((pick) => ({
    ...pick,
    when: pick.when && renamedCondition(pick.when, renamed),
  }));
  return { ...component, products };
}

function askingByRules(renamed: ReadonlyMap<string, string>, original: RuledProducts): RuledProducts {
  const block = renamedBounds(original, renamed);
  return {
    ...block,
    rules: block.rules.map((rule) => ({ ...rule, when: rule.when && renamedCondition(rule.when, renamed) })),
  };
}

/** Rewrites a condition to the questions' new keys. */
const renamedCondition = (condition: Condition, renamed: ReadonlyMap<string, string>): Condition =>
  renamedLeaves(condition, (leaf) =>
    "component_key" in leaf ? { ...leaf, component_key: renamed.get(leaf.component_key) ?? leaf.component_key } : leaf,
  );
