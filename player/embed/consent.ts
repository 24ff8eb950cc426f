import type { PageState } from "./types.ts";

/** The part of Shopify's Customer Privacy API that is used, on pages that have it. */
interface CustomerPrivacy {
  analyticsProcessingAllowed?: () => boolean;
  /** on pages with an older version */
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
 * Whether identifiers and answers may be stored beyond the page [player.consent]. `always`: the default; `shopify`: as
 * the shop's own banner was answered; `manual`: as last passed to `quizstore.consent()`. Any other value means no
 * consent.
 */
export function isAllowed(element: Element, page: PageState): boolean {
  const kind = element.getAttribute("consent") ?? "always";
  if (kind === "always") return true;
  return kind === "shopify" ? shopifyAllows() : kind === "manual" && page.consent === true;
}

/** Listens to the shop's consent banner, and makes the Shopify page load its API if it has not yet. */
export function watchShopify(hear: () => void, signal: AbortSignal): void {
  document.addEventListener("visitorConsentCollected", () => hear(), { signal });
  const shopify = shopifyOf();
  if (shopify?.customerPrivacy || !shopify?.loadFeatures) return;
  shopify.loadFeatures([{ name: "consent-tracking-api", version: "0.1" }], () => {
    if (!signal.aborted) hear();
  });
}
