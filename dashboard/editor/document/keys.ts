import type { QuizDocument } from "../../../engine/document.ts";

/** Makes keys for new things. It never reuses a key that the draft or any version had, for any kind of thing. */
export interface Keys {
  page(): string;
  component(kind: string): string;
  block(): string;
  option(): string;
  dimension(): string;
  rule(): string;
}

/**
 * @param earlier keys of the quiz's versions
 * @param random between 0 and 1; the versions' keys do not include option ids, so randomness keeps those distinct
 */
export function keysFor(document: QuizDocument, earlier: readonly string[], random: () => number): Keys {
  const taken = new Set([...earlier, ...keysOf(document)]);
  const numbered = (stem: string): string => {
    for (let number = 1; ; number += 1) {
      const key = `${stem}_${number}`;
      if (taken.has(key)) continue;
      taken.add(key);
      return key;
    }
  };
  return {
    page: () => numbered("page"),
    component: (kind) => numbered(kind),
    block: () => numbered("products"),
    option: () =>
      `option_${Math.floor(random() * 36 ** 6)
        .toString(36)
        .padStart(6, "0")}`,
    dimension: () => numbered("result"),
    rule: () => numbered("jump"),
  };
}

function* keysOf({ pages, jump_rules, dimensions }: QuizDocument): Generator<string> {
  for (const page of pages) {
    yield page.page_key;
    for (const component of page.components) {
      yield component.kind === "products" ? component.block_key : component.component_key;
    }
  }
  for (const rule of jump_rules) yield rule.jump_rule_key;
  for (const dimension of dimensions) yield dimension.dimension_id;
}
