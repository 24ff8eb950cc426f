/**
 * After a navigation the focus moves to the new screen's heading [dashboard.focus]: at once if it is there, else when
 * it appears. The first screen after loading leaves the focus where the browser puts it, at the top of the page.
 */
let isOwed = false;

export function focusNewScreen(): void {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (heading) heading.focus({ preventScroll: true });
  isOwed = heading === null;
}

/** Called when a screen's heading appears. */
export function focusIfOwed(heading: HTMLElement | null): void {
  if (isOwed) heading?.focus({ preventScroll: true });
  isOwed = false;
}
