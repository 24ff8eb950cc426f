import type { Presentation } from "../../engine/document.ts";
import { knownLocale } from "../texts/locales.ts";

/**
 * The language that a quiz speaks: what its element says, else its document, else the page around it, else the browser.
 */
export function localeOf(element: Element, presentation?: Presentation | null): string {
  const around = element.closest("[lang]")?.getAttribute("lang") ?? document.documentElement.lang;
  const wanted = [element.getAttribute("locale"), presentation?.locale, around];
  for (const tag of [...wanted, navigator.language]) {
    const locale = knownLocale(tag);
    if (locale !== null) return locale;
  }
  return "en";
}

const rightToLeft = /^(ar|arc|ckb|dv|fa|he|ks|ku|nqo|ps|sd|syr|ug|ur|yi)(-|$)/;

export function dirOf(element: Element, locale: string, presentation?: Presentation | null): "ltr" | "rtl" {
  for (const given of [element.getAttribute("dir"), presentation?.dir]) {
    if (given === "ltr" || given === "rtl") return given;
  }
  return rightToLeft.test(locale) ? "rtl" : "ltr";
}
