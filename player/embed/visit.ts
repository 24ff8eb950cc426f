import type { PageState } from "./types.ts";

/**
 * Where a visit to the shop came from: shops lead from page to page, so what a later page's own referrer says is the
 * shop itself [player.visit-source]. Kept for the tab under the shop's prefix, with which it is removed when the shopper
 * refuses storage.
 */
const keyOf = (element: Element): string => `quizstore:1:${element.getAttribute("store")}:visit`;

/** Without the rest of the query, which may name a person. */
export const utmIn = (search: string): string[] => search.match(/utm_[^&]+/g) ?? [];

/** Whether a visit begins with this page: one that the shop did not lead to, or that a campaign did without saying so. */
export const isLanding = ({ landing }: PageState): boolean =>
  document.referrer ? !document.referrer.startsWith(location.origin) : landing.length > 0;

/** The shopper has consented to storage. */
export function keepVisit(element: Element, page: PageState): void {
  try {
    if (isLanding(page)) sessionStorage[keyOf(element)] = [document.referrer, ...page.landing].join("\n");
  } catch {
    // storage is denied: only this page knows its source
  }
}

/** The source as far as this tab knows it; the present page's campaign comes first. */
export function visitOf(element: Element, page: PageState): { referrer: string; utm: string } {
  let kept = "";
  try {
    kept = sessionStorage[keyOf(element)] ?? "";
  } catch {
    // as above
  }
  const [referrer, ...landing] = isLanding(page) ? [document.referrer, ...page.landing] : kept.split("\n");
  const now = utmIn(location.search);
  return { referrer: referrer || document.referrer, utm: (now[0] ? now : landing).join("&") };
}
