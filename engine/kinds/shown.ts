import { readCondition } from "../check-conditions.ts";
import { readRules } from "../check-product-rules.ts";
import {
  bounds,
  type ContentComponent,
  type FormulaComponent,
  type ProductPick,
  type ProductsComponent,
} from "../document.ts";
import { Fields, integerFrom, type Problems, readKey, textUpTo } from "../read.ts";
import type { KindOf } from "./kind.ts";

/** Kinds that are shown and not answered. */

export const contentKind: KindOf<ContentComponent> = {
  read: (fields) => ({ html_text: fields.text("html_text", bounds.htmlText) }),
  fresh: () => ({ html_text: "" }),
};

export const formulaKind: KindOf<FormulaComponent> = {
  read(fields) {
    const expression = fields.text("expression", bounds.expression, 1);
    return {
      label: fields.text("label", bounds.text),
      expression,
      ...fields.ifPresent("unit", textUpTo(bounds.unit)),
      ...fields.ifPresent("decimals", integerFrom({ min: 0, max: bounds.decimals })),
    };
  },
  fresh: () => ({ label: "", expression: "0" }),
};

export const productsKind: KindOf<ProductsComponent> = {
  read(fields) {
    const block_key = fields.key("block_key");
    const source = fields.oneOf("source", ["fixed", "winner", "answers", "rules"]);
    if (source === "rules") return { block_key, source, ...readRules(fields) };
    const products = fields.list("products", { min: 0, max: bounds.productsPerBlock }, readProduct, "required");
    const limit = fields.integerOr("limit", { min: 1, max: bounds.productLimit }, bounds.productLimit);
    return { block_key, source, products, limit };
  },
  fresh: (make) => ({ block_key: make.blockKey(), source: "fixed", products: [], limit: bounds.productLimit }),
};

function readProduct(value: unknown, path: string, problems: Problems): ProductPick {
  const fields = new Fields(value, path, problems);
  const product: ProductPick = {
    product_id: fields.key("product_id"),
    variant_id: fields.orNull("variant_id", readKey),
    when: fields.orNull("when", readCondition),
    dimension_id: fields.orNull("dimension_id", readKey),
  };
  fields.refuseOthers();
  return product;
}
