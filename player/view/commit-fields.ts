import type { RawAnswer } from "../../engine/answers.ts";
import { isChoice, isContact, isQuestion } from "../../engine/kinds/value.ts";
import { readTyped, refusal, shownAnswer } from "./read-typed.ts";
import { questionsOf, type Stage, type TypedComponent, type Wrong } from "./stage.ts";

/** The content of a field: what was typed, else the answer. */
export const typedIn = ({ typed, run, locale }: Stage, component: TypedComponent): string =>
  typed.get(component.component_key) ?? shownAnswer(run.view.answers.get(component.component_key), locale);

/** Whether a consent box is ticked; null if there is none. */
export const isTicked = ({ ticked, run }: Stage, component: TypedComponent): boolean | null =>
  isContact(component) && component.consent !== null
    ? (ticked.get(component.component_key) ?? run.view.consents.get(component.component_key) ?? false)
    : null;

/** What the content of a field is as an answer; null if it is none. */
function readField(stage: Stage, component: TypedComponent): RawAnswer | null {
  const typed = typedIn(stage, component);
  const text = typed.trim();
  if (component.kind !== "phone" || text === "") return readTyped(component, typed, stage.locale);
  return stage.phones?.read(stage, component, text) ?? null;
}

/** Whether the content of a field could be an answer. */
export const isReadable = (stage: Stage, component: TypedComponent): boolean => readField(stage, component) !== null;

/** Makes what was typed or ticked in a field the answer; returns null, or what is wrong with it [player.typed-text]. */
export function commitField(stage: Stage, component: TypedComponent): string | null {
  const { component_key } = component;
  if (!stage.typed.has(component_key) && !stage.ticked.has(component_key)) return null;
  const typed = typedIn(stage, component);
  const refused = stage.options.brought.refuse?.(stage, component, typed);
  if (refused) return refused;
  const answer = readField(stage, component);
  const isTaken = answer && stage.run.answer(component_key, answer, isTicked(stage, component) ?? undefined) === "ok";
  if (isTaken) return null;
  const own = component.kind === "phone" && stage.phones?.refusal?.(stage, component, typed);
  return own || refusal(component, typed, stage.texts, stage.locale);
}

/** Commits all fields of the page; returns what is wrong, by component_key. */
export function commitFields(stage: Stage): Map<string, string> {
  // takes over what is in the fields without an event
  stage.drawAgain();
  const { page } = stage.run.view;
  const wrong = new Map<string, string>();
  for (const component of page === null ? [] : questionsOf(page)) {
    const sentence = isChoice(component) ? null : commitField(stage, component);
    if (sentence !== null) wrong.set(component.component_key, sentence);
  }
  return wrong;
}

/** Goes on if nothing on the page is wrong or missing; else returns what is. */
export function goOn(stage: Stage): Wrong {
  const answers = commitFields(stage);
  if (answers.size > 0) return { answers, consents: new Map() };
  const consents = new Map<string, string>();
  for (const { component_key, missing } of stage.run.next()) {
    if (missing === "consent") consents.set(component_key, stage.texts.consent_missing);
    else answers.set(component_key, missingText(stage, component_key));
  }
  return { answers, consents };
}

function missingText(stage: Stage, component_key: string): string {
  const { texts, view, options } = stage;
  const component = view.page?.components.find(
    (candidate) => isQuestion(candidate) && candidate.component_key === component_key,
  );
  if (component === undefined || !isQuestion(component)) return texts.answer_missing;
  const own = options.brought.missing?.(stage, component);
  if (own) return own;
  if (component.kind === "number" && component.style === "slider") return texts.slider_unset;
  return isChoice(component) && !component.multiple ? texts.choose_one : texts.answer_missing;
}
