import type { RefObject } from "react";

/** A hidden file input, opened by a button or menu of the screen. */
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
