import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choice, content, formula, number, option, page, products } from "../testkit/document-parts.ts";
import { arbitraryAnswers } from "../testkit/documents.ts";
import { circularDocument, outcomeDocument } from "../testkit/outcome-documents.ts";
import { naiveOutcome } from "../testkit/outcome-model.ts";
import { checkDocument } from "./check.ts";
import { circles } from "./check-circles.ts";
import { compileQuiz } from "./compile-quiz.ts";
import { holds } from "./conditions.ts";
import type { Answers, AnswerValue, Component, Condition, QuizDocument } from "./document.ts";
import { lint } from "./lint.ts";
import { missingRequired } from "./missing.ts";
import { nextStep } from "./path.ts";
import type { Quiz } from "./quiz.ts";
import { score } from "./score.ts";
import { countedAnswers, visibility } from "./visibility.ts";

const dimensions = [
  { dimension_id: "dry", name: "Dry" },
  { dimension_id: "oily", name: "Oily" },
  { dimension_id: "mixed", name: "Mixed" },
];
const skin = (over: object = {}) =>
  choice(
    "skin",
    [
      option("a", { points: { dry: 2, oily: 1 } }),
      option("b", { points: { oily: 2, mixed: 2 } }),
      option("c", { points: { dry: -1 } }),
      option("d"),
    ],
    { multiple: true, ...over },
  );
const withDocument = (pages: QuizDocument["pages"], over: Partial<QuizDocument> = {}): QuizDocument => ({
  pages,
  jump_rules: [],
  dimensions,
  property_mappings: [],
  ...over,
});
const chose = (...option_ids: string[]): AnswerValue => ({ option_ids });
const given = (answers: Record<string, AnswerValue>): Answers => new Map(Object.entries(answers));

const plain = compileQuiz(
  withDocument([
    page("one", [skin(), number("n"), formula("double", "Twice", "n * 2")]),
    // makes the compiled quiz one that asks for totals
    page("two", [], { visible_when: { kind: "points", dimension_id: null, op: "gt", value: 100 } }),
  ]),
);
const isTrue = (condition: Condition, answers: Answers, quiz: Quiz = plain): boolean =>
  holds(condition, countedAnswers(quiz, answers), quiz);

describe("a condition on the winner [engine.outcome-conditions, engine.ranks]", () => {
  const a = given({ skin: chose("a") });
  const b = given({ skin: chose("b") });
  it.each<[Condition, Answers, boolean]>([
    [{ kind: "winner", op: "in", dimension_ids: ["dry"] }, a, true],
    [{ kind: "winner", op: "not_in", dimension_ids: ["dry"] }, a, false],
    [{ kind: "winner", op: "in", dimension_ids: ["oily"], rank: 2 }, a, true],
    [{ kind: "winner", op: "in", dimension_ids: ["mixed"], rank: 3 }, a, true],
    // a tie in document order
    [{ kind: "winner", op: "in", dimension_ids: ["oily"] }, b, true],
    [{ kind: "winner", op: "in", dimension_ids: ["mixed"], rank: 2 }, b, true],
    // no such rank
    [{ kind: "winner", op: "in", dimension_ids: ["dry", "oily", "mixed"], rank: 4 }, a, false],
    [{ kind: "winner", op: "not_in", dimension_ids: ["dry"], rank: 5 }, a, true],
    // all totals are 0
    [{ kind: "winner", op: "in", dimension_ids: ["dry", "oily", "mixed"] }, given({}), false],
    [{ kind: "winner", op: "not_in", dimension_ids: ["dry"] }, given({ skin: chose("d") }), true],
    // a total below 0 leaves the others ahead
    [{ kind: "winner", op: "in", dimension_ids: ["oily"] }, given({ skin: chose("c") }), true],
  ])("%j for %j is %s", (condition, answers, expected) => {
    expect(isTrue(condition, answers)).toBe(expected);
  });
});

describe("a condition on points or a formula [engine.outcome-conditions]", () => {
  const ab = given({ skin: chose("a", "b"), n: { value: 3 } });
  it.each<[Condition, Answers, boolean]>([
    [{ kind: "points", dimension_id: "oily", op: "eq", value: 3 }, ab, true],
    [{ kind: "points", dimension_id: "oily", op: "gt", value: 3 }, ab, false],
    [{ kind: "points", dimension_id: "oily", op: "lt", value: 3.5 }, ab, true],
    [{ kind: "points", dimension_id: null, op: "between", min: 7, max: 7 }, ab, true],
    [{ kind: "points", dimension_id: null, op: "eq", value: 0 }, given({}), true],
    [{ kind: "formula", component_key: "double", op: "between", min: 6, max: 8 }, ab, true],
    [{ kind: "formula", component_key: "double", op: "answered" }, ab, true],
    [{ kind: "formula", component_key: "double", op: "not_answered" }, given({}), true],
    [{ kind: "formula", component_key: "double", op: "lt", value: 100 }, given({}), false],
    [{ kind: "formula", component_key: "double", op: "answered" }, given({}), false],
  ])("%j for %j is %s", (condition, answers, expected) => {
    expect(isTrue(condition, answers)).toBe(expected);
  });

  it("takes the total without dimensions as 0", () => {
    const leaf: Condition = { kind: "points", dimension_id: null, op: "eq", value: 0 };
    const quiz = compileQuiz(withDocument([page("one", [], { visible_when: leaf })], { dimensions: [] }));
    expect(visibility(quiz, given({})).page_keys.has("one")).toBe(true);
  });
});

describe("a component with a condition [engine.hidden-components]", () => {
  const when: Condition = { component_key: "n", op: "gt", value: 5 };
  const quiz = compileQuiz(
    withDocument([page("one", [number("n"), skin({ required: true, visible_when: when })]), page("two", [])]),
  );
  it("has no answer, no points, and is not required while it is hidden", () => {
    const hidden = given({ n: { value: 1 }, skin: chose("a") });
    expect([...countedAnswers(quiz, hidden).keys()]).toEqual(["n"]);
    expect(score(quiz, hidden).winner).toBeNull();
    expect(missingRequired(quiz, given({ n: { value: 1 } }), ["one"])).toEqual([]);
    const shown = given({ n: { value: 6 } });
    expect(missingRequired(quiz, shown, ["one"])).toEqual([
      { page_key: "one", component_key: "skin", missing: "answer" },
    ]);
    expect(score(quiz, given({ n: { value: 6 }, skin: chose("a") })).winner?.dimension_id).toBe("dry");
  });

  it("may be of any kind", () => {
    const parts: Component[] = [
      number("n"),
      skin(),
      formula("f", "F", "n"),
      content("c", "<p>x</p>"),
      products("b", []),
    ];
    const document = withDocument([
      page(
        "one",
        parts.map((part) => ({ ...part, visible_when: when })),
      ),
    ]);
    expect(checkDocument(document)).toEqual({ ok: true, document });
  });
});

describe("conditions on totals in random documents", () => {
  const drawn = outcomeDocument().chain((document) =>
    arbitraryAnswers(document).map((answers) => ({ document, answers })),
  );

  it("decide what the definition says [engine.decision-order, engine.outcome-conditions, engine.hidden-components]", () => {
    let compared = 0;
    fc.assert(
      fc.property(drawn, ({ document, answers }) => {
        const model = naiveOutcome(document, answers);
        if (model === null) return;
        compared += 1;
        const quiz = compileQuiz(document);
        const seen = visibility(quiz, answers);
        const keyOf = (part: Component) => (part.kind === "products" ? part.block_key : part.component_key);
        const { points } = score(quiz, answers);
        expect({
          pages: document.pages.map(({ page_key }) => page_key).filter((key) => seen.page_keys.has(key)),
          counted: [...quiz.questions.keys()].filter((key) => seen.counted.has(key)),
          hidden: document.pages
            .flatMap((each) => each.components)
            .filter((part) => seen.hidden?.has(part))
            .map(keyOf),
          points: Object.fromEntries(points.map(({ dimension_id, total }) => [dimension_id, total])),
          jumps: Object.fromEntries(
            document.pages.map(({ page_key }) => {
              const step = nextStep(quiz, page_key, answers);
              return [page_key, step.kind === "page" ? step.jump_rule_key : model.jumps[page_key]];
            }),
          ),
        }).toEqual(model);
      }),
      { numRuns: 600, seed: 20261129 },
    );
    expect(compared).toBeGreaterThan(300);
  });

  it("never make a document's evaluation fail or waver, even in circles [engine.decision-order]", () => {
    let circular = 0;
    fc.assert(
      fc.property(
        circularDocument().chain((document) => arbitraryAnswers(document).map((answers) => ({ document, answers }))),
        ({ document, answers }) => {
          const decided = () => {
            const { page_keys, counted, hidden } = visibility(compileQuiz(document), answers);
            return JSON.stringify([[...page_keys], [...counted], hidden?.size]);
          };
          expect(decided()).toBe(decided());
          const found = circles(document);
          if (found.length > 0) circular += 1;
          expect(
            lint(document)
              .filter(({ code }) => code === "depends_on_itself")
              .map(({ path }) => path),
          ).toEqual(found.map(({ path }) => path));
        },
      ),
      { numRuns: 300, seed: 20261130 },
    );
    expect(circular).toBeGreaterThan(20);
  });

  it("are valid, and returned unchanged [quiz-documents.outcome-conditions]", () => {
    fc.assert(
      fc.property(circularDocument(), (document) => {
        expect(checkDocument(JSON.parse(JSON.stringify(document)))).toEqual({ ok: true, document });
      }),
      { numRuns: 200, seed: 20261131 },
    );
  });
});

describe("a circle [quiz-documents.circles]", () => {
  const winner: Condition = { kind: "winner", op: "in", dimension_ids: ["dry"] };
  const sum: Condition = { kind: "formula", component_key: "f", op: "gt", value: 1 };
  const pathsOf = (pages: QuizDocument["pages"]) => circles(withDocument(pages)).map(({ path }) => path);

  it("is a page or component whose condition reads what it feeds", () => {
    expect(pathsOf([page("one", [skin()], { visible_when: winner })])).toEqual(["pages.0.visible_when"]);
    expect(pathsOf([page("one", [skin({ visible_when: winner })])])).toEqual(["pages.0.components.0.visible_when"]);
    const parts = [number("n", { visible_when: sum }), formula("f", "F", "g + 1"), formula("g", "G", "n")];
    expect(pathsOf([page("one", parts)])).toEqual(["pages.0.components.0.visible_when"]);
  });

  it("may go through other pages", () => {
    const asks: Condition = { component_key: "n", op: "answered" };
    const pages = [page("one", [number("n")], { visible_when: winner }), page("two", [skin()], { visible_when: asks })];
    expect(pathsOf(pages)).toEqual(["pages.0.visible_when"]);
  });

  it("is none where nothing is fed", () => {
    expect(pathsOf([page("one", [skin()]), page("two", [number("n")], { visible_when: winner })])).toEqual([]);
    expect(pathsOf([page("one", [skin(), content("c", "x", { visible_when: winner })])])).toEqual([]);
    expect(pathsOf([page("one", [number("n"), formula("f", "F", "n", { visible_when: sum })])])).toEqual([]);
    const zero = choice("z", [option("a", { points: { dry: 0 } })]);
    expect(pathsOf([page("one", [zero], { visible_when: winner })])).toEqual([]);
  });
});

describe("what a condition on totals names [quiz-documents.outcome-conditions]", () => {
  const problemsOf = (visible_when: unknown) => {
    const checked = checkDocument({
      pages: [page("one", [skin(), number("n")], { visible_when: visible_when as Condition })],
      jump_rules: [],
      dimensions,
      property_mappings: [],
    });
    return checked.ok ? [] : checked.problems.map(({ path, code }) => `${path} ${code}`);
  };
  it.each<[unknown, string]>([
    [{ kind: "winner", op: "in", dimension_ids: ["gone"] }, "dimension_ids.0 unknown_reference"],
    [{ kind: "winner", op: "in", dimension_ids: [] }, "dimension_ids invalid"],
    [{ kind: "winner", op: "eq", dimension_ids: ["dry"] }, "op invalid"],
    [{ kind: "winner", op: "in", dimension_ids: ["dry"], rank: 6 }, "rank invalid"],
    [{ kind: "winner", op: "in", dimension_ids: ["dry"], rank: 1.5 }, "rank invalid"],
    [{ kind: "points", dimension_id: "gone", op: "eq", value: 1 }, "dimension_id unknown_reference"],
    [{ kind: "points", dimension_id: null, op: "between", min: 3, max: 2 }, "min invalid"],
    [{ kind: "points", dimension_id: null, op: "gt", value: "3" }, "value invalid"],
    [{ kind: "points", dimension_id: null, op: "answered" }, "op invalid"],
    [{ kind: "formula", component_key: "n", op: "answered" }, "component_key unknown_reference"],
    [{ kind: "other", op: "in" }, "kind invalid"],
  ])("%j is refused at %s", (condition, expected) => {
    expect(problemsOf(condition)).toContain(`pages.0.visible_when.${expected}`);
  });

  it("is refused as a page's result elsewhere than on a result page", () => {
    const outcome = { dimension_id: "dry" };
    const fits = withDocument([page("r", [], { kind: "result", outcome })]);
    expect(checkDocument(fits)).toEqual({ ok: true, document: fits });
    const checked = checkDocument(
      withDocument([page("q", [], { outcome }), page("r", [], { kind: "result", outcome: { dimension_id: "x" } })]),
    );
    expect(checked.ok ? [] : checked.problems.map(({ path }) => path)).toEqual(["pages.0.outcome"]);
  });
});
