import { Select, type SelectProps } from "@mantine/core";
import { shownAtOnce, useQuizzes } from "./use-quizzes.ts";

type Props = Omit<SelectProps, "data" | "value" | "onChange"> & {
  value: string | null;
  onChange: (quizId: string | null) => void;
};

/**
 * Selects one of the store's quizzes by name; a selected quiz that is not listed, such as a deleted one, shows its id.
 */
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
