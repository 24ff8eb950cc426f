import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryQuiz } from "../testkit/documents.ts";
import { sampleQuiz } from "../testkit/sample-quiz.ts";
import { compileQuiz } from "./compile-quiz.ts";
import { holds } from "./conditions.ts";
import type { Answers, AnswerValue, Condition } from "./document.ts";
import { missingRequired } from "./missing.ts";
import { firstStep, isFinishPage, nextStep } from "./path.ts";
import { productsToShow } from "./products.ts";
import { conditionKeys, type Quiz } from "./quiz.ts";
import { score } from "./score.ts";
import { countedAnswers, isVisible, visibility, visiblePages } from "./visibility.ts";

const quiz = compileQuiz(sampleQuiz());

function answers(entries: Record<string, AnswerValue>): Answers {
  return new Map(Object.entries(entries));
}
const chose = (...option_ids: string[]): AnswerValue => ({ option_ids });
const oily = answers({ feel: chose("oily"), spots: chose("nose", "chin"), age: { value: 30 } });
/** As oily, but the first answer was changed later: the page about oil is hidden, its answer is still there. */
const changed = answers({ feel: chose("dry"), spots: chose("nose", "chin"), age: { value: 30 } });

describe("conditions [engine.conditions]", () => {
  const given = answers({
    feel: chose("oily"),
    spots: chose("nose", "chin"),
    age: { value: 30 },
    since: { value: { date: "2026-02-03", time: null } },
    email: { value: "a@b.c" },
  });
  it.each<[Condition, boolean]>([
    [{ component_key: "feel", op: "in", option_ids: ["dry", "oily"] }, true],
    [{ component_key: "feel", op: "not_in", option_ids: ["dry"] }, true],
    [{ component_key: "spots", op: "not_in", option_ids: ["chin"] }, false],
    [{ component_key: "spots", op: "eq", value: "chin" }, false],
    [{ component_key: "feel", op: "eq", value: "oily" }, true],
    [{ component_key: "age", op: "eq", value: 30 }, true],
    [{ component_key: "age", op: "lt", value: 30 }, false],
    [{ component_key: "age", op: "gt", value: 29.5 }, true],
    [{ component_key: "age", op: "between", min: 30, max: 31 }, true],
    [{ component_key: "age", op: "gt", value: "3" }, false],
    [{ component_key: "since", op: "eq", value: "2026-02-03" }, true],
    [{ component_key: "since", op: "lt", value: "2026-02-10" }, true],
    [{ component_key: "since", op: "gt", value: "2025-12-31" }, true],
    [{ component_key: "since", op: "between", min: "2026-02-04", max: "2026-03-01" }, false],
    [{ component_key: "email", op: "answered" }, true],
    [{ component_key: "email", op: "not_answered" }, false],
    [{ all: [] }, true],
    [{ any: [] }, false],
    [{ not: { any: [{ component_key: "email", op: "answered" }] } }, false],
  ])("%j is %s", (condition, expected) => {
    expect(holds(condition, given, quiz)).toBe(expected);
  });

  it("an unanswered or unknown question meets not_answered and nothing else, not_in included [engine.unanswered]", () => {
    for (const component_key of ["feel", "nowhere"]) {
      const none = answers({ nowhere: chose("x") });
      expect(holds({ component_key, op: "not_answered" }, none, quiz)).toBe(true);
      expect(holds({ component_key, op: "answered" }, none, quiz)).toBe(false);
      expect(holds({ component_key, op: "not_in", option_ids: ["dry"] }, none, quiz)).toBe(false);
      expect(holds({ component_key, op: "lt", value: 5 }, none, quiz)).toBe(false);
    }
  });

  it("does not follow a condition deeper than a document may have it", () => {
    let deep: Condition = { all: [] };
    for (let depth = 0; depth < 100_000; depth += 1) deep = { all: [deep] };
    expect(holds(deep, given, quiz)).toBe(false);
  });
});

describe("visibility and the way through [engine.next-page]", () => {
  it("goes to the next visible page and names those passed over", () => {
    expect(firstStep(quiz, answers({}))).toEqual({
      kind: "page",
      page_key: "skin",
      cause: "start",
      jump_rule_key: null,
      hidden_page_keys: [],
    });
    expect(nextStep(quiz, "skin", oily)).toMatchObject({ page_key: "oil", cause: "next", hidden_page_keys: [] });
    expect(nextStep(quiz, "skin", changed)).toMatchObject({ page_key: "you", hidden_page_keys: ["oil"] });
    expect(visiblePages(quiz, changed).map((page) => page.page_key)).toEqual(["skin", "you", "result"]);
    expect(isVisible(quiz, "oil", oily)).toBe(true);
    expect(isVisible(quiz, "nowhere", oily)).toBe(false);
  });

  it("takes the first jump whose condition holds, ends at a result page", () => {
    const fine = answers({ feel: chose("fine") });
    expect(nextStep(quiz, "skin", fine)).toMatchObject({ page_key: "result", cause: "jump", jump_rule_key: "young" });
    expect(nextStep(quiz, "result", fine)).toEqual({ kind: "end", hidden_page_keys: [] });
    expect(nextStep(quiz, "nowhere", fine)).toEqual({ kind: "end", hidden_page_keys: [] });
  });

  it("goes on behind a hidden jump target [engine.next-page]", () => {
    const document = sampleQuiz();
    document.jump_rules[0]!.target_page_key = "oil";
    const step = nextStep(compileQuiz(document), "skin", answers({ feel: chose("fine") }));
    expect(step).toMatchObject({ page_key: "you", cause: "jump", jump_rule_key: "young", hidden_page_keys: ["oil"] });
  });

  it("a jump leads on from a result page", () => {
    const document = sampleQuiz();
    document.jump_rules = [
      { jump_rule_key: "again", source_page_key: "result", when: { all: [] }, target_page_key: "skin" },
    ];
    expect(nextStep(compileQuiz(document), "result", oily)).toMatchObject({ page_key: "skin", cause: "jump" });
  });

  it("finishes on a result page, or on the last reachable page of a quiz without one [engine.finish-page]", () => {
    expect(isFinishPage(quiz, "result", oily)).toBe(true);
    expect(isFinishPage(quiz, "you", oily)).toBe(false);
    const document = sampleQuiz();
    document.pages = document.pages.slice(0, 3);
    document.jump_rules = [];
    const without = compileQuiz(document);
    expect(isFinishPage(without, "you", oily)).toBe(true);
    expect(isFinishPage(without, "oil", oily)).toBe(false);
    expect(isFinishPage(without, "result", oily)).toBe(false);
    const short = compileQuiz({ ...document, pages: document.pages.slice(0, 2) });
    expect(isFinishPage(short, "oil", oily)).toBe(true);
    expect(isFinishPage(short, "oil", changed)).toBe(false);
    expect(isFinishPage(short, "skin", changed)).toBe(true);
  });

  it("treats a quiz whose result pages are hidden as one without [engine.finish-page]", () => {
    const document = sampleQuiz();
    document.pages[3]!.visible_when = { component_key: "age", op: "gt", value: 50 };
    expect(isFinishPage(compileQuiz(document), "you", oily)).toBe(true);
  });

  it("decides a page after the later pages that it asks about [engine.visibility]", () => {
    const document = sampleQuiz();
    document.pages[0]!.visible_when = { component_key: "age", op: "gt", value: 18 };
    document.pages[2]!.visible_when = { component_key: "age", op: "lt", value: 99 };
    const forward = compileQuiz(document);
    expect(isVisible(forward, "skin", oily)).toBe(true);
    const old = answers({ age: { value: 100 } });
    expect([isVisible(forward, "you", old), isVisible(forward, "skin", old)]).toEqual([false, false]);
  });
});

describe("points, winner, formulas, products", () => {
  it("sums points over chosen options, without binary dust [engine.points]", () => {
    const result = score(quiz, oily);
    expect(result.points).toEqual([
      { dimension_id: "hydrate", name: "Hydration", total: 1 },
      { dimension_id: "clear", name: "Clarity", total: 2.3 },
    ]);
    expect(result.points_total).toBe(3.3);
    expect(result.winner?.dimension_id).toBe("clear");
    expect(result.formulas).toEqual([{ page_key: "you", component_key: "left", label: "Years to 100", value: 70 }]);
  });

  it("counts nothing of a hidden page [engine.hidden-answers]", () => {
    expect(score(quiz, changed).points.map((entry) => entry.total)).toEqual([2, 0]);
    expect([...countedAnswers(quiz, changed).keys()]).toEqual(["feel", "age"]);
  });

  it("has no winner when all are 0, the earlier on a tie, no total without dimensions [engine.winner]", () => {
    expect(score(quiz, answers({ feel: chose("fine") }))).toMatchObject({ winner: null, points_total: 0 });
    const document = sampleQuiz();
    const feel = document.pages[0]!.components[0]!;
    if (feel.kind === "choice") feel.options[0]!.points = { clear: 3, hydrate: 3 };
    expect(score(compileQuiz(document), answers({ feel: chose("dry") })).winner?.dimension_id).toBe("hydrate");
    document.dimensions = [];
    expect(score(compileQuiz(document), oily)).toMatchObject({ points: [], points_total: null, winner: null });
  });

  it("computes formulas of formulas and dimensions, and none of an unanswered question [engine.formulas]", () => {
    const document = sampleQuiz();
    document.pages[0]!.components.push(
      { kind: "formula", component_key: "double", label: "", expression: "left * 2 + clear" },
      { kind: "formula", component_key: "circle-a", label: "", expression: '"circle-b" + 1' },
      { kind: "formula", component_key: "circle-b", label: "", expression: '"circle-a" + 1' },
    );
    const compiled = compileQuiz(document);
    expect(score(compiled, oily).formulas.map((formula) => formula.value)).toEqual([142.3, null, null, 70]);
    expect(score(compiled, answers({})).formulas.map((formula) => formula.value)).toEqual([null, null, null, null]);
  });

  it("shows products by source, positions from 1, up to the limit [engine.products]", () => {
    expect(productsToShow(quiz, "best", oily)).toEqual([
      { product_id: "p2", variant_id: "v2", position: 1, source: "winner" },
      { product_id: "p3", variant_id: null, position: 2, source: "winner" },
    ]);
    expect(productsToShow(quiz, "best", answers({})).map((product) => product.product_id)).toEqual(["p3"]);
    expect(productsToShow(quiz, "nowhere", oily)).toEqual([]);
    const document = sampleQuiz();
    const block = document.pages[3]!.components[0]!;
    if (block.kind !== "products" || block.source === "rules") throw new Error("the sample has changed");
    block.source = "fixed";
    const ids = (): string[] =>
      productsToShow(compileQuiz(document), "best", oily).map((product) => product.product_id);
    expect(ids()).toEqual(["p1", "p2"]);
    block.source = "answers";
    block.products[0]!.when = { component_key: "age", op: "gt", value: 40 };
    expect(ids()).toEqual(["p2", "p3"]);
  });
});

describe("required questions [engine.required-questions]", () => {
  it("names those of the visited, visible pages that are unanswered", () => {
    const pages = ["skin", "oil", "you", "nowhere"];
    expect(missingRequired(quiz, answers({}), pages)).toEqual([
      { page_key: "skin", component_key: "feel", missing: "answer" },
    ]);
    expect(missingRequired(quiz, answers({ feel: chose("oily") }), pages)).toEqual([
      { page_key: "oil", component_key: "spots", missing: "answer" },
    ]);
    expect(missingRequired(quiz, answers({ feel: chose("oily") }), ["skin", "you"])).toEqual([]);
  });

  it("asks for a required consent box only where the caller knows the boxes", () => {
    const left = answers({ feel: chose("dry"), email: { value: "a@b.c" } });
    expect(missingRequired(quiz, left, ["you"])).toEqual([]);
    expect(missingRequired(quiz, left, ["you"], new Map([["email", true]]))).toEqual([]);
    expect(missingRequired(quiz, left, ["you"], new Map([["email", false]]))).toEqual([
      { page_key: "you", component_key: "email", missing: "consent" },
    ]);
    expect(missingRequired(quiz, answers({}), ["you"], new Map())).toEqual([]);
  });
});

/** Whether some page's visibility depends, however indirectly, on itself. */
function asksInCircles(compiled: Quiz): boolean {
  const pages = compiled.document.pages;
  const needs = pages.map(({ visible_when }) => {
    const asked = visible_when === null ? [] : conditionKeys(visible_when);
    return asked.map((key) => compiled.questions.get(key)!.placed.index);
  });
  const reaches = (from: number, to: number, left: number): boolean =>
    left > 0 && needs[from]!.some((index) => index === to || reaches(index, to, left - 1));
  return pages.some((_, index) => reaches(index, index, pages.length));
}

describe("any quiz, any answers", () => {
  it("shows a page exactly when its condition holds for the answers of visible pages [engine.visibility]", () => {
    fc.assert(
      fc.property(arbitraryQuiz(), ({ document, answers: given }) => {
        const compiled = compileQuiz(document);
        const { page_keys, counted } = visibility(compiled, given);
        for (const page of document.pages) {
          for (const component of page.components) {
            if (!("component_key" in component)) continue;
            const key = component.component_key;
            expect(counted.get(key)).toBe(page_keys.has(page.page_key) ? given.get(key) : undefined);
          }
        }
        fc.pre(!asksInCircles(compiled));
        for (const { page_key, visible_when } of document.pages) {
          expect(page_keys.has(page_key)).toBe(visible_when === null || holds(visible_when, counted, compiled));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("hidden pages' answers count nothing: without them everything is the same [engine.hidden-answers]", () => {
    fc.assert(
      fc.property(arbitraryQuiz(), ({ document, answers: given }) => {
        const compiled = compileQuiz(document);
        fc.pre(!asksInCircles(compiled));
        const counted = countedAnswers(compiled, given);
        expect(visiblePages(compiled, counted)).toEqual(visiblePages(compiled, given));
        expect(score(compiled, counted)).toEqual(score(compiled, given));
        for (const { page_key } of document.pages) {
          expect(nextStep(compiled, page_key, counted)).toEqual(nextStep(compiled, page_key, given));
        }
        for (const block_key of compiled.blocks.keys()) {
          expect(productsToShow(compiled, block_key, counted)).toEqual(productsToShow(compiled, block_key, given));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("points equal a plain sum over the chosen options of visible pages [engine.points]", () => {
    fc.assert(
      fc.property(arbitraryQuiz(), ({ document, answers: given }) => {
        const compiled = compileQuiz(document);
        const visible = visiblePages(compiled, given);
        const result = score(compiled, given);
        const totals = document.dimensions.map(({ dimension_id }) => {
          const tenths = visible.flatMap((page) =>
            page.components.flatMap((component) => {
              if (component.kind !== "choice" && component.kind !== "image") return [];
              const answer = given.get(component.component_key);
              const ids = answer && "option_ids" in answer ? answer.option_ids : [];
              const chosen = component.options.filter((option) => ids.includes(option.option_id));
              return chosen.map((option) => Math.round(10 * (option.points[dimension_id] ?? 0)));
            }),
          );
          return tenths.reduce((sum, each) => sum + each, 0) / 10;
        });
        expect(result.points.map((entry) => entry.total)).toEqual(totals.map((total) => total + 0));
        const best = Math.max(...totals);
        const isZero = totals.every((total) => total === 0);
        const winner = isZero ? null : document.dimensions[totals.indexOf(best)]!.dimension_id;
        expect(result.winner?.dimension_id ?? null).toBe(winner);
      }),
      { numRuns: 300 },
    );
  });

  it("shows at most `limit` products of the block, once each, numbered from 1 [engine.products]", () => {
    fc.assert(
      fc.property(arbitraryQuiz(), ({ document, answers: given }) => {
        const compiled = compileQuiz(document);
        for (const [block_key, { block }] of compiled.blocks) {
          const shown = productsToShow(compiled, block_key, given);
          expect(shown.length).toBeLessThanOrEqual(block.limit);
          expect(shown.map((product) => product.position)).toEqual(shown.map((_, index) => index + 1));
          expect(new Set(shown.map((product) => `${product.product_id} ${product.variant_id}`)).size).toBe(
            shown.length,
          );
        }
      }),
    );
  });

  it("each step lands on a visible page ahead of it, or ends, and passes over hidden pages only", () => {
    fc.assert(
      fc.property(arbitraryQuiz(), ({ document, answers: given }) => {
        const compiled = compileQuiz(document);
        const { page_keys } = visibility(compiled, given);
        const steps = document.pages.map((page) => ({ from: page, step: nextStep(compiled, page.page_key, given) }));
        for (const { from, step } of steps) {
          for (const key of step.hidden_page_keys) expect(page_keys.has(key)).toBe(false);
          if (step.kind === "end") continue;
          expect(page_keys.has(step.page_key)).toBe(true);
          const place = compiled.pages.get(step.page_key)!.index;
          if (step.cause === "next") expect(place).toBeGreaterThan(compiled.pages.get(from.page_key)!.index);
          else
            expect(compiled.pages.get(from.page_key)!.rules.map((rule) => rule.jump_rule_key)).toContain(
              step.jump_rule_key,
            );
        }
      }),
      { numRuns: 300 },
    );
  });
});
