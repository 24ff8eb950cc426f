import { indexQuiz, type Quiz, type QuizParts } from "../../engine/quiz.ts";
import type { LiveQuiz } from "../live-quiz.ts";

/** Indexes a document with the formulas that the server parsed for it. */
export const readQuiz = ({ document, player }: Pick<LiveQuiz, "document" | "player">, parts: QuizParts): Quiz =>
  indexQuiz(document, ({ expression }) => player.formulas[expression] ?? null, parts);
