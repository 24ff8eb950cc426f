import { describe, expect, it } from "vitest";
import { compileQuiz } from "../../engine/compile-quiz.ts";
import type { QuizDocument } from "../../engine/document.ts";
import { choice, chosen, content, jumpWhere, option, page, quizDocument, text } from "../../testkit/document-parts.ts";
import { compiled, type OpenedRun, openedRun, startedRun } from "../../testkit/opened-runs.ts";
import { finderQuiz, surveyQuiz } from "../../testkit/small-quizzes.ts";

describe("the finish of a run", () => {
  const toResult = () => {
    const shopper = startedRun(finderQuiz);
    shopper.run.answer("skin_type", { option_ids: ["skin_type_3"] });
    shopper.run.next();
    shopper.told();
    shopper.heard();
    shopper.run.next();
    return shopper;
  };

  it("is told on a result page, with the result [player.finish]", () => {
    const { run, told, heard } = toResult();
    expect(told().map(({ type }) => type)).toEqual(["page_entered", "products_shown", "quiz_finished"]);
    expect(heard()).toEqual([
      { type: "page", page_key: "result", position: 3, of: 3 },
      {
        type: "result",
        page_key: "result",
        winner: null,
        points: { dry: 0, oily: 0 },
        products: run.view.products.get("picks"),
        outcome: { page_key: "result", dimension_id: null, name: "result" },
      },
      { type: "finished", page_key: "result" },
    ]);
    expect(run.view).toMatchObject({ finished: true, isLast: true, ended: false, progress: 1 });
  });

  it("tells the result that the page belongs to [people.outcome]", () => {
    const outcome = { dimension_id: "dry" };
    const quiz = compiled([page("end", [], { kind: "result", outcome })], {
      dimensions: [{ dimension_id: "dry", name: "Dry skin" }],
    });
    const { run, heard } = openedRun(quiz);
    run.start();
    expect(heard()).toContainEqual(
      expect.objectContaining({ type: "result", outcome: { page_key: "end", dimension_id: "dry", name: "Dry skin" } }),
    );
  });

  it("stays, whatever the shopper changes after it, and is told once [player.finish]", () => {
    const { run, told, heard } = toResult();
    told();
    heard();
    run.back();
    run.back();
    run.answer("skin_type", { option_ids: ["skin_type_2"] });
    run.answer("skin_type", { option_ids: ["skin_type_3"] });
    run.next();
    run.next();
    expect(told().filter(({ type }) => type === "quiz_finished")).toEqual([]);
    expect(heard().filter(({ type }) => type === "finished" || type === "result")).toHaveLength(1);
    expect(run.view.finished).toBe(true);
  });

  it("of a quiz without a result page is told by the button of its last page [player.finish-button]", () => {
    const shopper = startedRun(surveyQuiz);
    const { run, told, heard } = shopper;
    run.answer("sweet", { option_ids: ["sweet_1"] });
    run.next();
    expect(run.view).toMatchObject({ isLast: false, canSkip: true });
    run.skip();
    expect(run.view).toMatchObject({ isLast: true, ended: false, finished: false });
    told();
    heard();
    expect(run.next()).toEqual([]);
    expect(told()).toEqual([{ type: "quiz_finished", page_key: "thanks" }]);
    expect(heard()).toEqual([{ type: "finished", page_key: "thanks" }]);
    expect(run.view).toMatchObject({ ended: true, finished: true });
    const { view } = run;
    run.next();
    expect(told()).toEqual([]);
    expect(run.view).not.toBe(view);
  });

  it("is left by Back, which tells nothing and leads to the last page, and stays left in what is kept [player.closing-page]", () => {
    const { run, told, heard } = startedRun(surveyQuiz);
    run.answer("sweet", { option_ids: ["sweet_1"] });
    run.next();
    run.skip();
    run.next();
    told();
    heard();
    run.back();
    expect(run.view).toMatchObject({ page: { page_key: "thanks" }, ended: false, finished: true });
    expect(run.saved).toMatchObject({ page_key: "thanks", ended: false });
    expect([told(), heard()]).toEqual([[], []]);
    run.next();
    expect(run.view.ended).toBe(true);
    run.back();
    run.back();
    expect(run.view).toMatchObject({ page: { page_key: "day" }, ended: false });
  });

  it("waits for an answer where none was given, and counts from then on [player.finish-waits]", () => {
    const { run, told, heard } = startedRun(surveyQuiz);
    run.next();
    run.skip();
    told();
    heard();
    run.next();
    expect(told()).toEqual([{ type: "quiz_finished", page_key: "thanks" }]);
    expect(run.view).toMatchObject({ ended: true, finished: false });
    expect(heard()).toEqual([]);
    run.back();
    run.back();
    heard();
    run.answer("sweet", { option_ids: ["sweet_2"] });
    expect(heard().map(({ type }) => type)).toEqual(["answered", "finished"]);
    expect(run.view.finished).toBe(true);
  });

  it("waits for a required answer on another page that was visited [player.finish-waits]", () => {
    const quiz = compiled(
      [
        page("one", [choice("a", [option("x"), option("y")])]),
        page("two", [text("b", { required: true })]),
        page("result", [], { kind: "result" }),
      ],
      { jump_rules: [jumpWhere("past", ["one", "result"], "a", "y")] },
    );
    const { run, told, heard } = startedRun(quiz);
    run.answer("a", { option_ids: ["x"] });
    run.next();
    run.back();
    run.answer("a", { option_ids: ["y"] });
    run.next();
    expect(told().at(-1)).toEqual({ type: "quiz_finished", page_key: "result" });
    expect(heard().some(({ type }) => type === "finished")).toBe(false);
    run.back();
    run.answer("a", { option_ids: ["x"] });
    run.next();
    run.answer("b", { value: "here" });
    expect(heard().at(-1)).toEqual({ type: "finished", page_key: "result" });
    run.next();
    expect(told().filter(({ type }) => type === "quiz_finished")).toEqual([]);
  });
});

describe("how far a shopper is", () => {
  const steps = (document: QuizDocument) => startedRun(compileQuiz(document));
  const far = ({ run }: OpenedRun) => [run.view.position, run.view.of];

  it("counts the pages on the way and those to come, by the jumps as they stand [player.position]", () => {
    const shopper = steps(
      quizDocument(
        [
          page("one", [choice("a", [option("x"), option("y")])]),
          page("two", []),
          page("three", []),
          page("r1", [], { kind: "result" }),
          page("r2", [], { kind: "result" }),
        ],
        { jump_rules: [jumpWhere("past", ["one", "r2"], "a", "y")] },
      ),
    );
    expect(far(shopper)).toEqual([1, 4]);
    shopper.run.answer("a", { option_ids: ["y"] });
    expect(far(shopper)).toEqual([1, 2]);
    shopper.run.next();
    expect(far(shopper)).toEqual([2, 2]);
    shopper.run.back();
    expect(far(shopper)).toEqual([1, 2]);
  });

  it("comes to an end in a loop of jumps [player.position]", () => {
    const always = { all: [] };
    const shopper = steps(
      quizDocument([page("one", []), page("two", [])], {
        jump_rules: [{ jump_rule_key: "again", source_page_key: "two", when: always, target_page_key: "one" }],
      }),
    );
    expect(far(shopper)).toEqual([1, 2]);
    shopper.run.next();
    shopper.run.next();
    expect(far(shopper)).toEqual([3, 4]);
  });

  it("does not fall where an answer brings up pages, only on Back [player.progress]", () => {
    const more = { visible_when: chosen("a", "x") };
    const pages = ["three", "four", "five"].map((key) => page(key, [content(`c_${key}`, "")], more));
    const question = choice("a", [option("x")]);
    const shopper = steps(quizDocument([page("one", []), page("two", [question]), ...pages, page("last", [])]));
    const { run } = shopper;
    expect(run.view.progress).toBeCloseTo(1 / 3);
    run.next();
    expect(run.view.progress).toBeCloseTo(2 / 3);
    run.answer("a", { option_ids: ["x"] });
    expect([run.view.progress, ...far(shopper)]).toEqual([expect.closeTo(2 / 3), 2, 6]);
    const passed = [0, 0, 0, 0].map(() => {
      run.next();
      return run.view.progress;
    });
    expect(passed).toEqual([expect.closeTo(2 / 3), expect.closeTo(2 / 3), expect.closeTo(5 / 6), 1]);
    run.back();
    expect(run.view.progress).toBeCloseTo(5 / 6);
  });
});
