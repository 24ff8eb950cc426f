import { daysBetween } from "./calendar.ts";
import type { Answers, AnswerValue } from "./document.ts";
import type { PlacedQuestion, Quiz } from "./quiz.ts";
import { outsideTags, type Recalled, recalled, withFallbacks } from "./recall.ts";
import { formulaValues, pointsOf } from "./score.ts";
import { visibility } from "./visibility.ts";

/** What a placeholder stands for; null: its fallback. */
export type RecallOf = (what: Recalled) => string | null;

/**
 * What texts recall for these answers, in the forms of a locale (BCP 47) [engine.recall]. Answers on hidden pages and of
 * hidden questions are not recalled, since they do not count.
 */
export function recallOf(quiz: Quiz, answers: Answers, locale: string): RecallOf {
  const { counted } = visibility(quiz, answers);
  const points = pointsOf(quiz, counted);
  const formulaOf = formulaValues(quiz, counted, points);
  const hasNone = points.every(({ total }) => total === 0);
  const ranked = hasNone ? [] : [...points].sort((a, b) => b.total - a.total);
  const write = (value: number): string =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: 9 }).format(Math.round(value * 1000) / 1000);
  const totalOf = (id: string | null): number | null => {
    if (id !== null) return points.find(({ dimension_id }) => dimension_id === id)?.total ?? null;
    return points.reduce((sum, { total }) => sum + total, 0);
  };
  return (what) => {
    if (what.kind === "answer") {
      const question = quiz.questions.get(what.component_key);
      const answer = counted.get(what.component_key);
      return (question && answer && answerOf(question, answer, locale)) || null;
    }
    if (what.kind === "winner") return ranked[what.rank - 1]?.name.trim() || null;
    const value = what.kind === "points" ? totalOf(what.dimension_id) : formulaOf(what.component_key);
    return value === null ? null : write(value);
  };
}

/** Options as the locale lists things, in the document's order; numbers and dates in its form; texts as typed. */
function answerOf({ options }: PlacedQuestion, answer: AnswerValue, locale: string): string {
  if ("option_ids" in answer) {
    const chosen = [...options.values()].filter(({ option_id }) => answer.option_ids.includes(option_id));
    const names = chosen.map(
      ({ label, image_alt, option_id }) => withFallbacks(label).trim() || image_alt || option_id,
    );
    return new Intl.ListFormat(locale).format(names);
  }
  const { value } = answer;
  if (typeof value === "string") return value.trim();
  if (typeof value === "number") {
    return new Intl.NumberFormat(locale, { maximumFractionDigits: 9 }).format(value);
  }
  const time = value.time === null ? {} : { timeStyle: "short" as const };
  const form = new Intl.DateTimeFormat(locale, { dateStyle: "long", ...time, timeZone: "UTC" });
  const [hours = 0, minutes = 0] = (value.time ?? "").split(":").map(Number);
  return form.format(daysBetween("1970-01-01", value.date) * 86_400_000 + (hours * 60 + minutes) * 60_000);
}

/** A text with what it recalls. */
export const fillText = (text: string, of: RecallOf): string =>
  recalled(text, (what, fallback) => of(what) ?? fallback);

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** HTML with what its text recalls, escaped; the fallbacks are HTML already [engine.recall-html]. */
export const fillHtml = (html: string, of: RecallOf): string =>
  outsideTags(html, (text) =>
    recalled(
      text,
      (what, fallback) => of(what)?.replace(/[&<>"']/g, (character) => entities[character] ?? "") ?? fallback,
    ),
  );
