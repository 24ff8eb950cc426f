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

/** By which it is remembered that a quiz was closed: among what is kept of the shop's quizzes, so that it goes with that. */
export const keyOfClosed = (element: Element): string =>
  `quizstore:1:${element.getAttribute("store")}:${element.getAttribute("quiz")}`;

/** Longer than any word that says yes, shorter than any signed link. */
const leastToken = 17;

/** `token`: the attribute holds a preview link's token, which names the quiz by itself; null: no preview. */
export function previewOf(element: Element): { token: string | null } | null {
  const given = element.getAttribute("preview");
  if (!isGiven(given)) return null;
  return { token: given.length < leastToken ? null : given };
}
