import type { Transaction } from "../../platform/database/database.ts";
import { type Runner, written } from "../../platform/database/statements.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { type ContactKind, contactKey } from "../people.ts";
import { contactsIn } from "./contacts-in.ts";
import { eachRow } from "./each-row.ts";
import { contactHash } from "./eraser.ts";

/** Finds contacts that were erased by their hashes, where a restored backup has brought them back. */

/** What may hold a contact: an address, or a run of digits as long as a phone's. */
export const mayHoldContact = (text: string): string =>
  `(${text} LIKE '%@%' OR ${text} LIKE '%\\%40%' OR ${text} ~ '[0-9][0-9 ()./-]{4,}[0-9]')`;

/** The contact keys behind the hashes, among everything of the store that is kept as a contact or was typed. */
export async function contactsByHash(
  tx: Transaction,
  secrets: Secrets,
  storeId: string,
  hashes: readonly string[],
): Promise<string[]> {
  if (hashes.length === 0) return [];
  const matches = hashMatcher(secrets, storeId, hashes);
  const found = new Set<string>();
  const take = (key: string) => {
    if (matches(key)) found.add(key);
  };
  const kept = written<{ kind: ContactKind; value: string }>(
    `SELECT kind, value FROM identities WHERE store_id = $1 UNION SELECT kind, value FROM captures WHERE store_id = $1
     UNION SELECT tier, value FROM order_keys WHERE store_id = $1 AND tier IN ('email', 'phone')`,
    [storeId],
  );
  await eachRow(tx, kept, (row) => take(contactKey(row)));
  const typed = written<{ value: string; country: string | null }>(
    `SELECT e.data ->> 'value' AS value, s.country
     FROM session_events e JOIN sessions s ON s.store_id = $1 AND s.id = e.session_id
     WHERE e.store_id = $1 AND e.type = 'answer_saved' AND jsonb_typeof(e.data -> 'value') = 'string'
       AND ${mayHoldContact("(e.data ->> 'value')")}`,
    [storeId],
  );
  await eachRow(tx, typed, ({ value, country }) => {
    for (const key of contactsIn(value, country)) take(key);
  });
  return [...found];
}

/** Remembers what it was asked, since the same contact comes up again and again. */
export function hashMatcher(
  secrets: Secrets,
  storeId: string,
  hashes: readonly string[],
): (contactKey: string) => boolean {
  const wanted = new Set(hashes);
  const known = new Map<string, boolean>();
  return (key) => {
    const answer = known.get(key);
    if (answer !== undefined) return answer;
    const matches = wanted.has(contactHash(secrets, storeId, key));
    if (known.size < remembered) known.set(key, matches);
    return matches;
  };
}

const remembered = 100_000;

/** The countries that the store's shoppers come from, for phones that were written as at home; the most frequent first. */
export async function countriesOf(db: Runner, storeId: string): Promise<(string | null)[]> {
  const rows = await db.all(
    written<{ country: string }>(
      `SELECT country FROM sessions WHERE store_id = $1 AND country IS NOT NULL
       GROUP BY country ORDER BY count(*) DESC, country LIMIT 8`,
      [storeId],
    ),
  );
  return [null, ...rows.map(({ country }) => country)];
}
