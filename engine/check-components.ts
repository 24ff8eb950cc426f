import { readImage } from "./addresses.ts";
import { readCondition } from "./check-conditions.ts";
import { readRules } from "./check-product-rules.ts";
import {
  bounds,
  type ChoiceOption,
  type Component,
  type ConsentBox,
  type NumberComponent,
  type ProductPick,
  type ProductsComponent,
} from "./document.ts";
import { Fields, type Problems, readKey, readNumber, textUpTo } from "./read.ts";

const kinds = [
  "choice",
  "image",
  "text",
  "email",
  "phone",
  "number",
  "date",
  "formula",
  "content",
  "products",
] as const;

/** Reads one component of a page. */
export function readComponent(value: unknown, path: string, problems: Problems): Component {
  const fields = new Fields(value, path, problems);
  const before = problems.list.length;
  const kind = fields.oneOf("kind", kinds);
  // Without a known kind, the other fields cannot be checked.
  if (problems.list.length > before) return { kind: "content", component_key: "", html_text: "" };
  const component = { ...readKind(fields, kind), ...fields.ifPresent("visible_when", readCondition) };
  fields.refuseOthers();
  return component;
}

function readKind(fields: Fields, kind: Component["kind"]): Component {
  switch (kind) {
    case "choice":
    case "image":
      return {
        kind,
        ...readQuestion(fields),
        multiple: fields.flag("multiple"),
        options: fields.list("options", { min: 0, max: bounds.options }, readOption, "required"),
      };
    case "text": {
      const range = { min: 1, max: bounds.maxLength };
      return {
        kind,
        ...readQuestion(fields),
        max_length: fields.integerOr("max_length", range, bounds.defaultMaxLength),
      };
    }
    case "email":
    case "phone":
      return { kind, ...readQuestion(fields), consent: fields.orNull("consent", readConsent) };
    case "number":
      return { kind, ...readQuestion(fields), ...readNumberFields(fields) };
    case "date":
      return { kind, ...readQuestion(fields), with_time: fields.flag("with_time") };
    case "formula": {
      const component_key = fields.key("component_key");
      const expression = fields.text("expression", bounds.expression, 1);
      return { kind, component_key, label: fields.text("label", bounds.text), expression };
    }
    case "content":
      return { kind, component_key: fields.key("component_key"), html_text: fields.text("html_text", bounds.htmlText) };
    case "products":
      return readBlock(fields);
  }
}

function readQuestion(fields: Fields): { component_key: string; question: string; required: boolean } {
  return {
    component_key: fields.key("component_key"),
    question: fields.text("question", bounds.text),
    required: fields.flag("required"),
  };
}

function readNumberFields(fields: Fields): Pick<NumberComponent, "min" | "max" | "step" | "unit" | "style"> {
  const range = { min: -bounds.number, max: bounds.number };
  const min = fields.numberOr("min", range, null);
  const max = fields.numberOr("max", range, null);
  const step = fields.numberOr("step", { min: bounds.minStep, max: bounds.number }, 1);
  if (min !== null && max !== null && min > max) fields.problems.add(fields.at("min"), "is above max");
  const unit = fields.textOrNull("unit", bounds.unit);
  return { min, max, step, unit, style: fields.oneOf("style", ["field", "slider"], "field") };
}

function readOption(value: unknown, path: string, problems: Problems): ChoiceOption {
  const fields = new Fields(value, path, problems);
  const option: ChoiceOption = {
    option_id: fields.key("option_id"),
    label: fields.text("label", bounds.text),
    image_url: fields.orNull("image_url", readImage),
    ...fields.ifPresent("image_alt", textUpTo(bounds.text)),
    points: fields.map("points", bounds.dimensions, (entry, at) =>
      readNumber(entry, at, problems, { min: -bounds.points, max: bounds.points }),
    ),
  };
  fields.refuseOthers();
  return option;
}

function readConsent(value: unknown, path: string, problems: Problems): ConsentBox {
  const fields = new Fields(value, path, problems);
  const consent = { label: fields.text("label", bounds.text), required: fields.flag("required") };
  fields.refuseOthers();
  return consent;
}

function readBlock(fields: Fields): ProductsComponent {
  const block_key = fields.key("block_key");
  const source = fields.oneOf("source", ["fixed", "winner", "answers", "rules"]);
  if (source === "rules") return { kind: "products", block_key, source, ...readRules(fields) };
  const products = fields.list("products", { min: 0, max: bounds.productsPerBlock }, readProduct, "required");
  const limit = fields.integerOr("limit", { min: 1, max: bounds.productLimit }, bounds.productLimit);
  return { kind: "products", block_key, source, products, limit };
}

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
