import { randomUUID } from "node:crypto";
import type { QuizDocument } from "../engine/document.ts";
import type { TestApp, TestStore } from "./app.ts";
import { makeQuiz, type TestQuiz } from "./quizzes.ts";
import { send } from "./storefront.ts";

/** A quiz with one question of every kind, and shoppers who answer it over the storefront. */

export interface SearchQuizOptions {
  /** labels of the options o1, o2, ... of `tone` */
  labels: readonly string[];
  /** leaves out the question `years` */
  withoutYears?: boolean;
}

export function searchDocument({ labels, withoutYears = false }: SearchQuizOptions): QuizDocument {
  const asked = { required: false };
  const option = (label: string, index: number) => ({
    option_id: `o${index + 1}`,
    label,
    image_url: null,
    points: { calm: index },
  });
  const page = { skippable: false, visible_when: null };
  const years = {
    kind: "number",
    component_key: "years",
    question: "Age?",
    ...asked,
    min: null,
    max: null,
    step: 1,
  } as const;
  return {
    pages: [
      {
        ...page,
        page_key: "start",
        title: "Start",
        kind: "question",
        components: [
          {
            kind: "choice",
            component_key: "tone",
            question: "Tone?",
            ...asked,
            multiple: true,
            options: labels.map(option),
          },
          ...(withoutYears ? [] : [{ ...years, unit: null, style: "field" as const }]),
          { kind: "date", component_key: "born", question: "Born?", ...asked, with_time: true },
          { kind: "text", component_key: "note", question: "Anything?", ...asked, max_length: 500 },
          {
            kind: "email",
            component_key: "mail",
            question: "Email?",
            ...asked,
            consent: { label: "News", required: false },
          },
          { kind: "phone", component_key: "phone", question: "Phone?", ...asked, consent: null },
        ],
      },
      {
        ...page,
        page_key: "end",
        title: "End",
        kind: "result",
        components: [
          { kind: "formula", component_key: "twice", label: "Twice", expression: withoutYears ? "1 + 1" : "years * 2" },
        ],
      },
    ],
    jump_rules: [],
    dimensions: [{ dimension_id: "calm", name: "Calm" }],
    property_mappings: [],
  };
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

/** Sends a shopper's answers by component (option ids as an array), and finishes where it is said. */
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
