import type { Quiz } from "./quiz.ts";

/**
 * Numbers a quiz's keys by their position in the document, each kind from 0. Code that has the version can store a key
 * as its number, and read it back.
 */
export interface Numbering {
  /** by page_key */
  pages: ReadonlyMap<string, number>;
  /** by component_key */
  questions: ReadonlyMap<string, number>;
  /** for choice and image questions, by component_key: by option_id, within the question */
  options: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** by component_key */
  formulas: ReadonlyMap<string, number>;
  /** by dimension_id */
  dimensions: ReadonlyMap<string, number>;
  /** by jump_rule_key */
  rules: ReadonlyMap<string, number>;
  /** by block_key */
  blocks: ReadonlyMap<string, number>;
}

const made = new WeakMap<Quiz, Numbering>();

export function numberingOf(quiz: Quiz): Numbering {
  const known = made.get(quiz);
  if (known) return known;
  const numbering: Numbering = {
    pages: numbered(quiz.pages.keys()),
    questions: numbered(quiz.questions.keys()),
    options: new Map(Array.from(quiz.questions, ([key, { options }]) => [key, numbered(options.keys())])),
    formulas: numbered(quiz.formulas.keys()),
    dimensions: numbered(quiz.document.dimensions.map((dimension) => dimension.dimension_id)),
    rules: numbered(quiz.document.jump_rules.map((rule) => rule.jump_rule_key)),
    blocks: numbered(quiz.blocks.keys()),
  };
  made.set(quiz, numbering);
  return numbering;
}

const numbered = (keys: Iterable<string>): Map<string, number> =>
  new Map(Array.from(keys, (key, index) => [key, index]));
