import type { JumpRule, ProductPick, QuizDocument } from "../../../engine/document.ts";
import { isChoice } from "../../../engine/kinds/value.ts";
import { picksOf } from "../../../engine/quiz.ts";
import type { Change } from "./change.ts";
import { choiceAt, componentAt, componentPath, type Place, setField } from "./edits.ts";
import { freshDimension, freshPick, freshRule } from "./fresh.ts";
import type { Edit } from "./history.ts";
import type { Keys } from "./keys.ts";

/** Edits of the quiz's logic: jumps, points, results, products, properties. */

const nothing: Edit = { said: "", changes: [] };

type Lists = "jump_rules" | "dimensions" | "property_mappings";

export function moveEntry(document: QuizDocument, name: Lists, from: number, to: number): Edit {
  if (from === to || !document[name][from] || !document[name][to]) return nothing;
  return { said: "change an order", changes: [{ kind: "move", path: [name], from, to }] };
}

/** Adds a jump that skips the next page, because the quiz goes to the next page anyway. */
export function addJump(document: QuizDocument, keys: Keys, source: string): Edit {
  const at = document.pages.findIndex(({ page_key }) => page_key === source);
  const target = document.pages[at + 2] ?? document.pages[at + 1] ?? document.pages[at];
  if (at === -1 || !target) return nothing;
  const value = freshRule(keys, source, target.page_key);
  return {
    said: "add a jump",
    changes: [{ kind: "insert", path: ["jump_rules"], index: document.jump_rules.length, value }],
  };
}

export function removeJump(document: QuizDocument, index: number): Edit {
  return document.jump_rules[index]
    ? { said: "remove a jump", changes: [{ kind: "remove", path: ["jump_rules"], index }] }
    : nothing;
}

/** Inserts a copy of a jump right after it, because the order of jumps matters. */
export function duplicateJump(document: QuizDocument, keys: Keys, index: number): Edit {
  const rule = document.jump_rules[index];
  if (!rule) return nothing;
  const value = { ...rule, jump_rule_key: keys.rule() };
  return { said: "duplicate a jump", changes: [{ kind: "insert", path: ["jump_rules"], index: index + 1, value }] };
}

export const setJump = (document: QuizDocument, index: number, field: keyof JumpRule, value: unknown): Edit =>
  setField(document, ["jump_rules", index, field], value, "change a jump");

export function addDimension(document: QuizDocument, keys: Keys, name = ""): Edit {
  const value = freshDimension(keys, name);
  return {
    said: "add a result",
    changes: [{ kind: "insert", path: ["dimensions"], index: document.dimensions.length, value }],
  };
}

/** Also removes all points for it, and the restriction of products to it: those are then shown to everybody. */
export function removeDimension(document: QuizDocument, index: number): Edit {
  const id = document.dimensions[index]?.dimension_id;
  if (id === undefined) return nothing;
  const changes: Change[] = [{ kind: "remove", path: ["dimensions"], index }];
  for (const [page, { components }] of document.pages.entries()) {
    for (const [component, found] of components.entries()) {
      const path = componentPath({ page, component });
      if (isChoice(found)) {
        for (const [option, { points }] of found.options.entries()) {
          if (Object.hasOwn(points, id))
            changes.push({ kind: "set", path: [...path, "options", option, "points", id], value: undefined });
        }
      }
      if (found.kind !== "products") continue;
      for (const [pick, { dimension_id }] of picksOf(found).entries()) {
        if (dimension_id === id)
          changes.push({ kind: "set", path: [...path, "products", pick, "dimension_id"], value: null });
      }
    }
  }
  return { said: "remove a result", changes };
}

/** The points that an option gives to one dimension. */
export interface Cell {
  place: Place;
  option: number;
  dimension_id: string;
  points: number;
}

/** Zero points are removed from the document. Several cells, such as pasted ones, are one edit. */
export function setPoints(document: QuizDocument, cells: readonly Cell[]): Edit {
  const changes = cells.flatMap(({ place, option, dimension_id, points }): Change[] => {
    const known = choiceAt(document, place)?.options[option]?.points;
    if (!known || (known[dimension_id] ?? 0) === points) return [];
    const value = points === 0 ? undefined : points;
    return [{ kind: "set", path: [...componentPath(place), "options", option, "points", dimension_id], value }];
  });
  const [only] = cells;
  const joins =
    cells.length === 1 && only
      ? { joins: `points ${JSON.stringify([only.place, only.option, only.dimension_id])}` }
      : {};
  return { said: "change points", changes, ...joins };
}

export function addPicks(
  document: QuizDocument,
  place: Place,
  products: readonly { product_id: string; variant_id: string | null }[],
): Edit {
  const block = componentAt(document, place);
  if (block?.kind !== "products" || block.source === "rules") return nothing;
  const changes = products.map(
    ({ product_id, variant_id }, index): Change => ({
      kind: "insert",
      path: [...componentPath(place), "products"],
      index: block.products.length + index,
      value: freshPick(product_id, variant_id),
    }),
  );
  return { said: products.length === 1 ? "add a product" : "add products", changes };
}

export function removePick(document: QuizDocument, place: Place, index: number): Edit {
  const block = componentAt(document, place);
  if (block?.kind !== "products" || !picksOf(block)[index]) return nothing;
  return {
    said: "remove a product",
    changes: [{ kind: "remove", path: [...componentPath(place), "products"], index }],
  };
}

export function movePick(document: QuizDocument, place: Place, from: number, to: number): Edit {
  const block = componentAt(document, place);
  if (block?.kind !== "products" || from === to || !picksOf(block)[from] || !picksOf(block)[to]) return nothing;
  return { said: "move a product", changes: [{ kind: "move", path: [...componentPath(place), "products"], from, to }] };
}

export const setPick = (
  document: QuizDocument,
  place: Place,
  index: number,
  field: keyof ProductPick,
  value: unknown,
): Edit => setField(document, [...componentPath(place), "products", index, field], value, "change a product");

export function addMapping(document: QuizDocument, component_key: string, property_name: string): Edit {
  const value = { component_key, property_name };
  const index = document.property_mappings.length;
  return { said: "add a property", changes: [{ kind: "insert", path: ["property_mappings"], index, value }] };
}

export function removeMapping(document: QuizDocument, index: number): Edit {
  if (!document.property_mappings[index]) return nothing;
  return { said: "remove a property", changes: [{ kind: "remove", path: ["property_mappings"], index }] };
}

/** Sets the value stored for an option; an empty text means the option's label. */
export function setMappingValue(document: QuizDocument, index: number, option_id: string, value: string): Edit {
  const path = ["property_mappings", index, "option_values", option_id];
  return setField(document, path, value === "" ? undefined : value, "change a property");
}
