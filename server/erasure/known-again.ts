import type { Transaction } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";
import type { Secrets } from "../platform/secrets.ts";
import { type ContactKind, contactKey } from "../profiles/people.ts";
import { traitsOf } from "./contacts-in.ts";
import { eachRow } from "./each-row.ts";

/** Contacts that were erased are known again by their hashes: an HMAC is of no use without the key, or in another store. */

const hashOf = (secrets: Secrets, storeId: string, trait: string): string =>
  secrets.sign("erased-contact", storeId, trait).toString("base64url");

/** Of each contact, by its key, one for every way to know it again. */
export const contactHashes = (secrets: Secrets, storeId: string, keys: readonly string[]): string[] =>
  keys.flatMap(traitsOf).map((trait) => hashOf(secrets, storeId, trait));

const remembered = 100_000;

/** Remembers what it was asked, since the same contact comes up again and again. */
export function hashMatcher(secrets: Secrets, storeId: string, hashes: readonly string[]): (trait: string) => boolean {
  const wanted = new Set(hashes);
  const known = new Map<string, boolean>();
  return (trait) => {
    const answer = known.get(trait);
    if (answer !== undefined) return answer;
    const matches = wanted.has(hashOf(secrets, storeId, trait));
    if (known.size < remembered) known.set(trait, matches);
    return matches;
  };
}

/** The contact keys behind the hashes, among everything of the store that is kept as a contact. */
export async function keptContacts(
  tx: Transaction,
  storeId: string,
  matches: (trait: string) => boolean,
): Promise<string[]> {
  const found = new Set<string>();
  const kept = written<{ kind: ContactKind; value: string }>(
    `SELECT kind, value FROM identities WHERE store_id = $1 UNION SELECT kind, value FROM captures WHERE store_id = $1
     UNION SELECT tier, value FROM order_keys WHERE store_id = $1 AND tier IN ('email', 'phone')`,
    [storeId],
  );
  await eachRow(tx, kept, (row) => {
    if (matches(contactKey(row))) found.add(contactKey(row));
  });
  return [...found];
}
