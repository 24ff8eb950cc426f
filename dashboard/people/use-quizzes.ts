import { useQuery } from "@tanstack/react-query";
import { getQuiz, listQuizzes, type QuizSummary } from "../../client/src/index.ts";
import { useApi } from "../app/api.ts";

const fresh = 60_000;

/** Every quiz that is not deleted. */
export function useQuizzes({ enabled = true } = {}) {
  const api = useApi();
  return useQuery({
    queryKey: ["every-quiz"],
    staleTime: fresh,
    enabled,
    queryFn: async ({ signal }) => {
      const quizzes: QuizSummary[] = [];
      for await (const quiz of listQuizzes(api, { query: { limit: 100 } }, { signal })) quizzes.push(quiz);
      return quizzes;
    },
  });
}

/** Of how many quizzes a list to choose from shows the first, while somebody types a name. */
export const shownAtOnce = 100;

/** What a quiz is called; null: it was deleted. `…` while that is not known. */
export function useQuizName(): (id: string) => string | null {
  const { data } = useQuizzes();
  return (id) => (data === undefined ? "…" : (data.find((quiz) => quiz.id === id)?.name ?? null));
}

/** What a quiz asks, with everything that earlier versions asked; of a deleted quiz nothing is known. */
export function useQuiz(quizId: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: ["quiz", quizId],
    staleTime: fresh,
    enabled: quizId !== null,
    queryFn: ({ signal }) => getQuiz(api, { path: { quiz_id: quizId ?? "" } }, { signal }),
  });
}
