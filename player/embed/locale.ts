import type { Presentation } from "../../engine/document.ts";
import { type Language, languages } from "../texts/types.ts";

/** A tag that Intl takes; null for what is none. */
function canonical(tag: string | null | undefined): string | null {
  if (!tag) return null;
  try {
    return Intl.getCanonicalLocales(tag.replaceAll("_", "-"))[0] ?? null;
  } catch {
    return null;
  }
}

/**
 * The language that a quiz speaks: what its element says, else its document, else the page around it, else the browser.
 */
export function localeOf(element: Element, presentation?: Presentation | null): string {
  const around = element.closest("[lang]")?.getAttribute("lang") ?? document.documentElement.lang;
  const wanted = [element.getAttribute("locale"), presentation?.locale, around];
  for (const tag of [...wanted, navigator.language]) {
    const locale = canonical(tag);
    if (locale !== null) return locale;
  }
  return "en";
}

/** The player's texts for it; English where it has none. */
export function languageOf(locale: string): Language {
  const [language] = locale.toLowerCase().split("-");
  return languages.find((known) => known === language) ?? "en";
}

const rightToLeft = /^(ar|arc|ckb|dv|fa|he|ks|ku|nqo|ps|sd|syr|ug|ur|yi)(-|$)/;

export function dirOf(element: Element, locale: string, presentation?: Presentation | null): "ltr" | "rtl" {
  for (const given of [element.getAttribute("dir"), presentation?.dir]) {
    if (given === "ltr" || given === "rtl") return given;
  }
  return rightToLeft.test(locale) ? "rtl" : "ltr";
}
