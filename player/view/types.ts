import type { LiveQuiz } from "../live-quiz.ts";
import type { Run } from "../run/types.ts";
import type { Texts } from "../texts/types.ts";

export interface CartLine {
  product_id: string;
  variant_id: string | null;
  quantity: number;
}

/** Puts products into the shop's cart: null when they are there, else a sentence for the shopper. */
export type AddToCart = (lines: readonly CartLine[]) => Promise<string | null>;

export interface ScreenOptions {
  /** a preview may be of no version */
  live: Omit<LiveQuiz, "version_id" | "version_number">;
  run: Run;
  texts: Texts;
  /** BCP 47, for numbers, dates and prices */
  locale: string;
  dir: "ltr" | "rtl";
  addToCart: AddToCart;
  /** an earlier visit left off here: the shopper is asked first [player.resume-offer] */
  earlier: { goOn(): void; startOver(): void } | null;
  restart(): void;
  /** whether focus may move to the first page's heading: in a popup, never as the shop's own page loads */
  takesFocus: boolean;
}

export interface Screen {
  /** whether the shopper has still to say if they go on from an earlier visit */
  readonly asks: boolean;
  /** another run in place of this one, after a restart */
  show(run: Run): void;
  close(): void;
}
