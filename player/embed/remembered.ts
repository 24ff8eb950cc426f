import { keyOfClosed } from "./attributes.ts";

/**
 * Remembers, where the shopper agreed to it, that a popup or drawer was closed [player.once]. Where the browser keeps
 * nothing, nothing is remembered beyond the page.
 */
export function rememberClosed(quiz: string, allowed: boolean): void {
  try {
    if (allowed) localStorage.setItem(keyOfClosed(quiz), "1");
    else localStorage.removeItem(keyOfClosed(quiz));
  } catch {
    // storage is denied or full, as private windows and sandboxed frames may have it
  }
}
