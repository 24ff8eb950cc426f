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
