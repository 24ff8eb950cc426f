import type { RawAnswer } from "../../engine/answers.ts";
import type { Component, ContactComponent, NumberComponent, Page, QuestionComponent } from "../../engine/document.ts";
import { isQuestion } from "../../engine/kinds/value.ts";
import type { Quiz, QuizParts } from "../../engine/quiz.ts";
import type { Child } from "../draw/jsx-runtime.ts";
import type { Place } from "../embed/types.ts";
import type { LiveQuiz } from "../live-quiz.ts";
import type { SessionRecorder } from "../record/types.ts";
import type { Run, RunView, SavedRun } from "../run/types.ts";
import type { Texts } from "../texts/types.ts";
import type { AddToCart } from "./types.ts";

/** Errors on a page by component_key: of the answer, or of the consent box next to it. */
export interface Wrong {
  answers: Map<string, string>;
  consents: Map<string, string>;
}

/** Questions answered by typing, including picking a date. */
export type TypedComponent = Exclude<QuestionComponent, { kind: "choice" | "image" }>;

/** The props of every question [player.kinds]. */
export interface FieldProps {
  stage: Stage;
  /** the field's id, also the prefix of related ids */
  id: string;
  /** what is wrong with the answer */
  wrong: string | undefined;
  /** drawn below the question; the element with the id `${id}-help` describes the field */
  help?: Child;
}

/** The progress of adding lines to the cart. */
export type Adding = { step: "adding" | "added" } | { step: "failed"; why: string };

/** The state of a page while it is shown; the next page starts with a new one. Keys are ids of fields and cards. */
export interface Here {
  wrong: Wrong;
  /** nothing was clicked on this page yet */
  isNew: boolean;
  /** positions of sliders */
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

/** Runs `act` after `rest` ms, replacing an earlier one with this id. */
export function later({ here }: Stage, id: string, act: () => void, rest: number): void {
  clearTimeout(here.timers.get(id));
  here.timers.set(id, window.setTimeout(act, rest));
}

/**
 * Ignores the second click of a double click on the previous page, which is not meant for what is now under the pointer
 * [player.double-click].
 */
export function swallowSecond({ here }: Stage, event: MouseEvent): void {
  if (here.isNew && event.detail > 1) {
    event.preventDefault();
    event.stopPropagation();
  }
  here.isNew = false;
}

/** Clears an error of a component. */
export const setRight = ({ here }: Stage, of: keyof Wrong, component_key: string): boolean =>
  here.wrong[of].delete(component_key);

export interface PhoneProps extends FieldProps {
  component: ContactComponent;
}

/** What fields for phones need (phones.tsx). */
export interface Phones {
  /**
   * What is reported of a typed phone, or null: the text as it is if it is in international notation, else the number in
   * E.164, since the server may take the shopper to be elsewhere [player.contacts].
   */
  read(stage: Stage, component: ContactComponent, text: string): RawAnswer | null;
  /** why a text is no answer, if there is more to say than that */
  refusal?(stage: Stage, component: ContactComponent, text: string): string | null;
  /** the choice of a country, where it is unknown */
  Country(props: PhoneProps): Child;
}

export interface PartProps<Drawn extends Component = Component> {
  stage: Stage;
  component: Drawn;
  /** the field's id, also the prefix of related ids */
  id: string;
  /** goes to the next page; null: an answer alone does not lead there */
  goesOn: (() => void) | null;
}

/** Like `createRun`, of a quiz that asks the server for products. */
export type MakeRun = (
  quiz: Quiz,
  saved: SavedRun | null,
  sells: (product_id: string) => boolean,
  found: {
    /** a preview may have no version */
    live: Pick<LiveQuiz, "quiz_id" | "catalog"> & { version_id: string | null };
    /** null: nothing is reported */
    recorder: SessionRecorder | null;
  },
  place: Pick<Place, "element" | "page">,
) => Run;

/** Draws components of a kind, of which it gets the `PartProps`, in place of the main part and by what that has. */
type DrawnKinds = { [Kind in Component["kind"]]?: (props: never) => Child };

/**
 * What the files for a document's needs bring along: their exports, each by one of them (load-needs.ts). Without it the
 * main part goes its usual way, so that a quiz without needs pays for the question alone.
 */
export interface Brought extends QuizParts, DrawnKinds {
  makeRun?: MakeRun;
  /** whether the server has yet to say what a block shows */
  awaits?(stage: Stage, block_key: string): boolean;
  /** styles after the main part's own */
  css?: string;
  /** called before each drawing; may replace the stage's texts, such as those of buttons */
  beforeDrawing?(stage: Stage): void;
  /** a text of the document as it is drawn: titles, subtitles, headlines, questions, labels of options */
  fill?(stage: Stage, text: string): string;
  /** draws numbers that are chosen by moving it; without it, they are typed */
  Slider?(props: FieldProps & { component: NumberComponent }): Child;
  /** why what was typed is no answer; null: the main part reads it */
  refuse?(stage: Stage, component: TypedComponent, typed: string): string | null;
  /** what a question says that keeps the shopper on its page; undefined: the main part's sentence */
  missing?(stage: Stage, component: QuestionComponent): string | undefined;
}

export interface ScreenOptions {
  /** a preview may have no version */
  live: Omit<LiveQuiz, "version_id" | "version_number">;
  brought: Brought;
  run: Run;
  /** null: nothing is recorded */
  recorder: Pick<SessionRecorder, "sessionId"> | null;
  texts: Texts;
  /** BCP 47, for numbers, dates and prices */
  locale: string;
  dir: "ltr" | "rtl";
  addToCart: AddToCart;
  /** address of the shop's cart; null: not known */
  cartPage: string | null;
  loadPhones(): Promise<Phones>;
  /** an earlier visit stopped here: the shopper is asked first [player.resume-offer] */
  earlier: { goOn(): void; startOver(): void } | null;
  restart(): void;
  /** whether the focus may move to the first page's heading: in a popup, but never while the shop's page loads */
  takesFocus: boolean;
}

/** State shared by the parts of a screen. Each screen has one, which is mutated; rendering depends on nothing else. */
export interface Stage {
  options: ScreenOptions;
  /** the document's own texts override the player's */
  texts: Texts;
  locale: string;
  run: Run;
  view: RunView;
  /** contents of fields by component_key, even if they are not valid answers yet */
  typed: Map<string, string>;
  ticked: Map<string, boolean>;
  /** null: not loaded yet */
  phones: Phones | null;
  phonesComing: Promise<void> | null;
  here: Here;
  /** whether the next page that is drawn takes the focus */
  focuses: boolean;
  /** whether the shopper has yet to decide about resuming an earlier visit */
  asks: boolean;
  /** draws pending changes at once */
  drawAgain(): void;
  place: HTMLElement;
  /** announces to screen readers what gets no focus */
  say(text: string): void;
}

/** A text of the document as it is drawn. */
export const shownText = (stage: Stage, text: string): string => stage.options.brought.fill?.(stage, text) ?? text;

export const questionsOf = (page: Page): QuestionComponent[] => page.components.filter(isQuestion);
