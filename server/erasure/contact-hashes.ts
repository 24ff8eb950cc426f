import { canonicalContact } from "../platform/contacts.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import type { Secrets } from "../platform/secrets.ts";
import { everyForm } from "../profiles/contact-rows.ts";
import { type Contact, contactKey } from "../profiles/people.ts";
import { traitsIn, traitsOf } from "./contacts-in.ts";
import { eachRow } from "./each-row.ts";
import { callingCodes } from "./phone-forms.ts";
import { eachText, mayHoldContact } from "./traces.ts";

/**
 * Erased contacts are recognized by their hashes. An HMAC is useless without the key, and does not match in another
 * store.
 */

const hashOf = (secrets: Secrets, storeId: string, trait: string): string =>
  secrets.sign("erased-contact", storeId, trait).toString("base64url");

/** The hashes of contacts given by key, one for each way to recognize a contact. */
export const contactHashes = (secrets: Secrets, storeId: string, keys: readonly string[]): string[] =>
  keys.flatMap(traitsOf).map((trait) => hashOf(secrets, storeId, trait));

const cachedAtMost = 100_000;

/** Returns a function that tests traits against hashes. It caches results, since the same contacts occur repeatedly. */
export function hashMatcher(secrets: Secrets, storeId: string, hashes: readonly string[]): (trait: string) => boolean {
  const hashSet = new Set(hashes);
  const known = new Map<string, boolean>();
  return (trait) => {
    const answer = known.get(trait);
    if (answer !== undefined) return answer;
    const matches = hashSet.has(hashOf(secrets, storeId, trait));
    if (known.size < cachedAtMost) known.set(trait, matches);
    return matches;
  };
}

/**
 * The keys of the store's contacts that match the hashes: of those that are stored as such, and of those in what people
 * typed and in what sessions were opened with.
 */
export async function storedContacts(tx: StoreTransaction, matches: (trait: string) => boolean): Promise<string[]> {
  const found = new Set<string>();
  const stored = sql<Contact>`
  SELECT kind, value FROM identities WHERE store_id = ${ownStore}
  UNION SELECT kind, value FROM captures WHERE store_id = ${ownStore}
  UNION SELECT tier, value FROM order_keys WHERE store_id = ${ownStore} AND tier IN ('email', 'phone')`;
  await eachRow(tx, stored, (row) => {
    const value = canonicalContact(row.kind, row.value);
    if (everyForm([contactKey({ ...row, value }), contactKey(row)]).some(matches)) found.add(contactKey(row));
  });
  const see = (text: string) => {
    for (const trait of traitsIn(text)) if (matches(trait)) for (const key of keysOf(trait, matches)) found.add(key);
  };
  await eachText(
    tx,
    mayHoldContact,
    { exceptAnswersOf: [] },
    {
      answer: ({ value }) => see(value),
      opening: ({ opening }) => Object.values(opening).forEach(see),
      line: ({ title }) => see(title),
    },
  );
  return [...found];
}

/** A trait that is no key is a phone as dialled at home: its country is the one with which its key matches too. */
function keysOf(trait: string, matches: (trait: string) => boolean): string[] {
  const [kind, national] = trait.split(":");
  if (kind !== "national") return [trait];
  return [...callingCodes].flatMap((code) =>
    ["", "0"].map((zero) => contactKey({ kind: "phone", value: `+${code}${zero}${national}` })).filter(matches),
  );
}
