import { textNames } from "../../engine/text-names.ts";
import type { Texts } from "./types.ts";

/** Each language is a file of its own, loaded on demand [player.languages]. */
const files = {
  en: () => import("./en.ts"),
  de: () => import("./de.ts"),
  fr: () => import("./fr.ts"),
  es: () => import("./es.ts"),
  it: () => import("./it.ts"),
  nl: () => import("./nl.ts"),
  pt: () => import("./pt.ts"),
  pl: () => import("./pl.ts"),
  ja: () => import("./ja.ts"),
  ar: () => import("./ar.ts"),
} satisfies Record<string, () => Promise<{ texts: Texts }>>;
type Language = keyof typeof files;
export const languages = /* @__PURE__ */ Object.keys(files) as Language[];

/** The language of a locale such as `pt-BR`; English if the player does not have it. */
export function languageOf(locale: string): Language {
  const [language = ""] = locale.toLowerCase().split(/[-_]/);
  return isSpoken(language) ? language : "en";
}

const isSpoken = (language: string): language is Language => Object.hasOwn(files, language);

/**
 * The player's texts in a language; in English if they cannot be loaded. Rejects if English cannot be loaded either.
 */
export async function loadTexts(language: Language): Promise<Texts> {
  const { texts } = await files[language]().catch(files.en);
  // the build writes each language as one text, and the names once, in the shared part
  const list = String(texts).split("|");
  return list.length < 2 ? texts : (Object.fromEntries(textNames.map((name, at) => [name, list[at]])) as Texts);
}

const offline = "The quiz could not be loaded.";

/** Texts for when no texts can be loaded. */
export const lastWords = {
  offline,
  unavailable: offline,
  too_new: offline,
  try_again: "Try again",
} satisfies Partial<Texts>;
