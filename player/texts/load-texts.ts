import { en } from "./en.ts";
import type { Language, Texts } from "./types.ts";

/** Each language is a file of its own, fetched when somebody reads it; English is always at hand. */
const elsewhere: Readonly<Record<Exclude<Language, "en">, () => Promise<Texts>>> = {
  de: async () => (await import("./de.ts")).de,
  fr: async () => (await import("./fr.ts")).fr,
  es: async () => (await import("./es.ts")).es,
  it: async () => (await import("./it.ts")).it,
  nl: async () => (await import("./nl.ts")).nl,
  pt: async () => (await import("./pt.ts")).pt,
  pl: async () => (await import("./pl.ts")).pl,
  ja: async () => (await import("./ja.ts")).ja,
  ar: async () => (await import("./ar.ts")).ar,
};

/** The player's words in a language; English where they cannot be fetched, so that the quiz goes on all the same. */
export async function loadTexts(language: Language): Promise<Texts> {
  if (language === "en") return en;
  try {
    return await elsewhere[language]();
  } catch {
    return en;
  }
}
