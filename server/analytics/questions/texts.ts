import { foldText } from "../../platform/fold-text.ts";

/** Compares by UTF-16 code units, which is the same on every machine, unlike a locale's order. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Compares names without regard to case, and by case only if they are otherwise equal. */
export const compareNames = (a: string, b: string): number =>
  compareTexts(foldText(a), foldText(b)) || compareTexts(a, b);
