import { consentOf, shopifyKnows } from "./consent.ts";
import { isOnce, keyOfClosed } from "./remembered.ts";
import { arm } from "./triggers.ts";
import type { PageState } from "./types.ts";
import { keepVisit } from "./visit.ts";

/** What a popup or drawer does until it is opened; loaded only by pages that have one. */
export function wait(element: HTMLElement, page: PageState, open: () => void, signal: AbortSignal): void {
  const keep = () => consentOf(element, page) && keepVisit(element, page);
  if (!keep() && element.getAttribute("consent") === "shopify") {
    document.addEventListener("visitorConsentCollected", keep, { signal });
    void shopifyKnows(keep, signal);
  }
  const disarm = arm(element.getAttribute("trigger") ?? "", () => openByItself(element, page, open));
  signal.addEventListener("abort", disarm);
}

/**
 * Opened by a trigger, not by the shopper: does nothing over another open quiz, or if the shopper closed it before.
 */
function openByItself(element: HTMLElement, page: PageState, open: () => void): void {
  const key = keyOfClosed(element);
  let wasClosed: unknown = page.closed.has(key);
  try {
    wasClosed ||= localStorage.getItem(key);
  } catch {
    // storage is denied: nothing is remembered
  }
  if (!page.open && !(isOnce(element) && wasClosed)) open();
}
