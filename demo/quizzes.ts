import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { QuizDocument } from "../engine/document.ts";

interface DemoVersion {
  document: QuizDocument;
  /** days before the end of the demo's history; null: live from its beginning */
  publishedDaysBeforeEnd: number | null;
}

export interface DemoQuiz {
  name: string;
  /** share of the shop's visits that open this quiz */
  share: number;
  /** oldest first */
  versions: readonly DemoVersion[];
}

const read = (file: string): { name: string; document: QuizDocument } =>
  JSON.parse(readFileSync(join(import.meta.dirname, "quizzes", file), "utf8"));

function quizOf(share: number, first: string, later?: { file: string; publishedDaysBeforeEnd: number }): DemoQuiz {
  const { name, document } = read(first);
  const versions: DemoVersion[] = [{ document, publishedDaysBeforeEnd: null }];
  if (later) versions.push({ ...later, document: read(later.file).document });
  return { name, share, versions };
}

/**
 * The demo shop's quizzes: the files of `quizzes/`, in the form that `quizstore quiz import` reads. Only the first has
 * a history: its second version adds an option, and drops a page and another option. How they begin and end: [demo.quizzes]
 */
export const demoQuizzes: readonly DemoQuiz[] = [
  quizOf(0.62, "routine-first.json", { file: "routine.json", publishedDaysBeforeEnd: 24 }),
  quizOf(0.27, "gift.json"),
  quizOf(0.11, "consultation.json"),
];
