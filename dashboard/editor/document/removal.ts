import { componentName, conditionInWords, firstWords, namesOf } from "../../../engine/condition-words.ts";
import type {
  ChoiceOption,
  Component,
  Condition,
  Page,
  PriceBound,
  ProductRule,
  ProductSelector,
  ProductsComponent,
  QuizDocument,
} from "../../../engine/document.ts";
import { isChoice } from "../../../engine/kinds/value.ts";
import { mapTexts, type Recalled, recalled, recallsOf, writeRecall } from "../../../engine/recall.ts";
import type { Change } from "./change.ts";
import { partsOf } from "./condition.ts";
import { type Gone, goneWith, optionKey, type Removed } from "./gone.ts";
import type { Edit } from "./history.ts";

/** Removing what other parts of the document use: says where, and removes those uses too [editor.removal]. Pure. */

export interface Use {
  /** of the field that uses it, before anything is removed */
  path: string;
  /** where and how it is used: `Page 3, "Your oil", is shown when …` */
  said: string;
  /** what becomes of it: `Then it is shown to everybody.` */
  after: string;
}

/** What else of the document uses it; empty: it can go without a question. */
export const usesOf = (document: QuizDocument, removed: Removed): Use[] => new Removal(document, removed).uses;

/** Removes it with all its uses, as one step. */
export function removeWithUses(document: QuizDocument, removed: Removed): Edit {
  const { result } = new Removal(document, removed);
  const lists = ["pages", "jump_rules", "dimensions", "property_mappings"] as const;
  const changes = lists.flatMap((list): Change[] =>
    document[list] === result[list] ? [] : [{ kind: "set", path: [list], value: result[list] }],
  );
  return { said: `remove ${articles[removed.kind]}`, changes };
}

const articles = { page: "a page", component: "a component", option: "an option", result: "a result" };

const everybody = "Then it is shown to everybody.";
const lessOfCondition = "Then the rest of the condition decides.";

class Removal {
  readonly uses: Use[] = [];
  readonly result: QuizDocument;
  readonly #gone: Gone;
  readonly #names;

  constructor(document: QuizDocument, removed: Removed) {
    this.#gone = goneWith(document, removed);
    this.#names = namesOf(document);
    this.result = this.#withoutRecalls(document, {
      ...document,
      pages: kept(document.pages, (page, index) => this.#page(page, index)),
      jump_rules: kept(document.jump_rules, (rule, index) => this.#jump(rule, index)),
      dimensions: kept(document.dimensions, (dimension, index) => this.#dimension(document, dimension, index, removed)),
      property_mappings: kept(document.property_mappings, (mapping) => this.#mapping(mapping)),
    });
  }

  #use(path: string, said: string, after: string): void {
    this.uses.push({ path, said, after });
  }

  #page(page: Page, index: number): Page | null {
    const path = `pages.${index}`;
    const name = `Page ${index + 1}, "${firstWords(page.title, page.page_key)}",`;
    if (this.#gone.pages.has(page)) {
      if (this.#gone.cause !== page) this.#use(path, `${name} is its page.`, "It is removed too.");
      return null;
    }
    const visible_when = this.#shownWhen(page.visible_when, `${path}.visible_when`, name);
    const components = kept(page.components, (part, place) => this.#component(part, `${path}.components.${place}`));
    return visible_when === page.visible_when && components === page.components
      ? page
      : { ...page, visible_when, components };
  }

  #component(component: Component, path: string): Component | null {
    const name = component.kind === "products" ? "A products block" : `"${componentName(component)}"`;
    if (this.#gone.components.has(component)) {
      if (this.#gone.cause !== component && component.kind === "formula")
        this.#use(`${path}.expression`, `${name} computes with it.`, "The formula is removed too.");
      return null;
    }
    const own = component.visible_when ?? null;
    const visible_when = this.#shownWhen(own, `${path}.visible_when`, name);
    const shown = visible_when === own ? component : { ...component, visible_when };
    if (isChoice(shown)) {
      const options = kept(shown.options, (option) => this.#option(option));
      return options === shown.options ? shown : { ...shown, options };
    }
    return shown.kind === "products" ? this.#block(shown, path) : shown;
  }

  #option(option: ChoiceOption): ChoiceOption | null {
    if (this.#gone.cause === option) return null;
    const points = Object.entries(option.points).filter(([id]) => !this.#gone.dimensions.has(id));
    return points.length === Object.keys(option.points).length
      ? option
      : { ...option, points: Object.fromEntries(points) };
  }

  #block(block: ProductsComponent, path: string): ProductsComponent {
    if (block.source === "rules") {
      const rules = kept(block.rules, (rule, index) => this.#rule(rule, `${path}.rules.${index}`));
      const from = block.from && this.#selector(block.from, `${path}.from`);
      const other = block.fallback && this.#selector(block.fallback.from, `${path}.fallback.from`);
      const isSame = rules === block.rules && from === block.from && other === (block.fallback?.from ?? null);
      if (isSame) return block;
      return { ...block, rules, from, fallback: block.fallback && other && { ...block.fallback, from: other } };
    }
    const products = kept(block.products, (pick, index) => {
      const at = `${path}.products.${index}`;
      const when = this.#shownWhen(pick.when, `${at}.when`, `Product ${index + 1} of a block`);
      const isRestricted = pick.dimension_id !== null && this.#gone.dimensions.has(pick.dimension_id);
      if (isRestricted) this.#use(`${at}.dimension_id`, `Product ${index + 1} of a block is shown for it.`, everybody);
      if (when === pick.when && !isRestricted) return pick;
      return { ...pick, when, dimension_id: isRestricted ? null : pick.dimension_id };
    });
    return products === block.products ? block : { ...block, products };
  }

  /** A rule without its condition would apply to everybody, and so would a jump: they go instead. */
  #rule(rule: ProductRule, path: string): ProductRule | null {
    const when = rule.when && this.#without(rule.when);
    const match = this.#selector(rule.match, `${path}.match`);
    if (when === rule.when) return match === rule.match ? rule : { ...rule, match };
    const words = this.#words(rule.when);
    const after = when === null ? "The rule is removed too." : lessOfCondition;
    this.#use(`${path}.when`, `A rule for products applies when ${words}.`, after);
    return when === null ? null : { ...rule, when, match };
  }

  #selector(selector: ProductSelector, path: string): ProductSelector {
    const { min, max } = selector.price ?? {};
    const isOpen = (bound: PriceBound | undefined): boolean =>
      bound !== undefined &&
      typeof bound !== "string" &&
      this.#gone.componentKeys.has("formula" in bound ? bound.formula : bound.component_key);
    if (!isOpen(min) && !isOpen(max)) return selector;
    this.#use(`${path}.price`, "It is a price limit of a products block.", "Then there is no such limit.");
    const { price: _, ...others } = selector;
    const price = {
      ...(min !== undefined && !isOpen(min) && { min }),
      ...(max !== undefined && !isOpen(max) && { max }),
    };
    return Object.keys(price).length === 0 ? others : { ...others, price };
  }

  #jump(rule: QuizDocument["jump_rules"][number], index: number): typeof rule | null {
    const path = `jump_rules.${index}`;
    const name = `Jump ${index + 1}`;
    const isGone = (key: string): boolean => this.#gone.pageKeys.has(key);
    // what leaves a page goes with it, without a word
    if (isGone(rule.source_page_key)) return null;
    if (isGone(rule.target_page_key)) {
      this.#use(`${path}.target_page_key`, `${name} leads here.`, "The jump is removed too.");
      return null;
    }
    const when = this.#without(rule.when);
    if (when === rule.when) return rule;
    const after = when === null ? "The jump is removed too." : lessOfCondition;
    this.#use(`${path}.when`, `${name} is taken when ${this.#words(rule.when)}.`, after);
    return when === null ? null : { ...rule, when };
  }

  #dimension(
    { pages }: QuizDocument,
    dimension: QuizDocument["dimensions"][number],
    index: number,
    removed: Removed,
  ): typeof dimension | null {
    const { dimension_id, name } = dimension;
    if (!this.#gone.dimensions.has(dimension_id)) return dimension;
    const options = pages.flatMap(({ components }) => components.filter(isChoice).flatMap((choice) => choice.options));
    const giving = options.filter(({ points }) => Object.hasOwn(points, dimension_id)).length;
    if (removed.kind === "page" && giving > 0) {
      const those = giving === 1 ? "1 option gives points to it." : `${giving} options give points to it.`;
      const said = `It is the page of the result "${firstWords(name, dimension_id)}". ${those}`;
      this.#use(`dimensions.${index}.name`, said, "The result and its points are removed too.");
    }
    return null;
  }

  #mapping(mapping: QuizDocument["property_mappings"][number]): typeof mapping | null {
    const { component_key, option_values } = mapping;
    if (this.#gone.componentKeys.has(component_key)) return null;
    const entries = Object.entries(option_values ?? {});
    const left = entries.filter(([id]) => !this.#gone.options.has(optionKey(component_key, id)));
    return left.length === entries.length ? mapping : { ...mapping, option_values: Object.fromEntries(left) };
  }

  /** Placeholders of what goes become their fallbacks. */
  #withoutRecalls(before: QuizDocument, document: QuizDocument): QuizDocument {
    const { componentKeys, dimensions } = this.#gone;
    const isGone = (what: Recalled): boolean => {
      if ("component_key" in what) return componentKeys.has(what.component_key);
      return what.kind === "points" && what.dimension_id !== null && dimensions.has(what.dimension_id);
    };
    const after = mapTexts(document, (text) =>
      recallsOf(text).some(isGone)
        ? recalled(text, (what, fallback) => (isGone(what) ? fallback : writeRecall(what, fallback)))
        : text,
    );
    for (const [at, { page_key, title }] of document.pages.entries()) {
      if (after.pages[at] === document.pages[at]) continue;
      const index = before.pages.findIndex((page) => page.page_key === page_key);
      const name = `Page ${index + 1}, "${firstWords(title, page_key)}",`;
      this.#use(`pages.${index}.title`, `${name} recalls it in a text.`, "Then the text has its fallback.");
    }
    return after;
  }

  #shownWhen(condition: Condition | null, path: string, name: string): Condition | null {
    const left = condition && this.#without(condition);
    if (left !== condition)
      this.#use(path, `${name} is shown when ${this.#words(condition)}.`, left === null ? everybody : lessOfCondition);
    return left;
  }

  readonly #words = (condition: Condition | null): string => {
    const words = conditionInWords(condition, this.#names);
    return words.length > 200 ? `${words.slice(0, 199)}…`.toWellFormed() : words;
  };

  /** A condition without the parts about what goes; the condition itself if there are none, null if nothing is left. */
  #without(condition: Condition): Condition | null {
    if ("kind" in condition || "component_key" in condition) return this.#leaf(condition);
    const parts = partsOf(condition) ?? [];
    const left = kept(parts, (part) => this.#without(part));
    if (left === parts) return condition;
    if (left.length === 0) return null;
    if ("not" in condition) return { not: left[0] ?? { all: [] } };
    return "all" in condition ? { all: [...left] } : { any: [...left] };
  }

  #leaf(leaf: Exclude<Condition, { all: unknown } | { any: unknown } | { not: unknown }>): Condition | null {
    const { componentKeys, dimensions, options } = this.#gone;
    if ("component_key" in leaf) {
      if (componentKeys.has(leaf.component_key)) return null;
      const isGone = (id: string): boolean => options.has(optionKey(leaf.component_key, id));
      if ("option_ids" in leaf) {
        const option_ids = leaf.option_ids.filter((id) => !isGone(id));
        if (option_ids.length === leaf.option_ids.length) return leaf;
        return option_ids.length === 0 ? null : { ...leaf, option_ids };
      }
      return leaf.op === "eq" && typeof leaf.value === "string" && isGone(leaf.value) ? null : leaf;
    }
    if (leaf.kind === "points") return leaf.dimension_id !== null && dimensions.has(leaf.dimension_id) ? null : leaf;
    const dimension_ids = leaf.dimension_ids.filter((id) => !dimensions.has(id));
    if (dimension_ids.length === leaf.dimension_ids.length) return leaf;
    return dimension_ids.length === 0 ? null : { ...leaf, dimension_ids };
  }
}

/** The list itself if every entry stays as it is; null removes an entry. */
function kept<Entry>(list: readonly Entry[], make: (entry: Entry, index: number) => Entry | null): Entry[] {
  const made = list.map(make);
  return made.every((entry, index) => entry === list[index])
    ? (list as Entry[])
    : made.filter((entry): entry is NonNullable<typeof entry> => entry !== null);
}
