/** What the attributes of an element say. */

/** React writes booleans out: `preview={false}` becomes "false". */
export const isGiven = (value: string | null): value is string => value !== null && value !== "false";

export type Mode = "inline" | "popup" | "drawer" | "full";

export function modeOf(element: Element): Mode {
  const mode = element.getAttribute("mode");
  return mode === "popup" || mode === "drawer" || mode === "full" ? mode : "inline";
}

/** Longer than any word that says yes, shorter than any signed link. */
const leastToken = 17;

/**
 * `token`: the attribute holds a preview link's token, which names the quiz by itself; null: no preview
 * [player.preview-element].
 */
export function previewOf(element: Element): { token: string | null } | null {
  const given = element.getAttribute("preview");
  if (!isGiven(given)) return null;
  return { token: given.length < leastToken ? null : given };
}
