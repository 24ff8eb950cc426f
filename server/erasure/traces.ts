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
 * Finds a person's contacts in other sessions of the store: typed by others, in free text, or in a link
 * [erasure.other-sessions].
 */

export interface Traces {
  answers: { sessionId: string; eventId: string }[];
  /** UUIDs of sessions opened through a link that contains one of the emails */
  openedWith: string[];
  /** those emails, normalized as in identities */
  emails: string[];
}

/** What to search for. */
export interface TraceSearch {
  /** LIKE patterns that preselect candidates; null if the contacts are known only by their hashes */
  patterns: { emails: string[]; phones: string[] } | null;
  /** whether a trait of a text matches */
  matches: (trait: string) => boolean;
}

export function searchForContacts(keys: readonly string[]): TraceSearch {
  const contacts = keys.map(readContactKey);
  const valuesOf = (kind: "email" | "phone") =>
    contacts.filter((contact) => contact.kind === kind).map(({ value }) => value);
  const traits = new Set(keys.flatMap(traitsOf));
  return {
    patterns: { emails: emailPatterns(valuesOf("email")), phones: phonePatterns(valuesOf("phone")) },
    matches: (trait) => traits.has(trait),
  };
}

export const searchForHashes = (secrets: Secrets, storeId: string, hashes: readonly string[]): TraceSearch => ({
  patterns: null,
  matches: hashMatcher(secrets, storeId, hashes),
});

/** The sessions to search: all except these, or only these. */
export type Range = { except: readonly string[] } | { only: readonly string[] };

/**
 * Searches every answer of the store, since texts have no index. That takes some seconds for millions of answers, so
 * call it before holding the store's revision.
 */
export async function findTraces(tx: StoreTransaction, search: TraceSearch, range: Range): Promise<Traces> {
  const traces: Traces = { answers: [], openedWith: [], emails: [] };
  if ("only" in range && range.only.length === 0) return traces;
  if (search.patterns !== null && Object.values(search.patterns).flat().length === 0) return traces;
  const inRange = "only" in range ? sql`= ANY (${range.only}::uuid[])` : sql`<> ALL (${range.except}::uuid[])`;
  const typed = "(e.data ->> 'value')";
  const answers = sql<{ session_id: string; id: string; value: string }>`
  SELECT e.session_id, e.id, ${raw(typed)} AS value FROM session_events e
  WHERE e.store_id = ${ownStore} AND e.type = 'answer_saved' AND e.session_id ${inRange}
    AND jsonb_typeof(e.data -> 'value') = 'string' AND ${mayHold(typed, search)}`;
  await eachRow(tx, answers, ({ session_id: sessionId, id: eventId, value }) => {
    if ([...traitsIn(value)].some(search.matches)) traces.answers.push({ sessionId, eventId });
  });
  const links = sql<{ id: string; text: string }>`
  SELECT s.id, ${raw(linkText)} AS text FROM sessions s
  WHERE s.store_id = ${ownStore} AND s.id ${inRange} AND ${raw(holdsEmail(linkText))}`;
  await eachRow(tx, links, ({ id, text }) => {
    const emails = [...traitsIn(text)].filter((trait) => trait.startsWith("email:") && search.matches(trait));
    if (emails.length === 0) return;
    traces.openedWith.push(id);
    traces.emails.push(...emails.map((key) => readContactKey(key).value));
  });
  return traces;
}

const linkText = `concat_ws(' ', s.placement, s.page_url, s.utm_source, s.utm_medium, s.utm_campaign, s.utm_content,
  s.utm_term)`;

const holdsEmail = (text: string): string => `(${text} LIKE '%@%' OR ${text} LIKE '%\\%40%')`;

/** Cheap tests first: a million answers take 0.9 s this way, and 3.5 s if each is lower-cased and stripped. */
const mayHold = (text: string, { patterns }: TraceSearch): Statement<unknown> =>
  patterns === null
    ? mayHoldContact(text)
    : sql`(${raw(holdsEmail(text))} AND lower(${raw(text)}) LIKE ANY (${patterns.emails}::text[])
    OR ${raw(text)} ~ '[0-9]' AND translate(${raw(text)}, ${phonePunctuation}::text, '') LIKE ANY (${patterns.phones}::text[]))`;

/** Whether a text may contain a contact: an email address, or a run of digits as long as a phone number. */
export const mayHoldContact = (text: string): Statement<unknown> =>
  sql`(${raw(holdsEmail(text))} OR ${raw(text)} ~ '[0-9][0-9 ()./-]{4,}[0-9]')`;

/** Sessions that changed since a revision; everything else need not be searched again. */
export async function changedSince(db: StoreRunner, revision: number): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`
  SELECT DISTINCT id FROM changes WHERE store_id = ${ownStore} AND revision > ${revision} AND kind = 'session'`);
  return rows.map(({ id }) => id);
}
