/** Reads the attributes of an element. */

/** React serialises booleans: `preview={false}` becomes "false". */
export const isSet = (value: string | null): value is string => value !== null && value !== "false";

export type Mode = "inline" | "popup" | "drawer" | "full";

export function modeOf(element: Element): Mode {
  const mode = element.getAttribute("mode");
  return mode === "popup" || mode === "drawer" || mode === "full" ? mode : "inline";
}

/** Longer than any word for true, shorter than any signed link. */
const leastToken = 17;

/**
 * `token`: the attribute holds a preview link's token, which identifies the quiz by itself; null: no preview
 * [player.preview-element].
 */
export function previewOf(element: Element): { token: string | null } | null {
  const value = element.getAttribute("preview");
  if (!isSet(value)) return null;
  return { token: value.length < leastToken ? null : value };
}
