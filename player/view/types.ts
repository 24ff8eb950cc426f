import type { RawAnswer } from "../../engine/answers.ts";
import type { ContactComponent } from "../../engine/document.ts";
import type { Child } from "../draw/jsx-runtime.ts";
import type { LiveQuiz } from "../live-quiz.ts";
import type { Run } from "../run/types.ts";
import type { Texts } from "../texts/types.ts";
import type { FieldProps, Stage } from "./stage.ts";

export interface CartLine {
  product_id: string;
  variant_id: string | null;
  quantity: number;
}

/** Adds products to the shop's cart: null on success, else a sentence for the shopper. */
export type AddToCart = (lines: readonly CartLine[]) => Promise<string | null>;

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

export interface ScreenOptions {
  /** a preview may have no version */
  live: Omit<LiveQuiz, "version_id" | "version_number">;
  run: Run;
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

export interface Screen {
  /** whether the shopper has yet to decide about resuming an earlier visit */
  readonly asks: boolean;
  /** replaces the run, after a restart */
  show(run: Run): void;
  close(): void;
}
