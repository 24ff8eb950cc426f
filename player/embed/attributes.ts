/** What the attributes of an element say. */

/** React writes booleans out: `preview={false}` becomes "false". */
const isGiven = (value: string | null): value is string => value !== null && value !== "false";

export type Mode = "inline" | "popup" | "drawer" | "full";

export function modeOf(element: Element): Mode {
  const mode = element.getAttribute("mode");
  return mode === "popup" || mode === "drawer" || mode === "full" ? mode : "inline";
}

/** Said by an attribute of its own or as a word of `trigger`. */
export const isOnce = (element: Element): boolean =>
  isGiven(element.getAttribute("once")) || /\bonce\b/.test(element.getAttribute("trigger") ?? "");

export const keyOfClosed = (quiz: string): string => `quizstore:once:${quiz}`;

/** Longer than any word that says yes, shorter than any signed link. */
const leastToken = 17;

/** `token`: the attribute holds a preview link's token, which names the quiz by itself; null: no preview. */
export function previewOf(element: Element): { token: string | null } | null {
  const given = element.getAttribute("preview");
  if (!isGiven(given)) return null;
  return { token: given.length < leastToken ? null : given };
}
