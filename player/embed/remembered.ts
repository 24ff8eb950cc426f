import { isGiven } from "./attributes.ts";

/** Popups and drawers that open by themselves, but not to those who closed them [player.once]. */

/** Said by an attribute of its own or as a word of `trigger`. */
export const isOnce = (element: Element): boolean =>
  isGiven(element.getAttribute("once")) || /\bonce\b/.test(element.getAttribute("trigger") ?? "");

/** By which it is remembered that a quiz was closed: among what is kept of the shop's quizzes, so that it goes with that. */
export const keyOfClosed = (element: Element): string =>
  `quizstore:1:${element.getAttribute("store")}:${element.getAttribute("quiz")}`;

/**
 * Remembers, where the shopper agreed to it, that a popup or drawer was closed [player.once]. Where the browser keeps
 * nothing, nothing is remembered beyond the page.
 */
export function rememberClosed(key: string, allowed: boolean): void {
  try {
    if (allowed) localStorage.setItem(key, "1");
    else localStorage.removeItem(key);
  } catch {
    // storage is denied or full, as private windows and sandboxed frames may have it
  }
}
