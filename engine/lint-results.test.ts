import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choice, content, formula, option, page, products, quizDocument } from "../testkit/document-parts.ts";
import type { Compared, Component, Condition, Page } from "./document.ts";
import { lint } from "./lint.ts";
import { attainableTotals } from "./lint-totals.ts";

const calm = { dimension_id: "calm", name: "Calm" };
const wild = { dimension_id: "wild", name: "Wild" };
const scored = (...points: Record<string, number>[]): Component =>
  choice(
    "feel",
    points.map((of, index) => option(`o${index}`, { points: of })),
  );
const result = (page_key: string, visible_when: Condition | null) =>
  page(page_key, [], { kind: "result", visible_when });
const total = (test: Compared): Condition => ({ kind: "points", dimension_id: null, ...test });
const winner = (...dimension_ids: string[]): Condition => ({ kind: "winner", op: "in", dimension_ids });
const own = ["recall_unknown", "points_unread", "results_overlap", "results_gap", "result_without_page"];
const said = (pages: Page[], dimensions = [calm]): string[] =>
  lint(quizDocument(pages, { dimensions }))
    .filter(({ code }) => own.includes(code))
    .map(({ code, path, message }) => `${code} ${path}: ${message}`);
const to3 = page("a", [scored({ calm: 1 }, { calm: 2 }, { calm: 3 })]);

describe("the lint of results [quiz-documents.lint-results]", () => {
  it("names ranges that hold together at a total that answers can give", () => {
    const ranges = (one: Compared, other: Compared) => said([to3, result("r", total(one)), result("s", total(other))]);
    expect(ranges({ op: "between", min: 0, max: 2 }, { op: "between", min: 2, max: 9 })).toEqual([
      'results_overlap pages.2.visible_when: holds together with "r" at 2 points; the first of them is shown',
    ]);
    expect(ranges({ op: "between", min: 0, max: 1.9 }, { op: "between", min: 1.5, max: 9 })).toEqual([]);
    // a staircase: the first step that holds
    expect(ranges({ op: "gt", value: 2 }, { op: "gt", value: -1 })).toEqual([]);
  });

  it("names a total between ranges, unless another page is shown then", () => {
    const pages = [to3, result("r", total({ op: "lt", value: 2 })), result("s", total({ op: "gt", value: 2 }))];
    expect(said(pages)).toEqual(["results_gap pages.1.visible_when: no result page holds at 2 points"]);
    expect(said([...pages, result("t", null)])).toEqual([]);
    expect(said([page("a", [scored({ calm: 1 }, { calm: 3 })]), ...pages.slice(1)])).toEqual([]);
  });

  it("names winners of two pages, and winners without one", () => {
    const both = page("a", [scored({ calm: 1 }, { wild: 1 })]);
    expect(said([both, result("r", winner("calm", "wild")), result("s", winner("wild"))], [calm, wild])).toEqual([
      'results_overlap pages.2.visible_when: holds together with "r" for "Wild"; the first of them is shown',
    ]);
    expect(said([both, result("r", { all: [winner("calm")] })], [calm, wild])).toEqual([
      'result_without_page dimensions.1: no result page is shown when "Wild" wins',
    ]);
    expect(said([both, result("r", winner("calm")), result("s", null)], [calm, wild])).toEqual([]);
    // it cannot win
    expect(said([to3, result("r", winner("calm"))], [calm, wild])).toEqual([]);
  });

  it("names points that nothing follows, whatever may follow them", () => {
    const none = 'points_unread dimensions.0: options give points for "Calm", but nothing in the quiz follows them';
    expect(said([to3])).toEqual([none]);
    expect(said([to3, page("b", [formula("f", "F", "calm * 2")])])).toEqual([]);
    expect(said([to3, page("b", [products("p", [1], { source: "winner" })])])).toEqual([]);
    expect(said([to3, page("b", [], { title: "{{points|0}}" })])).toEqual([]);
    expect(said([to3, page("b", [content("c", "<p title='{{points|0}}'>Hi</p>")])])).toEqual([none]);
    expect(said([to3, page("b", [], { kind: "result", outcome: { dimension_id: "calm" } })])).toEqual([]);
    expect(said([page("a", [scored({ calm: 0 })])])).toEqual([]);
  });

  it("names texts that recall what is not there", () => {
    const titled = (title: string) => said([page("a", [scored(), formula("f", "F", "1")], { title })], []);
    expect(titled("{{answer:feel|}} {{formula:f|}} {{winner:5|}} {{points|}} {{answer:}}")).toEqual([]);
    expect(titled("{{answer:f|}}")).toEqual([
      'recall_unknown pages.0.title: recalls "f", but there is no such question',
    ]);
    expect(titled("{{points:calm|}}")).toEqual([
      'recall_unknown pages.0.title: recalls "calm", but there is no such result',
    ]);
  });

  it("knows every total that some answers give", () => {
    const points = fc.array(fc.constantFrom(-2, -0.5, 0, 0.1, 1, 3), { maxLength: 3 });
    const questions = fc.array(fc.record({ points, multiple: fc.boolean() }), { maxLength: 3 });
    const same = fc.property(questions, (given) => {
      const components = given.map(({ points: of, multiple }, index) =>
        choice(
          `q${index}`,
          of.map((each, at) => option(`o${at}`, { points: { calm: each } })),
          { multiple },
        ),
      );
      let totals = [0];
      for (const { points: of, multiple } of given) {
        const chosen = of.reduce<number[][]>((sets, one) => sets.concat(sets.map((set) => set.concat(one))), [[]]);
        const sums = chosen
          .filter((set) => multiple || set.length <= 1)
          .map((set) => set.reduce((sum, one) => sum + one, 0));
        totals = totals.flatMap((sum) => sums.map((one) => sum + one));
      }
      const expected = [...new Set(totals.map((sum) => Number(sum.toFixed(6)) + 0))].sort((a, b) => a - b);
      expect(attainableTotals(quizDocument([page("a", components)], { dimensions: [calm] }), "calm")).toEqual(expected);
    });
    fc.assert(same);
  });

  it("judges no quiz whose totals are too many", () => {
    const many = Array.from({ length: 30 }, (_, index) =>
      choice(`q${index}`, [option("a", { points: { calm: 1_000 } })]),
    );
    expect(attainableTotals(quizDocument([page("a", many)], { dimensions: [calm] }), "calm")).toBeNull();
  });
});
