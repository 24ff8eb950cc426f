import type { ContactComponent, QuestionComponent } from "../../engine/document.ts";
import { readTyped, refusal, shownAnswer } from "./read-typed.ts";
import type { Stage, TypedComponent } from "./stage.ts";

export const isContact = (component: QuestionComponent): component is ContactComponent =>
  component.kind === "email" || component.kind === "phone";

/** What stands in a field: as it was typed, else the answer. */
export const typedIn = ({ typed, run, locale }: Stage, component: TypedComponent): string =>
  typed.get(component.component_key) ?? shownAnswer(run.view.answers.get(component.component_key), locale);

/** Whether a consent box is ticked; null where there is none. */
export const isTicked = ({ ticked, run }: Stage, component: TypedComponent): boolean | null =>
  isContact(component) && component.consent !== null
    ? (ticked.get(component.component_key) ?? run.view.consents.get(component.component_key) ?? false)
    : null;

/** What is wrong with what stands in a field, were it the answer. */
export function wrongWith(stage: Stage, component: TypedComponent): string | null {
  const reading = readTyped(component, typedIn(stage, component), stage.texts, stage.locale);
  return "wrong" in reading ? reading.wrong : null;
}

/** Makes what was typed or ticked in a field the answer; null, or what is wrong with it. */
export function settle(stage: Stage, component: TypedComponent): string | null {
  const { component_key } = component;
  if (!stage.typed.has(component_key) && !stage.ticked.has(component_key)) return null;
  const typed = typedIn(stage, component);
  const reading = readTyped(component, typed, stage.texts, stage.locale);
  if ("wrong" in reading) return reading.wrong;
  const taken = stage.run.answer(component_key, reading.raw, isTicked(stage, component) ?? undefined);
  return taken === "ok" ? null : refusal(component, typed, stage.texts, stage.locale);
}
