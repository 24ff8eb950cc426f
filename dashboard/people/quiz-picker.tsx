import { Select, type SelectProps } from "@mantine/core";
import { shownAtOnce, useQuizzes } from "./use-quizzes.ts";

type Props = Omit<SelectProps, "data" | "value" | "onChange"> & {
  value: string | null;
  onChange: (quizId: string | null) => void;
};

/** One of the store's quizzes by its name; one that is chosen and not among them, such as a deleted one, by its id. */
export function QuizPicker({ value, onChange, ...rest }: Props) {
  const { data: quizzes = [], isLoading } = useQuizzes();
  const known = quizzes.map(({ id, name }) => ({ value: id, label: name }));
  const missing = value !== null && !known.some((quiz) => quiz.value === value);
  const data = missing ? [...known, { value, label: isLoading ? "…" : `Another quiz (${value})` }] : known;
  return (
    <Select
      data={data}
      value={value}
      onChange={onChange}
      searchable
      limit={shownAtOnce}
      nothingFoundMessage="No quiz of this name"
      comboboxProps={{ shadow: "md" }}
      {...rest}
    />
  );
}
