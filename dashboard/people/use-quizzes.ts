import { useQuery } from "@tanstack/react-query";
import { getQuiz, listQuizzes, type QuizSummary } from "../../client/src/index.ts";
import { useApi } from "../app/api.ts";

const fresh = 60_000;

/** All quizzes that are not deleted. */
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

/** How many quizzes a picker shows at once while somebody types a name. */
export const shownAtOnce = 100;

/** A quiz's name; null if it was deleted, `…` while loading. */
export function useQuizName(): (id: string) => string | null {
  const { data } = useQuizzes();
  return (id) => (data === undefined ? "…" : (data.find((quiz) => quiz.id === id)?.name ?? null));
}

/** A quiz's questions, including those of earlier versions; nothing is known about a deleted quiz. */
export function useQuiz(quizId: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: ["quiz", quizId],
    staleTime: fresh,
    enabled: quizId !== null,
    queryFn: ({ signal }) => getQuiz(api, { path: { quiz_id: quizId ?? "" } }, { signal }),
  });
}
