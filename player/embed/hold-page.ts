/**
 * Keeps the page behind a dialog from scrolling, by preventing the gestures that nothing in the dialog makes use of
 * [player.overlay-gestures]. Zooming and gestures to the side, such as on sliders, are left to the browser.
 */
export function holdPage(dialog: HTMLElement): void {
  let x = 0;
  let y = 0;
  const hold = (event: Event, right: number, down: number): void => {
    const path = event.composedPath();
    const inside = path.slice(0, path.indexOf(dialog) + 1);
    const isUsed = Math.abs(right) > Math.abs(down) || inside.some((place) => scrolls(place, down));
    if (!isUsed && event.cancelable) event.preventDefault();
  };
  dialog.addEventListener("touchstart", ({ touches: [touch] }) => ({ clientX: x, clientY: y } = touch as Touch), {
    passive: true,
  });
  dialog.addEventListener(
    "touchmove",
    (event) => {
      const [touch, other] = event.touches;
      // A finger moves what is visible of a page that was zoomed into.
      const isZoomed = (visualViewport?.scale ?? 1) > 1.01;
      if (touch && !other && !isZoomed) hold(event, x - touch.clientX, y - touch.clientY);
    },
    { passive: false },
  );
  // With Ctrl, also of a gesture on a touchpad, the wheel zooms.
  dialog.addEventListener("wheel", (event) => event.ctrlKey || hold(event, event.deltaX, event.deltaY), {
    passive: false,
  });
}

/** Whether an element has something to scroll to in that direction: a quiz, a long text, a list. */
function scrolls(place: EventTarget, down: number): boolean {
  if (!(place instanceof Element) || !/auto|scroll/.test(getComputedStyle(place).overflowY)) return false;
  const { scrollTop, scrollHeight, clientHeight } = place;
  return down < 0 ? scrollTop > 0 : scrollTop + clientHeight < scrollHeight - 1;
}
