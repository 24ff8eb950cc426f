import type { TextName } from "../../engine/text-names.ts";

/** The player's words; `{name}` is filled in. A document's own `presentation.texts` win, by the same names. */
export type Texts = Readonly<Record<TextName, string>>;

export const languages = ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "ja", "ar"] as const;
export type Language = (typeof languages)[number];
