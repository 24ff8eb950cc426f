/** The player's words; `{name}` is filled in. A document's own `presentation.texts` win, by the same names. */
export const textNames = [
  "next",
  "back",
  "skip",
  "restart",
  "finish",
  "close",
  "required",
  "optional",
  "loading",
  "progress",
  "choose_one",
  "choose_any",
  "answer_missing",
  "consent_missing",
  "invalid_number",
  "number_range",
  "number_step",
  "invalid_email",
  "invalid_phone",
  "invalid_date",
  "text_too_long",
  "characters_left",
  "add_to_cart",
  "add_all",
  "adding",
  "added",
  "sold_out",
  "variant",
  "view_product",
  "no_products",
  "start_over",
  "resume_title",
  "resume",
  "finished",
  "cart_failed",
  "new_tab",
  "unavailable",
  "offline",
  "too_new",
] as const;

export type TextName = (typeof textNames)[number];
export type Texts = Readonly<Record<TextName, string>>;

export const languages = ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "ja", "ar"] as const;
export type Language = (typeof languages)[number];
