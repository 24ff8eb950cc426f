import { foldText } from "../../platform/fold-text.ts";

/** By UTF-16 code units: the same on every machine, which a locale's order is not. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** As people read names: in any case, and by case among those that differ in nothing else. */
export const compareNames = (a: string, b: string): number =>
  compareTexts(foldText(a), foldText(b)) || compareTexts(a, b);
