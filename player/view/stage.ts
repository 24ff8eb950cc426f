import type { Page, QuestionComponent } from "../../engine/document.ts";
import { isQuestion } from "../../engine/quiz.ts";
import type { Run, RunView } from "../run/types.ts";
import type { Texts } from "../texts/types.ts";
import type { ScreenOptions } from "./types.ts";

/** What is wrong on a page, by component_key: with the answer, or with the consent box beside it. */
export interface Wrong {
  answers: Map<string, string>;
  consents: Map<string, string>;
}

/** Questions that are answered by typing, picking a date included. */
export type TypedComponent = Exclude<QuestionComponent, { kind: "choice" | "image" }>;

/** What every question is drawn from [player.kinds]. */
export interface FieldProps {
  stage: Stage;
  /** of the field; what belongs to it has ids that begin so */
  id: string;
  /** what is wrong with the answer */
  wrong: string | undefined;
}

/** How far the adding of lines to the cart has come. */
export type Adding = { step: "adding" | "added" } | { step: "failed"; why: string };

/** What a page has in mind while it is shown; the next page begins anew. Keys are ids of fields and cards. */
export interface Here {
  wrong: Wrong;
  /** nobody clicked on this page yet */
  isNew: boolean;
  /** where sliders stand */
  moved: Map<string, number>;
  /** chosen variants */
  variants: Map<string, string>;
  carts: Map<string, Adding>;
  timers: Map<string, number>;
}

export const newHere = (): Here => ({
  wrong: { answers: new Map(), consents: new Map() },
  isNew: true,
  moved: new Map(),
  variants: new Map(),
  carts: new Map(),
  timers: new Map(),
});

/** Does something after a rest in place of what was to be done before. */
export function later({ here }: Stage, id: string, act: () => void, rest: number): void {
  clearTimeout(here.timers.get(id));
  here.timers.set(id, window.setTimeout(act, rest));
}

/** The second click of a double click on the page before is not meant for what now lies below the pointer [player.double-click]. */
export function swallowSecond({ here }: Stage, event: MouseEvent): void {
  if (here.isNew && event.detail > 1) {
    event.preventDefault();
    event.stopPropagation();
  }
  here.isNew = false;
}

/** Whatever was wrong with it, nothing is any more. */
export const setRight = ({ here }: Stage, of: keyof Wrong, component_key: string): boolean =>
  here.wrong[of].delete(component_key);

/** What the parts of a screen share. There is one for each screen, which changes; drawing begins from it alone. */
export interface Stage {
  options: ScreenOptions;
  /** the document's own words over the player's */
  texts: Texts;
  locale: string;
  run: Run;
  view: RunView;
  /** what stands in fields, by component_key, also where it is no answer yet */
  typed: Map<string, string>;
  ticked: Map<string, boolean>;
  here: Here;
  /** whether the next page that is drawn takes the focus */
  focuses: boolean;
  /** whether the shopper is still to say if an earlier visit goes on */
  asks: boolean;
  /** draws at once what has changed */
  draw(): void;
  place: HTMLElement;
  /** tells readers something that no focus leads to */
  say(text: string): void;
}

export const questionsOf = (page: Page): QuestionComponent[] => page.components.filter(isQuestion);
