import type { Screens } from "./dashboard-screens.ts";
import type { TestQuiz } from "./quizzes.ts";
import { newShopper, searchQuiz, shop } from "./search-quiz.ts";

/** Data for the dashboard's screens of people: a quiz with a question of every kind, and three people who took it. */

export const peopleQuiz = ({ t, store }: Pick<Screens, "t" | "store">): Promise<TestQuiz> =>
  searchQuiz(t, store, { labels: ["Dry", "Oily", "بشرة مختلطة"] });

type Answers = Parameters<typeof shop>[4];

export const people: { answers: Answers; finish: boolean }[] = [
  { answers: { tone: ["o1"], years: 30, note: "Dry skin", mail: "ada@example.com" }, finish: true },
  { answers: { tone: ["o2"], years: 50, mail: `${"b".repeat(60)}@example.com` }, finish: true },
  { answers: { tone: ["o1", "o3"], years: 60, phone: "+4915112345678" }, finish: false },
];

export async function addPeople({ t, store }: Pick<Screens, "t" | "store">, quiz: TestQuiz): Promise<void> {
  for (const { answers, finish } of people) {
    t.calendar.advance(1_000);
    await shop(t, store, quiz, newShopper(), answers, finish);
  }
}
