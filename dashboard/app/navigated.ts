/**
 * Whoever goes to another screen has the focus on its heading [dashboard.focus]: at once where the heading is there, else when it
 * comes. The first screen after loading leaves the focus where the browser puts it, at the top of the page.
 */
let isOwed = false;

export function focusNewScreen(): void {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (heading) heading.focus({ preventScroll: true });
  isOwed = heading === null;
}

/** A screen's heading has come. */
export function focusIfOwed(heading: HTMLElement | null): void {
  if (isOwed) heading?.focus({ preventScroll: true });
  isOwed = false;
}
