import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryQuiz } from "../testkit/documents.ts";
import { normaliseAnswer } from "./answers.ts";
import { compileQuiz } from "./compile-quiz.ts";
import type { DateComponent, NumberComponent, QuestionComponent } from "./document.ts";
import type { NormalisedAnswer } from "./kinds/normalised.ts";

const base = { component_key: "c", question: "?", required: false };
const option = (option_id: string) => ({ option_id, label: option_id, image_url: null, points: {} });
const single: QuestionComponent = { kind: "choice", ...base, multiple: false, options: [option("a"), option("b")] };
const multiple: QuestionComponent = { ...single, kind: "image", multiple: true };
const text: QuestionComponent = { kind: "text", ...base, max_length: 5 };
const email: QuestionComponent = { kind: "email", ...base, consent: null };
const phone: QuestionComponent = { kind: "phone", ...base, consent: null };
const day: DateComponent = { kind: "date", ...base, with_time: false };
const moment: DateComponent = { ...day, with_time: true };
function number(min: number | null, max: number | null, step: number): NumberComponent {
  return { kind: "number", ...base, min, max, step, unit: null, style: "field" };
}

const cleared: NormalisedAnswer = { ok: true, value: null };
const invalid: NormalisedAnswer = { ok: false, reason: "invalid_value" };
const all = [single, multiple, text, email, phone, day, moment, number(null, null, 1)];

describe("a shopper's answer against its component", () => {
  it.each(all)(
    "clears with null and an empty list, and says nothing without either: $kind [engine.clearing]",
    (component) => {
      expect(normaliseAnswer(component, { value: null })).toEqual(cleared);
      expect(normaliseAnswer(component, { option_ids: [] })).toEqual(cleared);
      expect(normaliseAnswer(component, { option_ids: null })).toEqual(cleared);
      expect(normaliseAnswer(component, {})).toEqual(invalid);
    },
  );

  it("takes options that the question has, one for a single choice [engine.choice-answers]", () => {
    expect(normaliseAnswer(single, { option_ids: ["b", "b"] })).toEqual({ ok: true, value: { option_ids: ["b"] } });
    expect(normaliseAnswer(multiple, { option_ids: ["b", "a"] })).toEqual({
      ok: true,
      value: { option_ids: ["b", "a"] },
    });
    expect(normaliseAnswer(single, { option_ids: ["a", "b"] })).toEqual(invalid);
    expect(normaliseAnswer(multiple, { option_ids: ["a", "c"] })).toEqual({ ok: false, reason: "unknown_option" });
    expect(normaliseAnswer(single, { value: "a" })).toEqual(invalid);
    expect(normaliseAnswer(text, { option_ids: ["a"] })).toEqual(invalid);
  });

  it.each([
    [number(0, 10, 1), [0, 7, 10], [-1, 11, 0.5]],
    [number(1, null, 0.1), [1, 1.3, 0.1 * 11, 1e6 + 0.1], [0.9, 1.05]],
    [number(null, 5, 2), [4, -4, 0], [3, 6]],
    [number(-3, 3, 4), [-3, 1], [3, 0]],
    [number(null, null, 0.001), [123456789.123, 0.3, -0.007], [0.0005, Number.NaN, Number.POSITIVE_INFINITY]],
  ])("takes numbers within bounds and on a step, case %# [engine.number-answers]", (component, good, bad) => {
    for (const value of good) expect(normaliseAnswer(component, { value })).toEqual({ ok: true, value: { value } });
    for (const value of bad) expect(normaliseAnswer(component, { value })).toEqual(invalid);
  });

  it("takes no numeric text for a number, and no number for a text [engine.number-answers, engine.text-answers]", () => {
    expect(normaliseAnswer(number(0, 10, 1), { value: "7" })).toEqual(invalid);
    expect(normaliseAnswer(text, { value: 7 })).toEqual(invalid);
    expect(normaliseAnswer(day, { value: 20260101 })).toEqual(invalid);
    expect(normaliseAnswer(email, { value: { date: "2026-01-01" } })).toEqual(invalid);
  });

  it("bounds texts in characters and refuses what cannot be stored [engine.text-answers]", () => {
    expect(normaliseAnswer(text, { value: "🙂🙂🙂🙂🙂" })).toMatchObject({ ok: true });
    expect(normaliseAnswer(text, { value: "123456" })).toEqual(invalid);
    expect(normaliseAnswer(text, { value: "  " })).toEqual(cleared);
    expect(normaliseAnswer(text, { value: "a\u0000" })).toEqual(invalid);
    expect(normaliseAnswer(text, { value: "a\ud800" })).toEqual(invalid);
    expect(normaliseAnswer(email, { value: " Not an Email " })).toEqual({
      ok: true,
      value: { value: " Not an Email " },
    });
    expect(normaliseAnswer(phone, { value: "x".repeat(320) })).toMatchObject({ ok: true });
    expect(normaliseAnswer(phone, { value: "x".repeat(321) })).toEqual(invalid);
  });

  it("takes real days, with a time where the question asks for one [engine.date-answers]", () => {
    const taken = (date: string, time: string | null) => ({ ok: true, value: { value: { date, time } } });
    expect(normaliseAnswer(day, { value: "2024-02-29" })).toEqual(taken("2024-02-29", null));
    expect(normaliseAnswer(day, { value: { date: "2000-02-29" } })).toEqual(taken("2000-02-29", null));
    expect(normaliseAnswer(day, { value: { date: "2026-12-31", time: null } })).toEqual(taken("2026-12-31", null));
    expect(normaliseAnswer(moment, { value: { date: "2026-12-31", time: "23:59" } })).toEqual(
      taken("2026-12-31", "23:59"),
    );
    expect(normaliseAnswer(moment, { value: "2026-12-31T08:05" })).toEqual(taken("2026-12-31", "08:05"));
    expect(normaliseAnswer(moment, { value: { date: "2026-12-31", time: "" } })).toEqual(taken("2026-12-31", null));
    expect(normaliseAnswer(day, { value: { date: "", time: null } })).toEqual(cleared);
    for (const date of [
      "2026-02-29",
      "1900-02-29",
      "2026-04-31",
      "2026-13-01",
      "2026-00-10",
      "2026-1-1",
      "0000-01-01",
      "soon",
    ]) {
      expect(normaliseAnswer(moment, { value: { date } })).toEqual(invalid);
    }
    for (const time of ["24:00", "8:05", "12:60", "noon"]) {
      expect(normaliseAnswer(moment, { value: { date: "2026-01-01", time } })).toEqual(invalid);
    }
    expect(normaliseAnswer(day, { value: { date: "2026-01-01", time: "10:00" } })).toEqual(invalid);
    expect(normaliseAnswer(day, { value: "2026-01-01T10:00" })).toEqual(invalid);
  });

  it("takes every valid answer as it is", () => {
    fc.assert(
      fc.property(arbitraryQuiz(), ({ document, answers }) => {
        const quiz = compileQuiz(document);
        for (const [key, answer] of answers) {
          const component = quiz.questions.get(key)!.component;
          const raw = "option_ids" in answer ? { option_ids: answer.option_ids } : { value: answer.value };
          expect(normaliseAnswer(component, raw)).toEqual({ ok: true, value: answer });
        }
      }),
    );
  });
});
