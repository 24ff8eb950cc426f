import type { QuizDocument } from "./document.ts";
import { isChoice } from "./kinds/value.ts";

interface NamelessOption {
  /** dotted path of the option's label */
  path: string;
  message: string;
}

const isBlank = (text: string | null | undefined): boolean => (text ?? "").trim() === "";

/**
 * Options that shoppers, figures and exports could only show by their id: without a label, and without a picture whose
 * text says what it is. No new version may have one [quiz-documents.option-texts].
 */
export const namelessOptions = ({ pages }: QuizDocument): NamelessOption[] =>
  pages.flatMap(({ components }, page) =>
    components.flatMap((component, at) =>
      isChoice(component)
        ? component.options.flatMap(({ label, image_url, image_alt }, option) =>
            isBlank(label) && (image_url === null || isBlank(image_alt))
              ? [{ path: `pages.${page}.components.${at}.options.${option}.label`, message }]
              : [],
          )
        : [],
    ),
  );

const message = "the option has no text";
