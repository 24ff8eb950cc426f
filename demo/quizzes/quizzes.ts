import type { QuizDocument } from "../../engine/document.ts";
import { consultation } from "./consultation.ts";
import { gift } from "./gift.ts";
import { routineFirst, routineSecond } from "./routine.ts";

interface DemoVersion {
  document: QuizDocument;
  /** days before the end of the demo's history; null = live from its beginning */
  publishedDaysBeforeEnd: number | null;
}

export interface DemoQuiz {
  name: string;
  /** share of the shop's visits that open this quiz */
  share: number;
  /** oldest first */
  versions: readonly DemoVersion[];
}

const sinceBeginning = (document: QuizDocument): DemoVersion => ({ document, publishedDaysBeforeEnd: null });

/** The quizzes of the demo shop. Only the first has a history: its second version adds an option and drops a page and another option. */
export const demoQuizzes: readonly DemoQuiz[] = [
  {
    name: "Find your daily routine",
    share: 0.62,
    versions: [sinceBeginning(routineFirst), { document: routineSecond, publishedDaysBeforeEnd: 24 }],
  },
  { name: "The gift finder", share: 0.27, versions: [sinceBeginning(gift)] },
  { name: "Book a skin consultation", share: 0.11, versions: [sinceBeginning(consultation)] },
];
