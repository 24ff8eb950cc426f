import { choiceKind } from "./choice.ts";
import { contactKind } from "./contact.ts";
import { dateKind } from "./date.ts";
import type { ComponentOf, KindOf } from "./kind.ts";
import { numberKind } from "./number.ts";
import { contentKind, formulaKind, productsKind } from "./shown.ts";
import { textKind } from "./text.ts";
import type { Kind } from "./value.ts";

/** Every kind of component [engine.kinds]. One that is missing, or too much, is a type error. */
export const kindDescriptors: { readonly [Each in Kind]: KindOf<ComponentOf<Each>> } = {
  choice: choiceKind,
  image: choiceKind,
  text: textKind,
  number: numberKind,
  date: dateKind,
  email: contactKind,
  phone: contactKind,
  content: contentKind,
  formula: formulaKind,
  products: productsKind,
};
