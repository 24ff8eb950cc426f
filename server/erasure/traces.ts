import {
  ownStore,
  raw,
  type Statement,
  type StoreRunner,
  type StoreTransaction,
  sql,
} from "../platform/database/sql.ts";
import type { Secrets } from "../platform/secrets.ts";
import { readContactKey } from "../profiles/people.ts";
import { hashMatcher } from "./contact-hashes.ts";
import { emailPatterns, phonePatterns, phonePunctuation, traitsIn, traitsOf } from "./contacts-in.ts";
import { eachRow } from "./each-row.ts";

/**
 * Where else a store's sessions hold contacts of somebody: typed by others, left in free text, or carried by a link
 * [erasure.other-sessions].
 */

export interface Traces {
  answers: { sessionId: string; eventId: string }[];
  /** UUIDs of sessions that were opened by a link that carries one of the emails */
  openedWith: string[];
  /** those emails, as identities have them */
  emails: string[];
}

/** What is looked for. */
export interface Wanted {
  /** for LIKE: what passes them is looked at closely; null where the contacts are known by their hashes only */
  patterns: { emails: string[]; phones: string[] } | null;
  /** of a text's traits */
  matches: (trait: string) => boolean;
}

export function wantedContacts(keys: readonly string[]): Wanted {
  const contacts = keys.map(readContactKey);
  const valuesOf = (kind: "email" | "phone") =>
    contacts.filter((contact) => contact.kind === kind).map(({ value }) => value);
  const traits = new Set(keys.flatMap(traitsOf));
  return {
    patterns: { emails: emailPatterns(valuesOf("email")), phones: phonePatterns(valuesOf("phone")) },
    matches: (trait) => traits.has(trait),
  };
}

export const wantedHashes = (secrets: Secrets, storeId: string, hashes: readonly string[]): Wanted => ({
  patterns: null,
  matches: hashMatcher(secrets, storeId, hashes),
});

/** Which sessions are looked at: all but these, or these only. */
export type Range = { except: readonly string[] } | { only: readonly string[] };

/**
 * Looks through every answer of the store, since texts have no index: some seconds for millions of answers, so that it is
 * done before the store's revision is held.
 */
export async function findTraces(tx: StoreTransaction, wanted: Wanted, range: Range): Promise<Traces> {
  const traces: Traces = { answers: [], openedWith: [], emails: [] };
  if ("only" in range && range.only.length === 0) return traces;
  if (wanted.patterns !== null && Object.values(wanted.patterns).flat().length === 0) return traces;
  const inRange = "only" in range ? sql`= ANY (${range.only}::uuid[])` : sql`<> ALL (${range.except}::uuid[])`;
  const typed = "(e.data ->> 'value')";
  const answers = sql<{ session_id: string; id: string; value: string }>`
  SELECT e.session_id, e.id, ${raw(typed)} AS value FROM session_events e
  WHERE e.store_id = ${ownStore} AND e.type = 'answer_saved' AND e.session_id ${inRange}
    AND jsonb_typeof(e.data -> 'value') = 'string' AND ${mayHold(typed, wanted)}`;
  await eachRow(tx, answers, ({ session_id: sessionId, id: eventId, value }) => {
    if ([...traitsIn(value)].some(wanted.matches)) traces.answers.push({ sessionId, eventId });
  });
  const links = sql<{ id: string; text: string }>`
  SELECT s.id, ${raw(linkText)} AS text FROM sessions s
  WHERE s.store_id = ${ownStore} AND s.id ${inRange} AND ${raw(holdsEmail(linkText))}`;
  await eachRow(tx, links, ({ id, text }) => {
    const emails = [...traitsIn(text)].filter((trait) => trait.startsWith("email:") && wanted.matches(trait));
    if (emails.length === 0) return;
    traces.openedWith.push(id);
    traces.emails.push(...emails.map((key) => readContactKey(key).value));
  });
  return traces;
}

const linkText = `concat_ws(' ', s.placement, s.page_url, s.utm_source, s.utm_medium, s.utm_campaign, s.utm_content,
  s.utm_term)`;

const holdsEmail = (text: string): string => `(${text} LIKE '%@%' OR ${text} LIKE '%\\%40%')`;

/** Cheap tests first: a million answers take 0.9 s this way, and 3.5 s if each is lowercased and stripped. */
const mayHold = (text: string, { patterns }: Wanted): Statement<unknown> =>
  patterns === null
    ? mayHoldContact(text)
    : sql`(${raw(holdsEmail(text))} AND lower(${raw(text)}) LIKE ANY (${patterns.emails}::text[])
    OR ${raw(text)} ~ '[0-9]' AND translate(${raw(text)}, ${phonePunctuation}::text, '') LIKE ANY (${patterns.phones}::text[]))`;

/** What may hold a contact: an address, or a run of digits as long as a phone's. */
export const mayHoldContact = (text: string): Statement<unknown> =>
  sql`(${raw(holdsEmail(text))} OR ${raw(text)} ~ '[0-9][0-9 ()./-]{4,}[0-9]')`;

/** Sessions that changed since a revision, so that what was looked through before need not be again. */
export async function changedSince(db: StoreRunner, revision: number): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`
  SELECT DISTINCT id FROM changes WHERE store_id = ${ownStore} AND revision > ${revision} AND kind = 'session'`);
  return rows.map(({ id }) => id);
}
