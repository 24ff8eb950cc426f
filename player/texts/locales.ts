import { type Language, languages } from "./types.ts";

/** A tag as Intl takes it, also one such as `en_US`, which pages give; null for what is none. */
export function knownLocale(tag: string | null | undefined): string | null {
  if (!tag) return null;
  try {
    return Intl.getCanonicalLocales(tag.replaceAll("_", "-"))[0] ?? null;
  } catch {
    return null;
  }
}

/** The language of a locale such as `pt-BR`; English where the player does not speak it. */
export function languageOf(locale: string): Language {
  const [language] = locale.toLowerCase().split(/[-_]/);
  return languages.find((known) => known === language) ?? "en";
}
