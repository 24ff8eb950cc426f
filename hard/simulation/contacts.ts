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
    if (shop.erased.has(`${kind}:${contact}`)) continue;
    if (kind === "phone") return random.chance(0.7) ? contact : national(contact);
    return random.pick([contact, contact.toUpperCase(), ` ${contact}`]);
  }
  return null;
}

export const emailOf = ({ marker }: Shop, number: number): string => `kim${number}@${marker}.test`;

/** Phone numbers of the two shops differ in their last digits. */
export const phoneOf = ({ marker }: Shop, number: number): string =>
  `+1202555${marker.endsWith("a") ? "01" : "02"}${String(10 + number)}`;

const national = (phone: string): string => `(${phone.slice(2, 5)}) ${phone.slice(5, 8)}-${phone.slice(8)}`;

export const remark = ({ marker }: Shop, random: Random): string => `remark ${random.int(1, 99)} of ${marker}`;

/** Whether a text contains any contact of the shop. */
export const holdsContact = ({ marker }: Shop, text: string): boolean =>
  text.toLowerCase().includes(`@${marker}.test`) || text.includes(`+1202555${marker.endsWith("a") ? "01" : "02"}`);
