import type { RecordedCopy } from "../columnar-copy/public.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import { type ContactKind, contactKey } from "../profiles/people.ts";
import { contactIdentity } from "../sessions/public.ts";
import { contactHashes, hashMatcher } from "./contact-hashes.ts";
import { holdKnown } from "./digit-tails.ts";
import { readErasures } from "./ledger.ts";
import { otherPlaces } from "./places.ts";
import { type Finding, type Note, type Place, type Search, searchFiles } from "./search-files.ts";
import { searchTables } from "./search-tables.ts";

/** Searches for data that an erasure should have removed, and reports where it searched [erasure.verify]. */

export interface Verified {
  ok: boolean;
  profile_id: string;
  /** null if nothing was ever erased under this id */
  erased_at: string | null;
  checked: Place[];
  found: Finding[];
  /** what cannot be searched, and why that is safe */
  left_out: { place: string; why: string }[];
}

export interface VerifyDeps {
  database: Database;
  secrets: Secrets;
  /** every copy of the store that may exist */
  copies: (storeId: string) => Promise<readonly RecordedCopy[]>;
  /** folders (searched recursively) and files to search, with their names for findings */
  files: readonly { path: string; called: string }[];
  /** how long copies in use may take to follow, in ms */
  copyWait: { waitMs: number; pause: (ms: number) => Promise<unknown> };
}

/**
 * @param values contacts or other texts that must not be found anywhere, in any notation; erased contacts are found by
 * their hashes in any case
 */
export async function verifyErased(
  deps: VerifyDeps,
  storeId: string,
  profileId: string,
  values: readonly string[],
): Promise<Verified> {
  const db = deps.database.reader().forStore(storeId);
  const entries = (await readErasures(db)).filter((entry) => entry.profile_ids.includes(profileId));
  const hashes = entries.flatMap((entry) => entry.hashes);
  const countries = await countriesOf(db);
  const search = searchFor(deps.secrets, storeId, { hashes, values, countries });
  const checked: Place[] = [];
  const found: Finding[] = [];
  const note: Note = (place, ...findings) => {
    checked.push(place);
    found.push(...findings.filter((finding) => finding.found > 0));
  };
  await verifyPerson(db, { profileId, sessionIds: entries.flatMap((e) => e.session_ids) }, note);
  const left_out = await searchTables(deps, storeId, search, note);
  for (const file of deps.files) await searchFiles(file, search, note);
  const revision = Math.max(0, ...entries.map((entry) => entry.revision));
  await verifyCopies(deps, storeId, revision, note);
  const erased_at = entries.at(-1)?.erased_at ?? null;
  return {
    ok: erased_at !== null && found.length === 0,
    profile_id: formatId("prof", profileId),
    erased_at,
    checked,
    found,
    left_out: [
      ...left_out,
      ...otherPlaces.flatMap(({ place, skipped: why }) => (why === undefined ? [] : { place, why })),
    ],
  };
}

/**
 * A value that is a contact is searched by its hash, whatever its notation in the data, and does not match part of a
 * longer address. Any other text is searched literally.
 */
function searchFor(
  secrets: Secrets,
  storeId: string,
  { hashes, values, countries }: { hashes: readonly string[]; values: readonly string[]; countries: readonly string[] },
): Search {
  const keysOf = (value: string) => [
    ...keyOf("email", value, null),
    ...[null, ...countries].flatMap((country) => keyOf("phone", value, country)),
  ];
  const matches = hashMatcher(secrets, storeId, [
    ...hashes,
    ...contactHashes(secrets, storeId, [...new Set(values.flatMap(keysOf))]),
  ]);
  const others = values.filter((value) => keysOf(value).length === 0);
  return {
    texts: [...new Set(others.map((value) => value.trim().toLowerCase()))].filter((value) => value !== ""),
    holdsContact: (...given) => holdKnown(given, matches),
  };
}

function keyOf(kind: ContactKind, text: string, country: string | null): string[] {
  const value = contactIdentity(kind, text, country);
  return value === null ? [] : [contactKey({ kind, value })];
}

/** The countries of the store's shoppers, most frequent first, since a phone may be given in national notation. */
async function countriesOf(db: StoreRunner): Promise<string[]> {
  const rows = await db.all(sql<{ country: string }>`
  SELECT country FROM sessions WHERE store_id = ${ownStore} AND country IS NOT NULL
  GROUP BY country ORDER BY count(*) DESC, country LIMIT 20`);
  return rows.map(({ country }) => country);
}

/** Checks that the person is gone and that their sessions contain no free text. */
async function verifyPerson(
  db: StoreRunner,
  { profileId, sessionIds }: { profileId: string; sessionIds: readonly string[] },
  note: Note,
): Promise<void> {
  const person = await db.first(sql<{ present: number }>`
  SELECT (SELECT count(*) FROM profiles WHERE store_id = ${ownStore} AND id = ${profileId} AND removed_at IS NULL)
    + (SELECT count(*) FROM identities WHERE store_id = ${ownStore} AND profile_id = ${profileId}) AS present`);
  note({ place: "the person", searched: 1 }, { place: "the person", found: person?.present ?? 0, what: "person" });
  // a session that continued after the erasure belongs to whoever left a contact in it since [erasure.afterwards]
  const answers = await db.first(sql<{ sessions: number; present: number }>`
  SELECT count(*) AS sessions, count(*) FILTER (WHERE EXISTS (
      SELECT 1 FROM jsonb_array_elements(s.state -> 'answers') AS a (value)
      WHERE a.value ->> 'kind' IN ('text', 'email', 'phone') OR a.value ? 'other_text') OR s.state -> 'contacts' <> '[]' OR s.texts IS NOT NULL)
    AS present
  FROM sessions s WHERE s.store_id = ${ownStore} AND s.id = ANY (${sessionIds}::uuid[]) AND s.profile_id = ${profileId}
    AND s.last_event_at <= (SELECT removed_at FROM profiles WHERE store_id = ${ownStore} AND id = ${profileId})`);
  const place = "answers of the person's sessions";
  note({ place, searched: answers?.sessions ?? 0 }, { place, found: answers?.present ?? 0, what: "answer" });
}

const looksEveryMs = 500;

/** Checks that each copy has been rebuilt with the erasure, or is gone [erasure.copies]. */
async function verifyCopies(
  { copies, copyWait }: VerifyDeps,
  storeId: string,
  revision: number,
  note: Note,
): Promise<void> {
  const isPast = (copy: RecordedCopy) => !copy.discard && copy.revision !== null && copy.revision >= revision;
  let recorded = await copies(storeId);
  for (let waited = 0; waited < copyWait.waitMs && !recorded.every(isPast); waited += looksEveryMs) {
    await copyWait.pause(looksEveryMs);
    recorded = await copies(storeId);
  }
  for (const copy of recorded) {
    const place = `copy ${copy.node}/${copy.slot}`;
    note({ place, searched: 1 }, { place, found: isPast(copy) ? 0 : 1, what: "copy" });
  }
}
