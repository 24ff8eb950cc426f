import { randomUUID } from "node:crypto";
import type { QuizDocument } from "../engine/document.ts";
import type { TestApp, TestStore } from "./app.ts";
import { choice, date, email, formula, number, option, page, phone, quizDocument, text } from "./document-parts.ts";
import { makeQuiz, type TestQuiz } from "./quizzes.ts";
import { send } from "./storefront.ts";

/** A quiz with one question of every kind, and shoppers who answer it through the storefront. */

export interface SearchQuizOptions {
  /** labels of the options o1, o2, ... of `tone` */
  labels: readonly string[];
  /** leaves out the question `years` */
  withoutYears?: boolean;
}

export function searchDocument({ labels, withoutYears = false }: SearchQuizOptions): QuizDocument {
  const tones = labels.map((label, index) => option(`o${index + 1}`, { label, points: { calm: index } }));
  const questions = [
    choice("tone", tones, { question: "Tone?", multiple: true }),
    ...(withoutYears ? [] : [number("years", { question: "Age?" })]),
    date("born", { question: "Born?", with_time: true }),
    text("note", { question: "Anything?", max_length: 500 }),
    email("mail"),
    phone("phone"),
  ];
  const twice = formula("twice", "Twice", withoutYears ? "1 + 1" : "years * 2");
  return quizDocument(
    [page("start", questions, { title: "Start" }), page("end", [twice], { title: "End", kind: "result" })],
    { dimensions: [{ dimension_id: "calm", name: "Calm" }] },
  );
}

export const searchQuiz = (t: TestApp, store: TestStore, options: SearchQuizOptions): Promise<TestQuiz> =>
  makeQuiz(t, store, { document: searchDocument(options), publish: true });

export interface Shopper {
  session: string;
  visitor: string;
  seq: number;
}

export const newShopper = (): Shopper => ({
  session: `sess_${randomUUID().replaceAll("-", "")}`,
  visitor: `vis_${randomUUID().replaceAll("-", "")}`,
  seq: 0,
});

/** Sends a shopper's answers by component (option ids as an array), and finishes if requested. */
export async function shop(
  t: TestApp,
  store: TestStore,
  quiz: TestQuiz,
  shopper: Shopper,
  answers: Record<string, string | number | string[] | { date: string; time: string | null }>,
  finish = false,
): Promise<void> {
  const at = new Date(t.calendar.now()).toISOString();
  const event = (type: string, more: object = {}) => ({
    id: `evt_${randomUUID()}`,
    seq: shopper.seq++,
    at,
    type,
    ...more,
  });
  const saved = Object.entries(answers).map(([component_key, given]) =>
    event("answer_saved", {
      page_key: "start",
      component_key,
      ...(Array.isArray(given) ? { option_ids: given } : { value: given }),
      ...(component_key === "mail" ? { consent: true } : {}),
    }),
  );
  const opening = shopper.seq === saved.length ? [event("quiz_opened")] : [];
  const end = finish
    ? [event("page_entered", { page_key: "end", cause: "next" }), event("quiz_finished", { page_key: "end" })]
    : [];
  const session = { id: shopper.session, visitor_id: shopper.visitor };
  const answered = await send(t, store, quiz, [...opening, ...saved, ...end], { session });
  if (answered.status !== 202 || answered.body.rejected.length > 0) throw new Error(answered.text);
}
