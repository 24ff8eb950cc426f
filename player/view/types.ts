import type { LiveQuiz } from "../live-quiz.ts";
import type { Run } from "../run/types.ts";
import type { Texts } from "../texts/types.ts";

export interface CartLine {
  product_id: string;
  variant_id: string | null;
  quantity: number;
}

/** Adds products to the shop's cart: null on success, else a sentence for the shopper. */
export type AddToCart = (lines: readonly CartLine[]) => Promise<string | null>;

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
