import type { EnterCause } from "../../contract/storefront.ts";
import type { AnswerValue, QuestionComponent } from "../../engine/document.ts";
import { isChoice, isContact } from "../../engine/kinds/value.ts";
import type { Step } from "../../engine/path.ts";
import type { NewEvent } from "./types.ts";

/** How a step leads to a page. */
export type Way = Omit<Extract<Step, { kind: "page" }>, "kind" | "cause">;

export const arrivalEvent = ({ page_key, jump_rule_key, hidden_page_keys }: Way, cause: EnterCause): NewEvent => ({
  type: "page_entered",
  page_key,
  cause,
  ...(cause === "jump" && { jump_rule_key }),
  ...(hidden_page_keys.length > 0 && { hidden_page_keys }),
});

/** @param box the state of the consent box, which counts only if the field has one [player.consent-box] */
export function answerEvent(
  page_key: string,
  component: QuestionComponent,
  answer: AnswerValue | null,
  box: boolean | null,
): NewEvent {
  const { component_key } = component;
  const value = answer ?? (isChoice(component) ? { option_ids: [] } : { value: null });
  const hasBox = isContact(component) && component.consent !== null;
  const base = { type: "answer_saved" as const, page_key, component_key, ...(hasBox && { consent: box === true }) };
  // nothing changes the lists in answers and events
  return { ...base, ...value } as NewEvent;
}
