/**
 * Keeps the page behind a dialog from scrolling, by preventing the gestures that nothing in the dialog makes use of
 * [player.overlay-gestures]. Zooming, moving what is visible of a zoomed page, and gestures to the side, such as on
 * sliders, are left to the browser. Listens on the document, because over a dialog's backdrop Chromium scrolls without
 * asking the dialog.
 *
 * @param signal ends it, when the dialog closes
 */
export function holdPage(dialog: HTMLElement, signal: AbortSignal): void {
  let x = 0;
  let y = 0;
  const hold = (event: Event, right: number, down: number): void => {
    const path = event.composedPath();
    const inside = path.slice(0, path.indexOf(dialog) + 1);
    const isUsed = Math.abs(right) > Math.abs(down) || pans(down) || inside.some((place) => scrolls(place, down));
    if (inside[0] && !isUsed && event.cancelable) event.preventDefault();
  };
  const on = document.addEventListener.bind(document);
  on("touchstart", ({ touches: [touch] }) => ({ clientX: x, clientY: y } = touch as Touch), { passive: true, signal });
  const blocking = { passive: false, signal };
  on(
    "touchmove",
    (event) => {
      const [touch, other] = event.touches;
      if (touch && !other) hold(event, x - touch.clientX, y - touch.clientY);
    },
    blocking,
  );
  // With Ctrl, also of a gesture on a touchpad, the wheel zooms.
  on("wheel", (event) => event.ctrlKey || hold(event, event.deltaX, event.deltaY), blocking);
}

/** Whether a part of the window that is zoomed out of view, or behind a keyboard, is in that direction. */
function pans(down: number): boolean {
  const { offsetTop, height } = visualViewport as VisualViewport;
  return down < 0 ? offsetTop > 1 : offsetTop + height < document.documentElement.clientHeight - 1;
}

/** Whether an element has something to scroll to in that direction: a quiz, a long text, a list. */
function scrolls(place: EventTarget, down: number): boolean {
  if (!(place instanceof Element) || !/auto|scroll/.test(getComputedStyle(place).overflowY)) return false;
  const { scrollTop, scrollHeight, clientHeight } = place;
  return down < 0 ? scrollTop > 0 : scrollTop + clientHeight < scrollHeight - 1;
}
