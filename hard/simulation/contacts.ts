import type { Random } from "../../demo/random.ts";
import type { Shop } from "./ledger.ts";

/**
 * Texts that shoppers type into a shop's fields: all contain the shop's marker, which identifies them wherever they
 * turn up.
 */

const people = 8;

/** As typed; null: nothing. Erased people's contacts are not typed again. */
export function typedContact(shop: Shop, kind: "email" | "phone", random: Random): string | null {
  for (let attempt = 0; attempt < 5; attempt++) {
    const number = random.int(1, people);
    const contact = kind === "email" ? emailOf(shop, number) : phoneOf(shop, number);
    if (isErased(shop, kind, contact)) continue;
    if (kind === "phone") return random.chance(0.7) ? contact : national(contact);
    return random.pick([contact, contact.toUpperCase(), ` ${contact}`]);
  }
  return null;
}

/**
 * Whether the contact was erased. Phones are compared without their country: typed as a national number, one becomes a
 * number of the country that the shopper is in.
 */
export const isErased = (shop: Shop, kind: "email" | "phone", contact: string): boolean =>
  kind === "email" ? shop.erased.has(`email:${contact}`) : erasedValues(shop).some((value) => isSame(value, contact));

/** The erased contacts as text, as they were stored. */
export const erasedValues = ({ erased }: Shop): string[] =>
  [...erased].map((contact) => contact.slice(contact.indexOf(":") + 1));

const isSame = (phone: string, other: string): boolean => nationalNumber(phone) === nationalNumber(other);

/** The last ten digits, without a country. */
export const nationalNumber = (phone: string): string => phone.replaceAll(/\D/g, "").slice(-10);

export const emailOf = ({ marker }: Shop, number: number): string => `kim${number}@${marker}.test`;

/** Phone numbers of the two shops differ in their last digits. */
export const phoneOf = ({ marker }: Shop, number: number): string =>
  `+1202555${marker.endsWith("a") ? "01" : "02"}${String(10 + number)}`;

const national = (phone: string): string => `(${phone.slice(2, 5)}) ${phone.slice(5, 8)}-${phone.slice(8)}`;

export const remark = ({ marker }: Shop, random: Random): string => `remark ${random.int(1, 99)} of ${marker}`;

/** Whether a text contains any contact of the shop. */
export const holdsContact = ({ marker }: Shop, text: string): boolean =>
  text.toLowerCase().includes(`@${marker}.test`) || text.includes(`+1202555${marker.endsWith("a") ? "01" : "02"}`);
