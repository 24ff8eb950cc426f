import type { RefObject } from "react";

/** A file to choose, opened by a button or a menu of the screen's own. */
export const QuizFileInput = ({
  input,
  take,
}: {
  input: RefObject<HTMLInputElement | null>;
  take: (file: File) => void;
}) => (
  <input
    ref={input}
    type="file"
    accept="application/json,.json"
    hidden
    aria-label="A quiz document"
    onChange={(event) => {
      const [chosen] = event.currentTarget.files ?? [];
      event.currentTarget.value = "";
      if (chosen) take(chosen);
    }}
  />
);
