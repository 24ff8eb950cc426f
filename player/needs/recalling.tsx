/** @jsxImportSource #draw */
import type { ContentComponent, QuizDocument } from "../../engine/document.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { fillHtml, fillText, type RecallOf, recallOf } from "../../engine/recall-values.ts";
import { readQuiz } from "../embed/read-quiz.ts";
import type { RunView } from "../run/types.ts";
import { Content } from "../view/content.tsx";
import type { PartProps, Stage } from "../view/stage.ts";

/** What a document that recalls answers and results needs [engine.recall]. */

const quizzes = new WeakMap<QuizDocument, Quiz>();
const values = new WeakMap<RunView, RecallOf>();

/** Once for each state of the run, however many texts recall something. */
function valuesOf({ options, view, locale }: Stage): RecallOf {
  const { live, brought } = options;
  const quiz = quizzes.get(live.document) ?? readQuiz(live, brought);
  quizzes.set(live.document, quiz);
  const of = values.get(view) ?? recallOf(quiz, view.answers, locale);
  values.set(view, of);
  return of;
}

export const fill = (stage: Stage, text: string): string => fillText(text, valuesOf(stage));

export const content = ({ stage, component }: PartProps<ContentComponent>) => {
  const html = fillHtml(component.html_text, valuesOf(stage));
  return <Content key={html} stage={stage} html={html} />;
};
