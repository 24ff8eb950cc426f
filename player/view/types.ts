import type { Run } from "../run/types.ts";

export interface CartLine {
  product_id: string;
  variant_id: string | null;
  quantity: number;
}

/** Adds products to the shop's cart: null on success, else a sentence for the shopper. */
export type AddToCart = (lines: readonly CartLine[]) => Promise<string | null>;

export interface Screen {
  /** whether the shopper has yet to decide about resuming an earlier visit */
  readonly asks: boolean;
  /** replaces the run, after a restart */
  show(run: Run): void;
  close(): void;
}
