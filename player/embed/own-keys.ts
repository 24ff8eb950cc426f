/**
 * What a shopper types into a quiz is no shortcut of the shop [player.own-keys]. Outside of the shadow root keys seem to
 * be pressed on the element itself, which scripts do not take for a field. So they do not leave it, but for Escape and
 * Tab, which may be meant for a dialog around the quiz. Again with the same functions, this has no effect.
 */
export function ownKeys(element: HTMLElement): void {
  for (const type of ["keydown", "keypress", "keyup"]) element.addEventListener(type, keep);
  addEventListener("keydown", keepCharacters, true);
}

const isField = (event: Event, not = ""): boolean =>
  (event.composedPath()[0] as Partial<Element>).matches?.(`textarea,select,input${not}`) === true;

function keep(event: Event): void {
  if (isField(event) && !/^(Escape|Tab)$/.test((event as KeyboardEvent).key)) event.stopPropagation();
}

/**
 * Scripts that listen before the field does get no characters. They do get other keys, and `keyup`, which the quiz itself
 * and password managers listen to. Autofill reports keys that have no name.
 */
function keepCharacters(event: KeyboardEvent): void {
  const isTyped = event.key?.length === 1 && isField(event, ":not([type=radio],[type=checkbox],[type=range])");
  if (isTyped && event.composedPath().some((place) => (place as Element).localName === "quiz-store"))
    event.stopImmediatePropagation();
}
