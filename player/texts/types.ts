import type { TextName } from "../../engine/text-names.ts";

/** The player's texts; `{name}` is a placeholder. A document's own `presentation.texts` override them by name. */
export type Texts = Readonly<Record<TextName, string>>;
