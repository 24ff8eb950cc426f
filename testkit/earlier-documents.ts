import type { Condition } from "../engine/document.ts";

/**
 * Random documents in the form of the release before outcomes. Self-contained and frozen: their results are recorded,
 * and a document that is stored somewhere must never give other ones [engine.same-results].
 */

/** Whole numbers from 0 up to a bound, without it. */
export type Draw = (below: number) => number;

/** A generator that a seed determines (mulberry32). */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const oneOf = <Value>(draw: Draw, values: readonly Value[]): Value => {
  const value = values[draw(values.length)];
  if (value === undefined) throw new Error("nothing to choose from");
  return value;
};
const some = <Value>(draw: Draw, values: readonly Value[]): Value[] => {
  const chosen = values.filter(() => draw(2) === 0);
  return chosen.length === 0 ? [oneOf(draw, values)] : chosen;
};
const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

type Kind = "choice" | "image" | "text" | "email" | "phone" | "number" | "date" | "content";
interface Asked {
  component_key: string;
  kind: Kind;
  option_ids: string[];
}

const kinds = [
  "choice",
  "choice",
  "choice",
  "image",
  "number",
  "number",
  "text",
  "email",
  "phone",
  "date",
  "content",
] as const;
const styles = ["q_", "q-", "q ü", "q."];
const points = [0, 0, 1, 2, 3, -1, -2.5, 0.1, 0.2, 1.7];
const days = ["1999-12-31", "2024-02-29", "2026-03-02", "2026-11-30", "2040-01-01"];

function componentOf(draw: Draw, component_key: string, kind: Kind, dimension_ids: readonly string[]): object {
  const question = { kind, component_key, question: `Question ${component_key}?`, required: draw(3) === 0 };
  switch (kind) {
    case "choice":
    case "image": {
      const options = many(1 + draw(4), (index) => ({
        option_id: `${component_key}:${index + 1}`,
        label: `Option ${index + 1}`,
        image_url: draw(4) === 0 ? "https://img.example/a.png" : null,
        points: Object.fromEntries(dimension_ids.filter(() => draw(3) > 0).map((id) => [id, oneOf(draw, points)])),
      }));
      return { ...question, multiple: draw(2) === 0, options };
    }
    case "number": {
      const min = draw(2) === 0 ? null : draw(20) - 10;
      const max = draw(2) === 0 ? null : (min ?? 0) + draw(40);
      return {
        ...question,
        min,
        max,
        step: oneOf(draw, [0.1, 0.5, 1, 5]),
        unit: oneOf(draw, [null, "cm"]),
        style: "field",
      };
    }
    case "date":
      return { ...question, with_time: draw(2) === 0 };
    case "text":
      return { ...question, max_length: 40 };
    case "content":
      return { kind, component_key, html_text: "<p>Some text</p>" };
    default:
      return { ...question, consent: draw(2) === 0 ? { label: "Yes", required: draw(2) === 0 } : null };
  }
}

function leafOn(draw: Draw, { component_key, kind, option_ids }: Asked): Condition {
  const presence = { component_key, op: oneOf(draw, ["answered", "not_answered"] as const) };
  if (draw(5) === 0) return presence;
  if (kind === "choice" || kind === "image") {
    if (draw(4) === 0) return { component_key, op: "eq", value: oneOf(draw, option_ids) };
    return { component_key, op: oneOf(draw, ["in", "not_in"] as const), option_ids: some(draw, option_ids) };
  }
  if (kind === "text") return { component_key, op: "eq", value: oneOf(draw, ["short", "other"]) };
  if (kind !== "number" && kind !== "date") return presence;
  const operand = (): number | string => (kind === "number" ? draw(60) - 15 : oneOf(draw, days));
  const [one, other] = [operand(), operand()];
  if (draw(3) === 0) {
    const [min, max] = one <= other ? [one, other] : [other, one];
    return { component_key, op: "between", min, max };
  }
  return { component_key, op: oneOf(draw, ["eq", "lt", "gt"] as const), value: one };
}

function conditionOn(draw: Draw, asked: readonly Asked[], depth = 0): Condition {
  const kind = depth > 3 ? 0 : draw(8);
  const inner = (count: number) => many(count, () => conditionOn(draw, asked, depth + 1));
  if (kind === 5) return { all: inner(draw(3)) };
  if (kind === 6) return { any: inner(draw(3)) };
  if (kind === 7) return { not: conditionOn(draw, asked, depth + 1) };
  return asked.length === 0 ? { all: [] } : leafOn(draw, oneOf(draw, asked));
}

function expressionOf(draw: Draw, names: readonly string[], depth = 0): string {
  const kind = depth > 2 ? draw(2) : draw(7);
  const inner = (): string => expressionOf(draw, names, depth + 1);
  if (kind === 0 || (kind === 1 && names.length === 0)) return String(draw(40) / 4);
  if (kind === 1) return `{${oneOf(draw, names)}}`;
  if (kind === 2) return `${oneOf(draw, ["min", "max"])}(${inner()}, ${inner()})`;
  if (kind === 3) return `${oneOf(draw, ["round", "floor", "ceil", "abs", "-"])}(${inner()})`;
  if (kind === 4) return `if(${inner()} ${oneOf(draw, ["<", "<=", ">", ">=", "==", "!="])} ${inner()}, ${inner()}, 2)`;
  return `(${inner()} ${oneOf(draw, ["+", "-", "*", "/"])} ${inner()})`;
}

function blockOf(draw: Draw, asked: readonly Asked[], dimension_ids: readonly string[], block_key: string): object {
  const products = many(draw(5), () => ({
    product_id: `gid://shopify/Product/${1 + draw(4)}`,
    variant_id: oneOf(draw, [null, "gid://shopify/ProductVariant/1"]),
    when: draw(2) === 0 ? null : conditionOn(draw, asked),
    dimension_id: oneOf(draw, [null, ...dimension_ids]),
  }));
  return {
    kind: "products",
    block_key,
    source: oneOf(draw, ["fixed", "winner", "answers"]),
    products,
    limit: 1 + draw(5),
  };
}

/** A valid document of one to six pages, with conditions and jumps in every direction, circles among them. */
export function earlierDocument(draw: Draw): object {
  const dimensions = ["dry", "oily skin", "mixed"].slice(0, draw(4)).map((dimension_id) => ({
    dimension_id,
    name: `Name of ${dimension_id}`,
  }));
  const dimension_ids = dimensions.map(({ dimension_id }) => dimension_id);
  const style = oneOf(draw, styles);
  const bare = many(1 + draw(6), (page) =>
    many(draw(4), (place) => componentOf(draw, `${style}${page}_${place}`, oneOf(draw, kinds), dimension_ids)),
  );
  const asked = (bare.flat() as (Asked & { options?: { option_id: string }[] })[])
    .filter(({ kind }) => kind !== "content")
    .map(({ component_key, kind, options = [] }) => ({
      component_key,
      kind,
      option_ids: options.map(({ option_id }) => option_id),
    }));
  const numbers = asked.filter(({ kind }) => kind === "number").map(({ component_key }) => component_key);
  const pages = bare.map((components, index) => ({
    page_key: `page_${index + 1}`,
    title: `Page ${index + 1}`,
    kind: oneOf(draw, ["question", "question", "question", "content", "result"]),
    skippable: draw(4) === 0,
    visible_when: draw(2) === 0 ? null : conditionOn(draw, asked),
    components: [
      ...components,
      ...(draw(3) === 0
        ? [
            {
              kind: "formula",
              component_key: `f_${index + 1}`,
              label: "Sum",
              expression: expressionOf(draw, [...numbers, ...dimension_ids]),
            },
          ]
        : []),
      ...(draw(3) === 0 ? [blockOf(draw, asked, dimension_ids, `block_${index + 1}`)] : []),
    ],
  }));
  const page_key = (): string => `page_${1 + draw(pages.length)}`;
  const jump_rules = many(draw(4), (index) => ({
    jump_rule_key: `rule_${index + 1}`,
    source_page_key: page_key(),
    when: conditionOn(draw, asked),
    target_page_key: page_key(),
  }));
  return { pages, jump_rules, dimensions, property_mappings: [] };
}
