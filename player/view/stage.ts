import type { ComponentChild } from "preact";
import type { FormulaComponent, Page, ProductsComponent, QuestionComponent } from "../../engine/document.ts";
import { isChoice, isQuestion } from "../../engine/quiz.ts";
import type { Run, RunView } from "../run/types.ts";
import type { Texts } from "../texts/types.ts";
import type { ScreenOptions } from "./types.ts";

/** What is wrong on a page, by component_key: with the answer, or with the consent box beside it. */
export interface Wrong {
  answers: ReadonlyMap<string, string>;
  consents: ReadonlyMap<string, string>;
}

export const nothingWrong: Wrong = { answers: new Map(), consents: new Map() };

/** Questions that are answered by typing, picking a date included. */
export type TypedComponent = Exclude<QuestionComponent, { kind: "choice" | "image" }>;

/** What every question is drawn from. */
export interface FieldProps {
  stage: Stage;
  /** of the field; what belongs to it has ids that begin so */
  id: string;
  /** what is wrong with the answer */
  wrong: string | undefined;
  /** what is wrong with the consent box */
  unticked: string | undefined;
  /** nothing is wrong with it any more */
  right(of: keyof Wrong, component_key: string): void;
}

/**
 * What not every quiz has, and therefore not every shopper downloads. A quiz that has it waits for it before its first
 * page, so that nothing is missing where the network goes away later.
 */
export interface Parts {
  fields: {
    TypedField(props: FieldProps & { component: TypedComponent }): ComponentChild;
    settleAll(stage: Stage): Map<string, string>;
    style: string;
  } | null;
  offers: {
    Products(props: { stage: Stage; block: ProductsComponent; id: string }): ComponentChild;
    NothingFits(props: { stage: Stage }): ComponentChild;
    fitsNothing(stage: Stage, page: Page): boolean;
    style: string;
  } | null;
  content: {
    Content(props: { stage: Stage; html: string }): ComponentChild;
    Fact(props: { stage: Stage; component: FormulaComponent }): ComponentChild;
    prepareSanitiser(): Promise<void>;
    style: string;
  } | null;
}

/** What the parts of a screen share while one run is shown. */
export interface Stage {
  options: ScreenOptions;
  /** the document's own words over the player's */
  texts: Texts;
  locale: string;
  parts: Parts;
  run: Run;
  view: RunView;
  /** what stands in fields, by component_key, also where it is no answer yet */
  typed: Map<string, string>;
  ticked: Map<string, boolean>;
  /** tells readers something that no focus leads to */
  say(text: string): void;
}

export const questionsOf = (page: Page): QuestionComponent[] => page.components.filter(isQuestion);

/** Settles all fields of the page; what is wrong, by component_key. */
export const settleAll = (stage: Stage): Map<string, string> => stage.parts.fields?.settleAll(stage) ?? new Map();

/** Goes on if nothing on the page is wrong or missing; else what is. */
export function goOn(stage: Stage): Wrong {
  const answers = settleAll(stage);
  if (answers.size > 0) return { answers, consents: new Map() };
  const consents = new Map<string, string>();
  for (const { component_key, missing } of stage.run.next()) {
    if (missing === "consent") consents.set(component_key, stage.texts.consent_missing);
    else answers.set(component_key, missingText(stage, component_key));
  }
  return { answers, consents };
}

function missingText({ texts, view }: Stage, component_key: string): string {
  const component = view.page?.components.find(
    (candidate) => isQuestion(candidate) && candidate.component_key === component_key,
  );
  if (component?.kind === "number" && component.style === "slider") return texts.slider_unset;
  if (component === undefined || !isQuestion(component) || !isChoice(component) || component.multiple) {
    return texts.answer_missing;
  }
  return texts.choose_one;
}
