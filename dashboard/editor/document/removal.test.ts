import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkDocument } from "../../../engine/check.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import { isChoice } from "../../../engine/kinds/value.ts";
import {
  choice,
  chosen,
  formula,
  jumpWhere,
  number,
  option,
  page,
  pick,
  products,
  quizDocument,
  ruled,
  text,
} from "../../../testkit/document-parts.ts";
import { outcomeDocument } from "../../../testkit/outcome-documents.ts";
import type { Removed } from "./gone.ts";
import { newHistory, perform, undo } from "./history.ts";
import { keysFor } from "./keys.ts";
import { removeWithUses, usesOf } from "./removal.ts";
import { addResult } from "./results.ts";

const wins = (...dimension_ids: string[]) => ({ kind: "winner" as const, op: "in" as const, dimension_ids });

const quiz = quizDocument(
  [
    page("skin", [
      choice("feel", [option("dry", { points: { calm: 2 } }), option("oily", { points: { clear: 1 } })]),
      number("age"),
    ]),
    page("oil", [text("why", { visible_when: { all: [chosen("feel", "dry"), chosen("feel", "oily")] } })], {
      title: "Oil",
      visible_when: chosen("feel", "oily"),
    }),
    page("sum", [formula("twice", "Twice", "age * 2 + calm"), formula("more", "More", "twice + 1")]),
    page("care", [
      products("best", [pick("p1", { when: chosen("feel", "dry"), dimension_id: "calm" })], { source: "answers" }),
      ruled("rules", {
        from: { price: { max: { component_key: "age" } } },
        rules: [
          { rule_key: "r1", when: chosen("feel", "dry"), match: { tags_any: ["a"] }, effect: "exclude" },
          { rule_key: "r2", when: null, match: { price: { min: { formula: "more" } } }, effect: "include" },
        ],
      }),
    ]),
    page("r", [], { kind: "result", title: "Calm", outcome: { dimension_id: "calm" }, visible_when: wins("calm") }),
    page("all", [], { kind: "result", visible_when: { not: wins("calm", "clear") } }),
  ],
  {
    jump_rules: [jumpWhere("j1", ["skin", "care"], "feel", "dry"), jumpWhere("j2", ["skin", "oil"], "feel", "oily")],
    dimensions: [
      { dimension_id: "calm", name: "Calm" },
      { dimension_id: "clear", name: "Clear" },
    ],
    property_mappings: [{ component_key: "feel", property_name: "skin", option_values: { dry: "DRY", oily: "OILY" } }],
  },
);

const without = (document: QuizDocument, removed: Removed): QuizDocument =>
  perform(newHistory(document), removeWithUses(document, removed)).document;
const problems = (document: QuizDocument) => {
  const checked = checkDocument(document);
  return checked.ok ? [] : checked.problems;
};
const paths = (removed: Removed) => usesOf(quiz, removed).map(({ path }) => path);

describe("removing what is used [editor.removal]", () => {
  it("names the uses of a question, and takes it out of each", () => {
    const removed: Removed = { kind: "component", place: { page: 0, component: 0 } };
    expect(problems(quiz)).toEqual([]);
    expect(usesOf(quiz, removed).map(({ path, said, after: then }) => `${path}: ${said} ${then}`)).toEqual([
      'pages.1.visible_when: Page 2, "Oil", is shown when "feel?" is oily. Then it is shown to everybody.',
      'pages.1.components.0.visible_when: "why?" is shown when "feel?" is dry and "feel?" is oily. Then it is shown to everybody.',
      'pages.3.components.0.products.0.when: Product 1 of a block is shown when "feel?" is dry. Then it is shown to everybody.',
      'pages.3.components.1.rules.0.when: A rule for products applies when "feel?" is dry. The rule is removed too.',
      'jump_rules.0.when: Jump 1 is taken when "feel?" is dry. The jump is removed too.',
      'jump_rules.1.when: Jump 2 is taken when "feel?" is oily. The jump is removed too.',
    ]);
    const document = without(quiz, removed);
    expect(problems(document)).toEqual([]);
    expect(document.jump_rules).toEqual([]);
    expect(document.property_mappings).toEqual([]);
    expect(document.pages[3]?.components[1]).toMatchObject({ rules: [{ rule_key: "r2" }] });
  });

  it("takes an option out of conditions, and leaves those that ask about others", () => {
    const removed: Removed = { kind: "option", place: { page: 0, component: 0 }, option: 0 };
    expect(paths(removed)).toEqual([
      "pages.1.components.0.visible_when",
      "pages.3.components.0.products.0.when",
      "pages.3.components.1.rules.0.when",
      "jump_rules.0.when",
    ]);
    const document = without(quiz, removed);
    expect(problems(document)).toEqual([]);
    expect(document.pages[1]?.visible_when).toEqual(chosen("feel", "oily"));
    expect(document.pages[1]?.components[0]?.visible_when).toEqual({ all: [chosen("feel", "oily")] });
    expect(document.property_mappings[0]?.option_values).toEqual({ oily: "OILY" });
    expect(document.pages[0]).toMatchObject({ components: [{ options: [{ option_id: "oily" }] }, {}] });
  });

  it("follows formulas from a number on, to price limits and conditions", () => {
    const removed: Removed = { kind: "component", place: { page: 0, component: 1 } };
    expect(paths(removed)).toEqual([
      "pages.2.components.0.expression",
      "pages.2.components.1.expression",
      "pages.3.components.1.rules.1.match.price",
      "pages.3.components.1.from.price",
    ]);
    const document = without(quiz, removed);
    expect(problems(document)).toEqual([]);
    expect(document.pages[2]?.components).toEqual([]);
    expect(document.pages[3]?.components[1]).toMatchObject({
      from: {},
      rules: [{}, { match: {} }],
    });
  });

  it("removes a result with its page, points, and what asks about it", () => {
    const removed: Removed = { kind: "result", dimension: 0 };
    const document = without(quiz, removed);
    expect(problems(document)).toEqual([]);
    expect(document.pages.map(({ page_key }) => page_key)).toEqual(["skin", "oil", "sum", "care", "all"]);
    expect(document.pages[4]?.visible_when).toEqual({ not: wins("clear") });
    expect(JSON.stringify(document)).not.toContain("calm");
    // and the other way round
    expect(usesOf(quiz, { kind: "page", page: 4 })[0]).toMatchObject({
      path: "pages.2.components.0.expression",
    });
    expect(without(quiz, { kind: "page", page: 4 })).toEqual(document);
  });

  it("leaves the fallbacks of texts that recall what goes", () => {
    const texts = {
      ...quiz,
      pages: quiz.pages.with(1, {
        ...quiz.pages[1]!,
        title: "For {{answer:feel|your}} skin, {{winner:1|whatever}}",
        subtitle: "{{points:calm|0}} of {{points|10}}, at {{formula:twice|?}}",
      }),
    };
    const feel: Removed = { kind: "component", place: { page: 0, component: 0 } };
    expect(usesOf(texts, feel).filter(({ path }) => path.endsWith("title"))).toMatchObject([
      { path: "pages.1.title", after: "Then the text has its fallback." },
    ]);
    expect(without(texts, feel).pages[1]).toMatchObject({ title: "For your skin, {{winner|whatever}}" });
    expect(without(texts, { kind: "component", place: { page: 0, component: 1 } }).pages[1]).toMatchObject({
      title: texts.pages[1]?.title,
      subtitle: "{{points:calm|0}} of {{points|10}}, at ?",
    });
    expect(without(texts, { kind: "result", dimension: 0 }).pages[1]?.subtitle).toBe("0 of {{points|10}}, at ?");
  });

  it("says nothing of what nothing uses, nor of a result that was only added", () => {
    const keys = keysFor(quiz, [], () => 0.5);
    const grown = perform(newHistory(quiz), addResult(quiz, keys)).document;
    const added = grown.pages.findIndex(({ title }) => title === "");
    expect(grown.pages[added]?.kind).toBe("result");
    expect(usesOf(grown, { kind: "page", page: added })).toEqual([]);
    expect(without(grown, { kind: "page", page: added })).toEqual(quiz);
    expect(paths({ kind: "component", place: { page: 1, component: 0 } })).toEqual([]);
    // what leaves a page goes with it
    const jumps = { ...quiz, jump_rules: quiz.jump_rules.map((rule) => ({ ...rule, source_page_key: "oil" })) };
    expect(usesOf(jumps, { kind: "page", page: 1 })).toEqual([]);
    expect(without(jumps, { kind: "page", page: 1 }).jump_rules).toEqual([]);
  });

  it("means the first of two things with one key, and leaves what the other answers", () => {
    const twice = { ...quiz, pages: [...quiz.pages, page("again", [choice("feel", [option("dry")])])] };
    expect(usesOf(twice, { kind: "component", place: { page: 6, component: 0 } })).toEqual([]);
  });

  it("leaves valid documents valid, and is undone in one step", () => {
    let used = 0;
    fc.assert(
      fc.property(outcomeDocument(), fc.nat(), fc.nat(), fc.nat(), (document, a, b, c) => {
        fc.pre(document.pages.length > 0);
        const at = a % document.pages.length;
        const place = { page: at, component: b % Math.max(1, document.pages[at]?.components.length ?? 0) };
        const part = document.pages[at]?.components[place.component];
        const all: Removed[] = [{ kind: "page", page: at }];
        if (part) all.push({ kind: "component", place });
        if (part && isChoice(part) && part.options.length > 1)
          all.push({ kind: "option", place, option: c % part.options.length });
        if (document.dimensions.length > 0) all.push({ kind: "result", dimension: c % document.dimensions.length });
        const before = JSON.stringify(document);
        for (const removed of all) {
          used += usesOf(document, removed).length;
          const done = perform(newHistory(document), removeWithUses(document, removed));
          expect(problems(done.document)).toEqual([]);
          expect(JSON.stringify(undo(done).document)).toBe(before);
          expect(done.done.length).toBe(1);
        }
      }),
      { numRuns: 300 },
    );
    expect(used).toBeGreaterThan(100);
  });
});
