import type { Presentation } from "../../engine/document.ts";
import { knownLocale } from "../texts/locales.ts";

/** The language of a quiz: the element's, else the document's, else the surrounding page's, else the browser's. */
export function localeOf(element: Element, presentation?: Presentation | null): string {
  const around = element.closest("[lang]")?.getAttribute("lang") ?? document.documentElement.lang;
  const candidates = [element.getAttribute("locale"), presentation?.locale, around];
  for (const tag of [...candidates, navigator.language]) {
    const locale = knownLocale(tag);
    if (locale !== null) return locale;
  }
  return "en";
}

const rightToLeft = /^(ar|arc|ckb|dv|fa|he|ks|ku|nqo|ps|sd|syr|ug|ur|yi)(-|$)/;

export function dirOf(element: Element, locale: string, presentation?: Presentation | null): "ltr" | "rtl" {
  for (const dir of [element.getAttribute("dir"), presentation?.dir]) {
    if (dir === "ltr" || dir === "rtl") return dir;
  }
  return rightToLeft.test(locale) ? "rtl" : "ltr";
}
