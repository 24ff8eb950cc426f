import type { PriceBound, ProductSelector, RuledProducts } from "../../../engine/document.ts";

/** Rewrites which questions and formulas a block's price bounds read, by their keys; the same block if none changes. */
export function renamedBounds(block: RuledProducts, renamed: ReadonlyMap<string, string>): RuledProducts {
  const boundOf = (bound: PriceBound): PriceBound => {
    if (typeof bound === "string") return bound;
    if ("formula" in bound) return { formula: renamed.get(bound.formula) ?? bound.formula };
    return { component_key: renamed.get(bound.component_key) ?? bound.component_key };
  };
  const selectorOf = (selector: ProductSelector): ProductSelector => {
    const { min, max } = selector.price ?? {};
    if (min === undefined && max === undefined) return selector;
    const price = { ...(min !== undefined && { min: boundOf(min) }), ...(max !== undefined && { max: boundOf(max) }) };
    return { ...selector, price };
  };
  return {
    ...block,
    from: block.from && selectorOf(block.from),
    rules: block.rules.map((rule) => ({ ...rule, match: selectorOf(rule.match) })),
    fallback: block.fallback && { ...block.fallback, from: selectorOf(block.fallback.from) },
  };
}
