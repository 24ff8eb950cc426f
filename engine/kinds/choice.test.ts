import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choice, option, page, quizDocument } from "../../testkit/document-parts.ts";
import type { RawAnswer } from "../answers.ts";
import { checkDocument } from "../check.ts";
import { choiceLimits } from "../choice-limits.ts";
import { compileQuiz } from "../compile-quiz.ts";
import type { ChoiceComponent } from "../document.ts";
import { missingRequired } from "../missing.ts";
import { answerOf } from "../quiz.ts";

const ids = ["a", "b", "c", "d", "e"];
const component = fc.record({
  multiple: fc.boolean(),
  min_choices: fc.constantFrom(undefined, null, 0, 1, 2, 3),
  max_choices: fc.constantFrom(undefined, null, 3, 4),
  exclusive: fc.subarray(ids, { maxLength: 2 }),
  other: fc.constantFrom(null, ...ids),
  options: fc.subarray(ids, { minLength: 1 }),
});

type Drawn = typeof component extends fc.Arbitrary<infer Shape> ? Shape : never;

const questionOf = ({ multiple, min_choices, max_choices, exclusive, other, options }: Drawn): ChoiceComponent =>
  choice(
    "q",
    options.map((id) =>
      option(id, {
        ...(exclusive.includes(id) && { exclusive: true }),
        ...(id === other && { other: true }),
      }),
    ),
    {
      multiple,
      required: true,
      ...(min_choices !== undefined && { min_choices }),
      ...(max_choices !== undefined && { max_choices }),
    },
  );

/** The rules, one after the other. */
function modelOf(
  drawn: Drawn,
  sent: readonly string[],
  text: string | null,
): string | { ids: string[]; text: string | null } {
  const picked: string[] = [];
  for (const id of sent) if (!picked.includes(id)) picked.push(id);
  if (picked.some((id) => !drawn.options.includes(id))) return "unknown_option";
  if (!drawn.multiple && picked.length > 1) return "invalid_value";
  for (const id of picked) if (drawn.exclusive.includes(id) && picked.length !== 1) return "invalid_value";
  if (drawn.multiple && typeof drawn.max_choices === "number" && picked.length > drawn.max_choices)
    return "invalid_value";
  const hasText = drawn.other !== null && picked.includes(drawn.other) && text !== null && text.trim() !== "";
  if (hasText && Array.from(text).length > 200) return "invalid_value";
  return { ids: picked, text: hasText ? text : null };
}

describe("answers of choices with limits", () => {
  it("are accepted, refused and enough as a naive model says [engine.choice-limits, engine.other-text, engine.choice-answers]", () => {
    const text = fc.constantFrom(null, "", "  ", "rose", "🌹".repeat(200), "🌹".repeat(201), "x".repeat(201));
    fc.assert(
      fc.property(
        component,
        fc.array(fc.constantFrom(...ids), { minLength: 1, maxLength: 6 }),
        text,
        (drawn, sent, text) => {
          const question = questionOf(drawn);
          expect(checkDocument(quizDocument([page("p", [question])]))).toMatchObject({ ok: true });
          const expected = modelOf(drawn, sent, text);
          const raw: RawAnswer = { option_ids: sent, other_text: text };
          const read = answerOf({ choiceLimits }, question, raw);
          if (typeof expected === "string") {
            expect(read).toEqual({ ok: false, reason: expected });
            return;
          }
          const value = { option_ids: expected.ids, ...(expected.text !== null && { other_text: expected.text }) };
          expect(read).toEqual({ ok: true, value });
          const isOnlyExclusive = expected.ids.some((id) => drawn.exclusive.includes(id));
          const isEnough = isOnlyExclusive || expected.ids.length >= (drawn.min_choices ?? 0);
          const missing = missingRequired(compileQuiz(quizDocument([page("p", [question])])), new Map([["q", value]]), [
            "p",
          ]);
          expect(missing).toEqual(isEnough ? [] : [{ page_key: "p", component_key: "q", missing: "answer" }]);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("of a question that need not be answered may be too few [engine.choice-limits]", () => {
    const question = choice(
      "q",
      ids.map((id) => option(id)),
      { multiple: true, min_choices: 2 },
    );
    const quiz = compileQuiz(quizDocument([page("p", [question])]));
    expect(missingRequired(quiz, new Map([["q", { option_ids: ["a"] }]]), ["p"])).toEqual([]);
  });

  it("have no text that cannot be stored [engine.other-text]", () => {
    const question = choice("q", [option("a", { other: true })]);
    for (const other_text of ["a\0b", "\ud800"])
      expect(answerOf({ choiceLimits }, question, { option_ids: ["a"], other_text })).toEqual({
        ok: false,
        reason: "invalid_value",
      });
  });
});

describe("the settings of a choice", () => {
  const problemsOf = (question: object) => {
    const checked = checkDocument({ ...quizDocument([]), pages: [{ ...page("p", []), components: [question] }] });
    return checked.ok ? [] : checked.problems.map(({ path, message }) => `${path} ${message}`);
  };
  const at = "pages.0.components.0";
  const two = [option("a"), option("b")];

  it("are in order, whole, and of their type [quiz-documents.choice-settings]", () => {
    const asked = (more: object) => problemsOf({ ...choice("q", two, { multiple: true }), ...more });
    expect(asked({ min_choices: 2, max_choices: 2, shuffle: true })).toEqual([]);
    expect(asked({ min_choices: null, max_choices: null, shuffle: null })).toEqual([]);
    expect(asked({ min_choices: 3, max_choices: 2 })).toEqual([`${at}.min_choices is above max_choices`]);
    expect(asked({ min_choices: 1.5 })).toEqual([`${at}.min_choices must be a whole number`]);
    expect(asked({ max_choices: -1 })).toEqual([`${at}.max_choices must be from 1 to 200`]);
    expect(asked({ max_choices: "2" })).toEqual([`${at}.max_choices must be a number`]);
    expect(asked({ shuffle: "yes" })).toEqual([`${at}.shuffle must be true or false`]);
  });

  it("give a text field to one option at most [quiz-documents.choice-settings]", () => {
    const other = [option("a", { other: true }), option("b"), option("c", { other: true, exclusive: true })];
    expect(problemsOf(choice("q", other.slice(0, 2)))).toEqual([]);
    expect(problemsOf(choice("q", other))).toEqual([`${at}.options.2.other is already set on another option`]);
  });

  it("of a formula are a unit and decimals [quiz-documents.choice-settings]", () => {
    const formula = { kind: "formula", component_key: "f", label: "F", expression: "1" };
    const document = quizDocument([
      { ...page("p", []), components: [{ ...formula, kind: "formula", unit: "ml", decimals: 2 }] },
    ]);
    expect(checkDocument(document)).toEqual({ ok: true, document });
    expect(problemsOf({ ...formula, decimals: 10 })).toEqual([`${at}.decimals must be from 0 to 9`]);
    expect(problemsOf({ ...formula, unit: "x".repeat(51) })).toEqual([`${at}.unit must be 0 to 50 characters long`]);
  });
});
