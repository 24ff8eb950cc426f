/** @jsxImportSource #draw */
import type { QuestionComponent } from "../../engine/document.ts";
import { type Stage, shownText } from "./stage.ts";

/** The question's text. Only optional questions are marked, because most are required. */
export function QuestionText({ stage, component }: { stage: Stage; component: QuestionComponent }) {
  return (
    <>
      {shownText(stage, component.question).trim() || component.component_key}
      {!component.required && <span class="optional"> {stage.texts.optional}</span>}
    </>
  );
}

export const Complaint = ({ id, text }: { id: string; text: string | undefined }) =>
  text === undefined ? null : (
    <p class="complaint" id={id}>
      {text}
    </p>
  );

/** The value of `aria-describedby`: the ids that are present. */
export const describedBy = (...ids: (string | false | 0 | null | undefined)[]): string | undefined =>
  ids.filter(Boolean).join(" ") || undefined;
