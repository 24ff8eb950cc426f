import {
  bounds,
  type Component,
  type ProductRule,
  type ProductSelector,
  type QuizDocument,
  type RuledProducts,
} from "../../../engine/document.ts";
import { type Path, valueAt } from "./change.ts";
import { componentAt, componentPath, type Place, setField } from "./edits.ts";
import type { Edit } from "./history.ts";

/** Edits of a block that rules fill [editor.rules]. Pure. */

/** A field's path in a selector, by its list: also the order in which a form shows them. */
export const selectorLists = [
  "tags_any",
  "tags_all",
  "tags_none",
  "collections",
  "product_types",
  "vendors",
  "product_ids",
] as const satisfies readonly (keyof ProductSelector)[];
export type SelectorList = (typeof selectorLists)[number];

const nothing: Edit = { said: "", changes: [] };
const shownAtFirst = 4;

export const ruledAt = (document: QuizDocument, place: Place): RuledProducts | null => {
  const block = componentAt(document, place);
  return block?.kind === "products" && block.source === "rules" ? block : null;
};

/** Fills a block by rules, or by hand again; what the other kind had is gone, until it is undone. */
export function setSource(
  document: QuizDocument,
  place: Place,
  source: "fixed" | "winner" | "answers" | "rules",
): Edit {
  const block = componentAt(document, place);
  if (block?.kind !== "products" || block.source === source) return nothing;
  const path = componentPath(place);
  if (source !== "rules" && block.source !== "rules") return setField(document, [...path, "source"], source);
  const { block_key, visible_when } = block;
  const shared = { kind: "products" as const, block_key, ...(visible_when === undefined ? {} : { visible_when }) };
  const value: Component =
    source === "rules" ? { ...shared, ...freshRules } : { ...shared, source, products: [], limit: bounds.productLimit };
  return { said: "change which products are shown", changes: [{ kind: "set", path, value }] };
}

const freshRules: Omit<RuledProducts, "kind" | "block_key"> = {
  source: "rules",
  from: null,
  rules: [],
  min_score: null,
  order: "score",
  one_per: null,
  limit: shownAtFirst,
  sold_out: "hide",
  min_stock: null,
  fallback: null,
  unit: "product",
};

export const rulesPath = (place: Place): Path => [...componentPath(place), "rules"];

/** A new rule shows what it matches to everybody. */
export function addRule(document: QuizDocument, place: Place): Edit {
  const block = ruledAt(document, place);
  if (!block) return nothing;
  const value: ProductRule = { rule_key: freshKey(block), when: null, match: {}, effect: "include" };
  const changes = [{ kind: "insert" as const, path: rulesPath(place), index: block.rules.length, value }];
  return { said: "add a rule", changes };
}

export function duplicateRule(document: QuizDocument, place: Place, index: number): Edit {
  const block = ruledAt(document, place);
  const rule = block?.rules[index];
  if (!block || !rule) return nothing;
  const value = { ...rule, rule_key: freshKey(block) };
  return { said: "duplicate a rule", changes: [{ kind: "insert", path: rulesPath(place), index: index + 1, value }] };
}

export function removeRule(document: QuizDocument, place: Place, index: number): Edit {
  if (!ruledAt(document, place)?.rules[index]) return nothing;
  return { said: "remove a rule", changes: [{ kind: "remove", path: rulesPath(place), index }] };
}

export function moveRule(document: QuizDocument, place: Place, from: number, to: number): Edit {
  const rules = ruledAt(document, place)?.rules;
  if (from === to || !rules?.[from] || !rules[to]) return nothing;
  return { said: "move a rule", changes: [{ kind: "move", path: rulesPath(place), from, to }] };
}

/** A score rule needs a score; other rules have none. */
export function setEffect(document: QuizDocument, place: Place, index: number, effect: ProductRule["effect"]): Edit {
  const rule = ruledAt(document, place)?.rules[index];
  if (!rule || rule.effect === effect) return nothing;
  const { score, ...others } = rule;
  const value = effect === "score" ? { ...others, effect, score: score ?? 1 } : { ...others, effect };
  return { said: "change a rule", changes: [{ kind: "set", path: [...rulesPath(place), index], value }] };
}

/** A list that becomes empty leaves the selector, as an option without values does: an empty one would match nothing. */
export function setEntries(document: QuizDocument, path: Path, entries: readonly string[]): Edit {
  const said = "change what a rule matches";
  if (entries.length > 0) return setField(document, path, [...entries], said);
  const parent = path.slice(0, -1);
  const isOnlyOption = parent.at(-1) === "options" && Object.keys(valueAt(document, parent) ?? {}).length <= 1;
  return setField(document, isOnlyOption ? parent : path, undefined, said);
}

/** A price without a bound leaves the selector. */
export function setBound(
  document: QuizDocument,
  path: Path,
  price: ProductSelector["price"],
  bound: { min?: unknown } | { max?: unknown },
): Edit {
  const next = Object.fromEntries(Object.entries({ ...price, ...bound }).filter(([, value]) => value !== undefined));
  return setField(document, path, Object.keys(next).length === 0 ? undefined : next, "change a price");
}

function freshKey({ rules }: RuledProducts): string {
  const taken = new Set(rules.map(({ rule_key }) => rule_key));
  for (let number = 1; ; number += 1) if (!taken.has(`rule_${number}`)) return `rule_${number}`;
}
