import { type ConditionKeys, checkCondition, readCondition } from "./check-conditions.ts";
import {
  bounds,
  type Component,
  type PriceBound,
  type ProductRule,
  type ProductSelector,
  productOrders,
  type RuledProducts,
} from "./document.ts";
import { Fields, type Problems, readNumber, readText } from "./read.ts";

/** Checks blocks that rules fill [quiz-documents.product-rules]. */

/** Reads what a block with rules has beside its key. */
export function readRules(fields: Fields): Omit<RuledProducts, "kind" | "block_key" | "source"> {
  const limit = { min: 1, max: bounds.ruledProducts };
  const score = { min: -bounds.productRules * bounds.ruleScore, max: bounds.productRules * bounds.ruleScore };
  return {
    from: fields.orNull("from", readSelector),
    rules: fields.list("rules", { min: 0, max: bounds.productRules }, readRule, "optional"),
    min_score: fields.numberOr("min_score", score, null),
    order: fields.oneOf("order", productOrders, "score"),
    one_per: fields.orNull("one_per", readGroup),
    limit: fields.integerOr("limit", limit, bounds.ruledProducts),
    sold_out: fields.oneOf("sold_out", ["hide", "last", "show"], "hide"),
    min_stock: fields.orNull("min_stock", readStock),
    fallback: fields.orNull("fallback", readFallback),
    unit: fields.oneOf("unit", ["product", "variant"], "product"),
  };
}

function readGroup(value: unknown, path: string, problems: Problems): "product_type" | "vendor" {
  if (value !== "product_type" && value !== "vendor") problems.add(path, "must be one of product_type, vendor");
  return value === "vendor" ? value : "product_type";
}

function readStock(value: unknown, path: string, problems: Problems): number {
  const stock = readNumber(value, path, problems, { min: 0, max: bounds.points });
  if (!Number.isInteger(stock)) problems.add(path, "must be a whole number");
  return stock;
}

function readFallback(value: unknown, path: string, problems: Problems): { from: ProductSelector; limit: number } {
  const fields = new Fields(value, path, problems);
  const from = readSelector(fields.any("from"), fields.at("from"), problems);
  const limit = fields.integerOr("limit", { min: 1, max: bounds.ruledProducts }, bounds.ruledProducts);
  fields.refuseOthers();
  return { from, limit };
}

function readRule(value: unknown, path: string, problems: Problems): ProductRule {
  const fields = new Fields(value, path, problems);
  const rule = {
    rule_key: fields.key("rule_key"),
    when: fields.orNull("when", readCondition),
    match: readSelector(fields.any("match"), fields.at("match"), problems),
    effect: fields.oneOf("effect", ["include", "exclude", "score"]),
  };
  const score = fields.numberOr("score", { min: -bounds.ruleScore, max: bounds.ruleScore }, null);
  if (rule.effect === "score" && score === null) problems.add(fields.at("score"), "is missing");
  fields.refuseOthers();
  return score === null ? rule : { ...rule, score };
}

const lists = [
  "product_ids",
  "tags_any",
  "tags_all",
  "tags_none",
  "vendors",
  "product_types",
  "collections",
] as const satisfies readonly (keyof ProductSelector)[];

const some = { min: 1, max: bounds.selected };

function readSelector(value: unknown, path: string, problems: Problems): ProductSelector {
  const fields = new Fields(value, path, problems);
  const selector: ProductSelector = {};
  for (const name of lists) {
    const entries = fields.filled(name, (list, at) => readEntries(list, at, problems));
    Object.assign(selector, entries);
  }
  Object.assign(selector, fields.filled("price", readPrice), fields.filled("options", readOptions));
  fields.refuseOthers();
  return selector;
}

/** A list of texts that is not empty: an empty one would match nothing. */
function readEntries(list: unknown, path: string, problems: Problems): string[] {
  if (!Array.isArray(list) || list.length < some.min || list.length > some.max) {
    problems.add(path, `must be a list of ${some.min} to ${some.max} entries`);
    return [];
  }
  return list.map((entry: unknown, index) => readKeyed(entry, `${path}.${index}`, problems));
}

const readKeyed = (entry: unknown, path: string, problems: Problems): string =>
  readText(entry, path, problems, { min: 1, max: 255 });

function readOptions(value: unknown, path: string, problems: Problems): Record<string, string[]> {
  const [parent, name] = [path.slice(0, path.lastIndexOf(".")), path.slice(path.lastIndexOf(".") + 1)];
  const fields = new Fields({ [name]: value }, parent, problems);
  const options = fields.map(name, bounds.selectedOptions, (list, at) => readEntries(list, at, problems));
  if (Object.keys(options).length === 0) problems.add(path, "must have an option");
  return options;
}

function readPrice(value: unknown, path: string, problems: Problems): { min?: PriceBound; max?: PriceBound } {
  const fields = new Fields(value, path, problems);
  const price = { ...fields.filled("min", readBound), ...fields.filled("max", readBound) };
  fields.refuseOthers();
  const { min, max } = price;
  if (min === undefined && max === undefined) problems.add(path, "must have min or max");
  if (typeof min === "string" && typeof max === "string" && Number(min) > Number(max))
    problems.add(fields.at("min"), "is above max");
  return price;
}

const decimalForm = /^\d{1,15}(\.\d{1,6})?$/;

function readBound(value: unknown, path: string, problems: Problems): PriceBound {
  if (typeof value === "string") {
    if (!decimalForm.test(value)) problems.add(path, 'must be a decimal number, such as "24.50"');
    return value;
  }
  const fields = new Fields(value, path, problems);
  const bound = fields.has("formula")
    ? { formula: fields.key("formula") }
    : { component_key: fields.key("component_key") };
  fields.refuseOthers();
  return bound;
}

/** Checks a block's references: each rule's key once, what conditions ask about, and questions and formulas of prices. */
export function checkRules(block: RuledProducts, path: string, named: ConditionKeys, problems: Problems): void {
  const keys = new Set<string>();
  const check = (selector: ProductSelector | null, at: string) => checkPrice(selector, at, named.components, problems);
  check(block.from, `${path}.from`);
  check(block.fallback?.from ?? null, `${path}.fallback.from`);
  for (const [index, { rule_key, when, match }] of block.rules.entries()) {
    const at = `${path}.rules.${index}`;
    if (keys.has(rule_key)) problems.add(`${at}.rule_key`, "occurs twice", "duplicate_key");
    keys.add(rule_key);
    if (when !== null) checkCondition(when, `${at}.when`, named, problems);
    check(match, `${at}.match`);
  }
}

function checkPrice(
  selector: ProductSelector | null,
  path: string,
  components: ReadonlyMap<string, Component>,
  problems: Problems,
): void {
  for (const name of ["min", "max"] as const) {
    const bound = selector?.price?.[name];
    if (bound === undefined || typeof bound === "string") continue;
    const [key, field, kind] =
      "formula" in bound
        ? ([bound.formula, "formula", "formula"] as const)
        : ([bound.component_key, "component_key", "number"] as const);
    if (components.get(key)?.kind === kind) continue;
    const message = kind === "number" ? "names no number question of the document" : "names no formula of the document";
    problems.add(`${path}.price.${name}.${field}`, message, "unknown_reference");
  }
}
