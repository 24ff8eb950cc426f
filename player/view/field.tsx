/** @jsxImportSource #draw */
import type { QuestionComponent } from "../../engine/document.ts";
import type { Stage } from "./stage.ts";

/** The question itself; only what may be left out says so, since most may not. */
export function Asked({ stage, component }: { stage: Stage; component: QuestionComponent }) {
  return (
    <>
      {component.question.trim() || component.component_key}
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

/** `aria-describedby` of those that are there. */
export const describedBy = (...ids: (string | false | undefined)[]): string | undefined =>
  ids.filter(Boolean).join(" ") || undefined;
