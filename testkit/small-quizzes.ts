import { compileQuiz } from "../engine/compile-quiz.ts";
import type { QuizDocument } from "../engine/document.ts";
import {
  choice,
  chosen,
  content,
  date,
  email,
  formula,
  jumpWhere,
  number,
  option,
  page,
  phone,
  products,
  quizDocument,
  text,
} from "./document-parts.ts";

/** Two small quizzes that together contain everything a session can encounter. */

const numbered = (component_key: string, points: readonly Record<string, number>[]) =>
  points.map((of, index) =>
    option(`${component_key}_${index + 1}`, { label: `${component_key} ${index + 1}`, points: of }),
  );

/**
 * skin (required) -> age (skippable, required) -> serum (only for skin_2) -> contact (optional) -> result; skin_3 jumps
 * from skin to contact.
 */
export const finderDocument: QuizDocument = quizDocument(
  [
    page("skin", [choice("skin_type", numbered("skin_type", [{ dry: 2 }, { oily: 3 }, {}]), { required: true })]),
    page("age", [number("years", { question: "Age?", required: true, min: 0, max: 120 })], { skippable: true }),
    page("serum", [choice("strength", numbered("strength", [{ dry: 1 }, { oily: 1 }]), { required: true })], {
      visible_when: chosen("skin_type", "skin_type_2"),
    }),
    page("contact", [email("mail"), phone("phone"), text("remark", { question: "Anything else?" })]),
    page("result", [formula("double", "Twice", "years * 2"), products("picks", [1, 2])], { kind: "result" }),
  ],
  {
    jump_rules: [jumpWhere("straight", ["skin", "contact"], "skin_type", "skin_type_3")],
    dimensions: [
      { dimension_id: "dry", name: "Dry" },
      { dimension_id: "oily", name: "Oily" },
    ],
  },
);

/** taste -> day -> thanks (content), without a result page: it is finished on its last reachable page. */
export const surveyDocument: QuizDocument = quizDocument([
  page("taste", [choice("sweet", numbered("sweet", [{}, {}]))]),
  page("day", [date("when", { question: "When?", required: true })], { skippable: true }),
  page("thanks", [content("bye", "<p>Bye</p>")], { kind: "content" }),
]);

export const finderQuiz = compileQuiz(finderDocument);
export const surveyQuiz = compileQuiz(surveyDocument);
