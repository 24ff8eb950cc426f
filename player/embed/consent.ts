import type { PageState } from "./types.ts";

/** The part of Shopify's Customer Privacy API that is used, on pages that have it. */
interface CustomerPrivacy {
  analyticsProcessingAllowed?: () => boolean;
  /** on pages with an older version */
  userCanBeTracked?: () => boolean;
  /** as the shopper decided: `yes`, `no`, or empty before they did */
  currentVisitorConsent?: () => { analytics?: string } | undefined;
}
export interface ShopifyPage {
  routes?: { root?: string };
  customerPrivacy?: CustomerPrivacy;
  loadFeatures?: (features: { name: string; version: string }[], done: (error?: unknown) => void) => void;
}

export const shopifyOf = (): ShopifyPage | undefined => (window as { Shopify?: ShopifyPage }).Shopify;

function shopifyAllows(): boolean | null {
  const privacy = shopifyOf()?.customerPrivacy;
  const allowed = privacy?.analyticsProcessingAllowed?.() ?? privacy?.userCanBeTracked?.() ?? null;
  return !allowed && privacy?.currentVisitorConsent?.()?.analytics === "" ? null : allowed;
}

/**
 * Whether identifiers and answers may be stored beyond the page; null: not known yet, and then nothing is stored and
 * nothing removed [player.consent, player.consent-unknown]. `always`: the default; `shopify`: as the shop's own banner was answered; `manual`:
 * as last passed to `quizstore.consent()`. Any other value means no consent.
 */
export function consentOf(element: Element, page: PageState): boolean | null {
  const kind = element.getAttribute("consent") ?? "always";
  if (kind === "always") return true;
  return kind === "shopify" ? shopifyAllows() : kind === "manual" && page.consent;
}

/** Whether the page is Shopify's and its API is not there yet, which it loads late and only if it is asked to. */
const isSilent = (): boolean =>
  !!shopifyOf() && shopifyAllows() === null && !shopifyOf()?.customerPrivacy?.currentVisitorConsent;

/** Resolved once Shopify's API is there, which the page is asked for as soon as its script has run. */
export async function shopifyKnows(hear: () => void, signal: AbortSignal): Promise<void> {
  let isAsked = false;
  for (let ms = 50; isSilent() && !signal.aborted; ms *= 1.2) {
    const shopify = shopifyOf();
    if (!isAsked && shopify?.loadFeatures) {
      isAsked = true;
      shopify.loadFeatures([{ name: "consent-tracking-api", version: "0.1" }], hear);
    }
    await pause(ms);
  }
}

export const pause = (ms?: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
