import { isSet } from "./attributes.ts";

/** Remembers popups and drawers that were closed, so that they do not open by themselves again [player.once]. */

/** Set by an attribute of its own or as a word in `trigger`. */
export const isOnce = (element: Element): boolean =>
  isSet(element.getAttribute("once")) || /\bonce\b/.test(element.getAttribute("trigger") ?? "");

/**
 * The storage key for a closed quiz. It has the prefix of the shop's stored sessions, so that it is removed with them.
 */
export const keyOfClosed = (element: Element): string =>
  `quizstore:1:${element.getAttribute("store")}:${element.getAttribute("quiz")}`;

/**
 * Records, with the shopper's consent, that a popup or drawer was closed [player.once]. Without browser storage this
 * lasts only as long as the page.
 *
 * @param allowed null: not known
 */
export function rememberClosed(key: string, allowed: boolean | null): void {
  try {
    if (allowed) localStorage.setItem(key, "1");
    else if (allowed === false) localStorage.removeItem(key);
  } catch {
    // storage is denied or full, as in private windows and sandboxed frames
  }
}
