import type { PageState } from "./types.ts";

/** The part of Shopify's Customer Privacy API that is asked, on pages that have it. */
interface CustomerPrivacy {
  analyticsProcessingAllowed?: () => boolean;
  /** of pages with an older one */
  userCanBeTracked?: () => boolean;
}
export interface ShopifyPage {
  routes?: { root?: string };
  customerPrivacy?: CustomerPrivacy;
  loadFeatures?: (features: { name: string; version: string }[], done: (error?: unknown) => void) => void;
}

export const shopifyOf = (): ShopifyPage | undefined => (window as { Shopify?: ShopifyPage }).Shopify;

function shopifyAllows(): boolean {
  const privacy = shopifyOf()?.customerPrivacy;
  return (privacy?.analyticsProcessingAllowed?.() ?? privacy?.userCanBeTracked?.()) === true;
}

/**
 * Whether identifiers and answers may outlive the page [player.consent]. `always`, which a page that says nothing means;
 * `shopify`: what the shop's own banner was told; `manual`: what `quizstore.consent()` was given. Any other word is
 * nobody's consent.
 */
export function isAllowed(element: Element, page: PageState): boolean {
  const kind = element.getAttribute("consent") ?? "always";
  if (kind === "always") return true;
  return kind === "shopify" ? shopifyAllows() : kind === "manual" && page.consent === true;
}

/** Hears of what shoppers tell the shop's banner, and has the shop's page bring its API where it has not yet. */
export function watchShopify(hear: () => void, signal: AbortSignal): void {
  document.addEventListener("visitorConsentCollected", () => hear(), { signal });
  const shopify = shopifyOf();
  if (shopify?.customerPrivacy || !shopify?.loadFeatures) return;
  shopify.loadFeatures([{ name: "consent-tracking-api", version: "0.1" }], () => {
    if (!signal.aborted) hear();
  });
}
