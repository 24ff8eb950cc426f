import fc from "fast-check";
import { circles } from "../engine/check-circles.ts";
import type { Compared, Component, Condition, OutcomeLeaf, Page, QuizDocument } from "../engine/document.ts";
import { arbitraryDocument } from "./documents.ts";

/** Documents whose conditions follow points, winners and formulas, and whose components have conditions. */

const number = fc.integer({ min: -8, max: 12 }).map((half) => half / 2);
const compared: fc.Arbitrary<Compared> = fc.oneof(
  fc.record({ op: fc.constantFrom("eq" as const, "lt" as const, "gt" as const), value: number }),
  fc.tuple(number, number).map(([one, other]) => {
    return { op: "between" as const, min: Math.min(one, other), max: Math.max(one, other) };
  }),
);

function leaves({ pages, dimensions }: QuizDocument): fc.Arbitrary<OutcomeLeaf>[] {
  const ids = dimensions.map(({ dimension_id }) => dimension_id);
  const components = pages.flatMap((page) => page.components);
  const formulas = components.flatMap((each) => (each.kind === "formula" ? [each.component_key] : []));
  const points = fc
    .tuple(fc.constantFrom(null, ...ids), compared)
    .map(([dimension_id, test]): OutcomeLeaf => ({ kind: "points", dimension_id, ...test }));
  const found = [points];
  if (ids.length > 0) found.push(winners(ids));
  if (formulas.length > 0) found.push(formulasOf(formulas));
  return found;
}

const winners = (ids: readonly string[]): fc.Arbitrary<OutcomeLeaf> =>
  fc
    .record({
      op: fc.constantFrom("in" as const, "not_in" as const),
      dimension_ids: fc.subarray([...ids], { minLength: 1 }),
      rank: fc.integer({ min: 0, max: 4 }),
    })
    .map(({ op, dimension_ids, rank }) => ({ kind: "winner", op, dimension_ids, ...(rank === 0 ? {} : { rank }) }));

const presence = fc.constantFrom("answered" as const, "not_answered" as const).map((op) => ({ op }));
const formulasOf = (keys: readonly string[]): fc.Arbitrary<OutcomeLeaf> =>
  fc
    .tuple(fc.constantFrom(...keys), fc.oneof(compared, presence))
    .map(([component_key, test]): OutcomeLeaf => ({ kind: "formula", component_key, ...test }));

/** Mixes a condition on totals with what was there. */
function mixed(before: Condition | null, leaf: OutcomeLeaf | null, how: number): Condition | null {
  if (leaf === null) return before;
  if (before === null || how === 0) return how === 1 ? { not: leaf } : leaf;
  return how === 1 ? { any: [before, leaf] } : { all: [before, leaf] };
}

/** Circles among them. */
function anyOutcomeDocument(): fc.Arbitrary<QuizDocument> {
  return arbitraryDocument().chain((document) => {
    const leaf = fc.option(fc.oneof(...leaves(document)), { freq: 1 });
    const rare = fc.option(fc.oneof(...leaves(document)), { freq: 2 });
    const asked = conditionsOf(document);
    const own = asked.length === 0 ? fc.constant(null) : fc.option(fc.constantFrom(...asked), { freq: 1 });
    const how = fc.integer({ min: 0, max: 2 });
    const pageParts = fc.record({ leaf: rare, how });
    const componentParts = fc.record({ leaf: rare, own, how });
    const components = document.pages.flatMap((page) => page.components);
    return fc
      .record({
        pages: fc.array(pageParts, { minLength: document.pages.length, maxLength: document.pages.length }),
        components: fc.array(componentParts, { minLength: components.length, maxLength: components.length }),
        rules: fc.array(fc.record({ leaf, how }), {
          minLength: document.jump_rules.length,
          maxLength: document.jump_rules.length,
        }),
      })
      .map((drawn): QuizDocument => {
        const parts = [...drawn.components];
        const conditional = (component: Component): Component => {
          const { leaf: one, own: before, how: joined } = parts.shift() ?? { leaf: null, own: null, how: 0 };
          const visible_when = mixed(before, one, joined);
          return visible_when === null ? component : { ...component, visible_when };
        };
        const pages = document.pages.map((page, index): Page => {
          const { leaf: one = null, how: joined = 0 } = drawn.pages[index] ?? {};
          const visible_when = mixed(page.visible_when, one, joined);
          return { ...page, visible_when, components: page.components.map(conditional) };
        });
        const jump_rules = document.jump_rules.map((rule, index) => {
          const { leaf: one = null, how: joined = 0 } = drawn.rules[index] ?? {};
          return { ...rule, when: mixed(rule.when, one, joined) ?? rule.when };
        });
        return { ...document, pages, jump_rules };
      });
  });
}

const conditionsOf = ({ pages, jump_rules }: QuizDocument): Condition[] => [
  ...pages.flatMap(({ visible_when }) => visible_when ?? []),
  ...jump_rules.map(({ when }) => when),
];

export const circularDocument = (): fc.Arbitrary<QuizDocument> => anyOutcomeDocument();

/** Such as can be saved: what makes a circle is always shown. */
export const outcomeDocument = (): fc.Arbitrary<QuizDocument> => anyOutcomeDocument().map(withoutCircles);

function withoutCircles(document: QuizDocument): QuizDocument {
  const paths = new Set(circles(document).map(({ path }) => path));
  if (paths.size === 0) return document;
  const pages = document.pages.map((page, index): Page => {
    const components = page.components.map((component, place): Component => {
      if (!paths.has(`pages.${index}.components.${place}.visible_when`)) return component;
      const { visible_when: _circle, ...always } = component;
      return always;
    });
    const visible_when = paths.has(`pages.${index}.visible_when`) ? null : page.visible_when;
    return { ...page, visible_when, components };
  });
  return { ...document, pages };
}
