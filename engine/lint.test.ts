import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choice, option, page, quizDocument } from "../testkit/document-parts.ts";
import { arbitraryDocument, arbitraryQuiz } from "../testkit/documents.ts";
import { sampleQuiz } from "../testkit/sample-quiz.ts";
import { compileQuiz } from "./compile-quiz.ts";
import type { AnswerValue, ChoiceComponent, ChoiceOption, Condition, QuizDocument } from "./document.ts";
import { isChoice } from "./kinds/value.ts";
import { lint } from "./lint.ts";
import { dimensionsThatCannotWin } from "./lint-dimensions.ts";
import { firstStep, nextStep } from "./path.ts";

const always: Condition = { all: [] };
const never: Condition = { any: [] };

/** The findings on the sample after a change, as `code path`. */
function findingsAfter(change: (document: QuizDocument) => void): string[] {
  const document = sampleQuiz();
  change(document);
  return lint(document).map((finding) => `${finding.code} ${finding.path}`);
}

function jump(source_page_key: string, target_page_key: string, when: Condition) {
  return { jump_rule_key: `${source_page_key}>${target_page_key}`, source_page_key, target_page_key, when };
}

describe("the lint [quiz-documents.lint]", () => {
  it("finds nothing in a sound quiz", () => {
    expect(lint(sampleQuiz())).toEqual([]);
  });

  it("names what checkDocument refuses as errors", () => {
    expect(lint({ pages: 1 })).toEqual([
      { severity: "error", code: "invalid", path: "pages", message: "must be an array" },
    ]);
    const document = sampleQuiz();
    document.jump_rules[0]!.target_page_key = "gone";
    expect(lint(document)).toMatchObject([
      { severity: "error", code: "unknown_reference", path: "jump_rules.0.target_page_key" },
    ]);
  });

  it("names a quiz without pages [quiz-documents.lint]", () => {
    expect(lint({ pages: [] })).toMatchObject([{ code: "no_pages", severity: "warning" }]);
  });

  it("names options that could only be shown by their id, as errors [quiz-documents.option-texts]", () => {
    const document = sampleQuiz();
    const [first] = document.pages.flatMap(({ components }) => components.filter(isChoice));
    const added = [
      { label: "" },
      { label: " \t" },
      { label: "", image_url: "https://p.example/a.png" },
      { label: "", image_url: "https://p.example/a.png", image_alt: "A dry cheek" },
    ];
    const before = first!.options.length;
    for (const [index, option] of added.entries())
      first!.options.push({ option_id: `o${index}`, image_url: null, points: {}, ...option });
    const errors = lint(document).filter(({ severity }) => severity === "error");
    expect(errors.map(({ code, path }) => `${code} ${path.split(".").slice(-2).join(".")}`)).toEqual([
      `option_without_text ${before}.label`,
      `option_without_text ${before + 1}.label`,
      `option_without_text ${before + 2}.label`,
    ]);
  });

  it("names pages that nobody sees, and required questions there [quiz-documents.lint-paths]", () => {
    expect(
      findingsAfter((document) => {
        document.pages[1]!.visible_when = never;
      }),
    ).toEqual(["never_visible pages.1", "required_never_asked pages.1.components.0"]);
    expect(
      findingsAfter((document) => {
        document.jump_rules[0]!.when = always;
      }),
    ).toEqual(["unreachable_page pages.1", "required_never_asked pages.1.components.0", "unreachable_page pages.2"]);
    const orphan = findingsAfter((document) => {
      document.jump_rules = [jump("skin", "you", always)];
      document.pages[3]!.visible_when = { component_key: "spots", op: "answered" };
    });
    expect(orphan).toContain("never_visible pages.3");
  });

  it("names jumps in circles, as errors where there is no way out [quiz-documents.lint-paths]", () => {
    const back = jump("you", "skin", { component_key: "age", op: "gt", value: 100 });
    expect(findingsAfter((document) => document.jump_rules.push(back))).toEqual(["jump_loop jump_rules.1"]);
    const document = sampleQuiz();
    document.jump_rules.push({ ...back, when: always });
    expect(lint(document).find((finding) => finding.code === "jump_loop")?.severity).toBe("error");
    const onward = findingsAfter((quiz) => {
      quiz.jump_rules = [jump("you", "you", never)];
    });
    expect(onward).toEqual(["jump_rule_never_used jump_rules.0"]);
  });

  it("names dimensions that cannot win, and those without products [quiz-documents.lint-dimensions]", () => {
    expect(findingsAfter((document) => document.dimensions.push({ dimension_id: "glow", name: "Glow" }))).toEqual([
      "dimension_cannot_win dimensions.2",
    ]);
    const without = findingsAfter((document) => {
      const block = document.pages[3]!.components[0]!;
      if (block.kind === "products" && block.source !== "rules") block.products.splice(1, 2);
    });
    expect(without).toEqual(["dimension_without_products pages.3.components.0.products"]);
  });

  it("names product blocks without products", () => {
    const empty = findingsAfter((document) => {
      const block = document.pages[3]!.components[0]!;
      if (block.kind === "products" && block.source !== "rules") block.products = [];
    });
    expect(empty).toEqual(["product_block_empty pages.3.components.0.products"]);
  });

  it("names questions that cannot be answered as meant, conditions on later pages, ends without a result [quiz-documents.lint-questions]", () => {
    const odd = findingsAfter((document) => {
      const choice = document.pages[1]!.components[0]!;
      if (choice.kind === "choice") choice.options = [];
      const number = document.pages[2]!.components[0]!;
      if (number.kind === "number") Object.assign(number, { style: "slider", max: null });
      document.pages[0]!.visible_when = { component_key: "age", op: "not_answered" };
      document.pages[3]!.visible_when = { component_key: "age", op: "answered" };
      document.dimensions.push({ dimension_id: "age", name: "Age" });
    });
    expect(odd.sort()).toEqual([
      "ambiguous_name pages.2.components.3.expression",
      "asks_later_page pages.0.visible_when",
      "choice_without_options pages.1.components.0.options",
      "dimension_cannot_win dimensions.2",
      "ends_without_result pages.0",
      "ends_without_result pages.2",
      "slider_without_bounds pages.2.components.0",
    ]);
  });

  it("names limits of choices that cannot be met, and those without effect [quiz-documents.lint-choices]", () => {
    const found = (options: ChoiceOption[], more: Partial<ChoiceComponent>) =>
      lint(quizDocument([page("a", [choice("q", options, more)])])).map(
        ({ severity, code, path }) => `${severity} ${code} ${path.replace("pages.0.components.0.", "")}`,
      );
    const [a, b, none] = [option("a"), option("b"), option("none", { exclusive: true })];
    const few = { multiple: true, min_choices: 3 };
    expect(found([a, b, option("c")], few)).toEqual([]);
    expect(found([a, b], few)).toEqual(["warning choices_impossible min_choices"]);
    expect(found([a, b], { ...few, required: true })).toEqual(["error choices_impossible min_choices"]);
    expect(found([a, b, none], { ...few, required: true })).toEqual(["warning choices_impossible min_choices"]);
    expect(found([a, b], { min_choices: 2, required: true })).toEqual(["error choices_impossible min_choices"]);
    expect(found([a, none], { max_choices: 2 })).toEqual([
      "warning choice_setting_unused max_choices",
      "warning choice_setting_unused options.1.exclusive",
    ]);
    expect(found([a, none], { multiple: true, min_choices: 1, max_choices: 1 })).toEqual([]);
  });

  it("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), arbitraryDocument()), (value) => {
        expect(Array.isArray(lint(value))).toBe(true);
      }),
    );
  });

  it("a shopper meets no page that it calls unreachable, and no circle that it did not name [quiz-documents.lint-paths]", () => {
    fc.assert(
      fc.property(arbitraryQuiz(), ({ document, answers }) => {
        const quiz = compileQuiz(document);
        const findings = lint(document);
        const unreachable = new Set(
          findings.filter(({ code }) => /^(unreachable_page|never_visible)$/.test(code)).map(({ path }) => path),
        );
        const given = new Map<string, AnswerValue>();
        const seen = new Set<string>();
        let step = firstStep(quiz, given);
        let circle = false;
        // Twice around is enough: by then the shopper has answered all that is on the way.
        for (let moves = 0; step.kind === "page" && moves < 2 * document.pages.length + 2; moves += 1) {
          const placed = quiz.pages.get(step.page_key)!;
          expect(unreachable.has(`pages.${placed.index}`)).toBe(false);
          circle ||= seen.has(step.page_key);
          seen.add(step.page_key);
          for (const component of placed.page.components) {
            const key = "component_key" in component ? component.component_key : "";
            const answer = answers.get(key);
            if (answer !== undefined) given.set(key, answer);
          }
          step = nextStep(quiz, step.page_key, given);
        }
        if (circle) expect(findings.map((finding) => finding.code)).toContain("jump_loop");
        else expect(step.kind).toBe("end");
      }),
      { numRuns: 500 },
    );
  });

  it("no answers make a dimension win that it says cannot win, whichever options are chosen [quiz-documents.lint-dimensions]", () => {
    const points = fc.integer({ min: -1, max: 2 });
    const row = fc.tuple(points, points, points);
    const rows = fc.array(row, { maxLength: 5 });
    fc.assert(
      fc.property(rows, (table) => {
        const ids = ["a", "b", "c"];
        const options = table.map((totals, index) => ({
          option_id: String(index),
          label: "",
          image_url: null,
          points: Object.fromEntries(ids.map((id, at) => [id, totals[at]!])),
        }));
        const question: ChoiceComponent = {
          kind: "choice",
          component_key: "q",
          question: "",
          required: false,
          multiple: true,
          options,
        };
        const winners = new Set<string>();
        for (let mask = 0; mask < 2 ** table.length; mask += 1) {
          const chosen = table.filter((_, index) => (mask >> index) % 2 === 1);
          const totals = ids.map((_, at) => chosen.reduce((sum, each) => sum + each[at]!, 0));
          if (totals.some((total) => total !== 0)) winners.add(ids[totals.indexOf(Math.max(...totals))]!);
        }
        for (const id of dimensionsThatCannotWin(ids, [question])) expect(winners.has(id)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
