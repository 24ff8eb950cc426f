import { bounds, type ConsentBox, type ContactComponent } from "../document.ts";
import { Fields, type Problems } from "../read.ts";
import type { KindOf } from "./kind.ts";

/** the most characters of a contact, as it is typed */
export const maxContactLength = 320;

export const contactKind: KindOf<ContactComponent> = {
  read: (fields) => ({ consent: fields.orNull("consent", readConsent) }),
  fresh: () => ({ consent: null }),
};

function readConsent(value: unknown, path: string, problems: Problems): ConsentBox {
  const fields = new Fields(value, path, problems);
  const consent = { label: fields.text("label", bounds.text), required: fields.flag("required") };
  fields.refuseOthers();
  return consent;
}
