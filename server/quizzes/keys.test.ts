import fc from "fast-check";
import { expect, it } from "vitest";
import type { QuizDocument } from "../../engine/document.ts";
import { definitionOf } from "./definition.ts";
import { keysUpTo, noKeys } from "./keys.ts";

const fewKeys = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "__proto__"), { maxLength: 4 });

/** Documents that have some of a few rules, dimensions and formulas each, called after their version. */
const arbitraryVersions = fc
  .array(fc.record({ rules: fewKeys, dimensions: fewKeys, formulas: fewKeys }), { minLength: 1, maxLength: 7 })
  .map((versions) =>
    versions.map(({ rules, dimensions, formulas }, number): QuizDocument => {
      const page = {
        page_key: `page ${number}`,
        title: "",
        kind: "content",
        skippable: false,
        visible_when: null,
      } as const;
      const formula = { kind: "formula", label: `Formula of ${number}`, expression: "1" } as const;
      return {
        pages: [{ ...page, components: formulas.map((component_key) => ({ ...formula, component_key })) }],
        jump_rules: rules.map((key) => ({
          ...{ jump_rule_key: key, source_page_key: page.page_key, when: { all: [] }, target_page_key: page.page_key },
        })),
        dimensions: dimensions.map((dimension_id) => ({ dimension_id, name: `Name of ${number}` })),
        property_mappings: [],
      };
    }),
  );

/**
 * Every key by asking each version, the newest first: slow and plain. What the live version has is called as it calls
 * it.
 */
function naive(versions: readonly QuizDocument[], live: QuizDocument) {
  const told = new Map<string, string>();
  for (const document of [live, ...versions.toReversed()]) {
    const say = (sort: string, key: string, words: string) => {
      const known = `${sort} ${key}`;
      if (!told.has(known)) told.set(known, `${words}, ${document === live ? "present" : "removed"}`);
    };
    for (const { jump_rule_key: key, source_page_key: page } of document.jump_rules) say("rule", key, page);
    for (const { dimension_id: key, name } of document.dimensions) say("dimension", key, name);
    for (const component of document.pages.flatMap((page) => page.components)) {
      if (component.kind === "formula") say("formula", component.component_key, component.label);
    }
  }
  return [...told].map(([key, words]) => `${key}: ${words}`).sort();
}

it("lists every rule, dimension and formula that any version had, whichever is live, as the newest had it [quizzes.removed-keys]", () => {
  fc.assert(
    fc.property(arbitraryVersions, fc.nat(), (versions, pick) => {
      const live = versions[pick % versions.length]!;
      const keys = versions.reduce((earlier, document) => keysUpTo(document, earlier), noKeys);
      const kept = JSON.parse(JSON.stringify(keys)) as typeof keys;
      const { jump_rules, dimensions, formulas } = definitionOf(live, { pages: [], keys: kept });
      const state = (removed: boolean) => (removed ? "removed" : "present");
      const listed = [
        ...jump_rules.map((each) => `rule ${each.jump_rule_key}: ${each.source_page_key}, ${state(each.removed)}`),
        ...dimensions.map((each) => `dimension ${each.dimension_id}: ${each.name}, ${state(each.removed)}`),
        ...formulas.map((each) => `formula ${each.component_key}: ${each.label}, ${state(each.removed)}`),
      ];
      expect(listed.sort()).toEqual(naive(versions, live));
    }),
    { numRuns: 300 },
  );
});
