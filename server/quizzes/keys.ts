import type { QuizDetail } from "../../contract/quizzes.ts";
import type { QuizDocument } from "../../engine/document.ts";
import { type KeyKind, keyKinds } from "../../engine/key-kinds.ts";
import { type Fields, fieldsOf, keyed, text } from "./read-draft.ts";

/** A quiz's keys besides those on its pages [quizzes.removed-keys], including those of earlier versions. Pure. */

export type Keys = Pick<QuizDetail, "jump_rules" | "dimensions" | "formulas">;

/** The keys of all versions up to one, each thing as in the newest version that had it. */
export interface EarlierKeys extends Keys {
  kinds: KeyKind[];
}

export const noKeys: EarlierKeys = { jump_rules: [], dimensions: [], formulas: [], kinds: [] };

/** A document's own keys; works on drafts, which may be invalid. */
export function keysOf(document: unknown): Keys {
  const { pages, jump_rules, dimensions } = fieldsOf(document);
  return {
    jump_rules: keyed(jump_rules, "jump_rule_key").map((rule) => ({
      jump_rule_key: text(rule["jump_rule_key"]),
      source_page_key: text(rule["source_page_key"]),
      target_page_key: text(rule["target_page_key"]),
      removed: false,
    })),
    dimensions: keyed(dimensions, "dimension_id").map((dimension) => ({
      dimension_id: text(dimension["dimension_id"]),
      name: text(dimension["name"]),
      removed: false,
    })),
    formulas: keyed(pages, "page_key").flatMap((page) => formulasOf(page)),
  };
}

const formulasOf = (page: Fields): Keys["formulas"] =>
  keyed(page["components"], "component_key")
    .filter((component) => component["kind"] === "formula")
    .map((formula) => ({
      component_key: text(formula["component_key"]),
      page_key: text(page["page_key"]),
      label: text(formula["label"]),
      removed: false,
    }));

/**
 * A document's keys, followed by those that only earlier versions had, marked as removed: the most recently removed
 * first.
 */
export const withRemovedKeys = (current: Keys, earlier: Keys): Keys => ({
  jump_rules: joined(current.jump_rules, earlier.jump_rules, (rule) => rule.jump_rule_key),
  dimensions: joined(current.dimensions, earlier.dimensions, (dimension) => dimension.dimension_id),
  formulas: joined(current.formulas, earlier.formulas, (formula) => formula.component_key),
});

function joined<Thing extends { removed: boolean }>(
  current: readonly Thing[],
  earlier: readonly Thing[],
  keyOf: (thing: Thing) => string,
): Thing[] {
  const present = new Set(current.map(keyOf));
  return [
    ...current,
    ...earlier.filter((thing) => !present.has(keyOf(thing))).map((thing) => ({ ...thing, removed: true })),
  ];
}

/** The keys of all versions up to a saved one, from that version and the result for those before it. */
export const keysUpTo = (document: QuizDocument, earlier: EarlierKeys): EarlierKeys => ({
  ...withRemovedKeys(keysOf(document), earlier),
  kinds: keyKinds(document, earlier.kinds),
});
