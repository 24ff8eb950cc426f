import type { SpotlightActionData } from "@mantine/spotlight";
import { useNavigate } from "@tanstack/react-router";
import { useQuizzes } from "../people/use-quizzes.ts";
import { IconQuiz } from "../ui/icons.tsx";
import { useStoreOrNull } from "./session.ts";

/** The store's quizzes as command menu entries. */
export function useQuizActions(): SpotlightActionData[] {
  const store = useStoreOrNull();
  const navigate = useNavigate();
  const { data = [] } = useQuizzes({ enabled: store !== null });
  return data.map(({ id, name }) => ({
    id,
    label: name,
    leftSection: <IconQuiz />,
    onClick: () => void navigate({ to: "/quizzes/$quizId", params: { quizId: id } }),
  }));
}
