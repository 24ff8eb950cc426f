import css from "../style/overlay.css?inline";
import { sheetOf } from "../style/sheet.ts";
import { openBackEntry } from "./back-closes.ts";
import { holdPage } from "./hold-page.ts";

/** The dialog of a popup or drawer [player.overlay]. */

export interface Overlay {
  /** where the quiz is drawn */
  readonly body: ShadowRoot;
  show(opener: Element | null): void;
  hide(): void;
  /** sets the quiz's name and the text for closing, once they are known */
  label(name: string, close: string, dir: "ltr" | "rtl"): void;
  remove(): void;
}

function closeButton(): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "close";
  return button;
}

/**
 * Calls `press` for a click outside the dialog. A press that began inside, such as selecting text, does not count;
 * clicks made by the keyboard have no position.
 */
function onPressOutside(dialog: HTMLDialogElement, press: () => void): void {
  let began = false;
  const isOutside = (event: MouseEvent): boolean => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const { clientX: x, clientY: y } = event;
    return event.composedPath()[0] === dialog && (x < left || x > right || y < top || y > bottom);
  };
  dialog.addEventListener("pointerdown", (event) => {
    began = isOutside(event);
  });
  dialog.addEventListener("click", (event) => {
    if (began && event.detail > 0 && isOutside(event)) press();
  });
}

/** Blurs the focused field, so that its input is committed. */
function leaveField(body: ShadowRoot): void {
  if (body.activeElement instanceof HTMLElement) body.activeElement.blur();
}

/**
 * @param onHide called after it was closed, in whatever way
 * @param onReturn called when the shopper goes forward to it again
 */
export function makeOverlay(
  root: ShadowRoot,
  mode: "popup" | "drawer",
  onHide: () => void,
  onReturn: () => void,
): Overlay {
  const dialog = document.createElement("dialog");
  const button = closeButton();
  const box = document.createElement("div");
  dialog.className = mode;
  box.className = "quiz";
  const body = box.attachShadow({ mode: "open" });
  dialog.append(button, box);
  root.adoptedStyleSheets = [sheetOf(css)];
  root.replaceChildren(dialog);

  let opener: Element | null = null;
  let place = { left: 0, top: 0 };
  let shown = new AbortController();
  const hide = () => {
    if (!dialog.open) return;
    leaveField(body);
    dialog.close();
    // not later, by its event: the shopper may have gone forward again before that
    hidden();
  };
  const back = openBackEntry(hide, onReturn);
  button.addEventListener("click", hide);
  dialog.addEventListener("cancel", () => leaveField(body));
  const hidden = () => {
    if (dialog.open || shown.signal.aborted) return;
    shown.abort();
    if (scrollX !== place.left || scrollY !== place.top) scrollTo({ ...place, behavior: "instant" });
    const isNowhere = document.activeElement === null || document.activeElement === document.body;
    if (isNowhere && opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    back.remove(onHide);
  };
  dialog.addEventListener("close", hidden);
  onPressOutside(dialog, hide);
  return {
    body,
    show(from) {
      opener = from ?? opener;
      place = { left: scrollX, top: scrollY };
      if (!dialog.open) {
        dialog.showModal();
        shown = new AbortController();
        holdPage(dialog, shown.signal);
      }
      if (dialog.offsetWidth >= innerWidth) back.add();
    },
    hide,
    label(name, close, dir) {
      dialog.setAttribute("aria-label", name);
      dialog.dir = dir;
      button.setAttribute("aria-label", close);
    },
    remove() {
      shown.abort();
      back.end();
      dialog.remove();
    },
  };
}
