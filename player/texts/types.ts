import type { TextName } from "../../engine/text-names.ts";

/** The player's words; `{name}` is filled in. A document's own `presentation.texts` win, by the same names. */
export type Texts = Readonly<Record<TextName, string>>;
