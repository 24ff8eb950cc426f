import type { Runner } from "../../platform/database/statements.ts";
import { written } from "../../platform/database/statements.ts";
import { readContactKey } from "../people.ts";
import { contactsIn, emailPatterns, phonePatterns, phonePunctuation } from "./contacts-in.ts";

/** Where else a store's sessions hold contacts of somebody: typed by others, left in free text, or carried by a link. */

export interface Traces {
  answers: { sessionId: string; eventId: string }[];
  /** UUIDs of sessions that were opened by a link that carries one of the emails */
  openedWith: string[];
}

/** Which sessions are looked at: all but these, or these only. */
export type Range = { except: readonly string[] } | { only: readonly string[] };

interface TraceRow {
  session_id: string;
  id: string;
  value: string;
  country: string | null;
}

/**
 * Looks through every answer of the store, since texts have no index: some seconds for millions of answers, so that it is
 * done before the store's revision is held.
 */
export async function findTraces(db: Runner, storeId: string, keys: readonly string[], range: Range): Promise<Traces> {
  if (keys.length === 0 || ("only" in range && range.only.length === 0)) return { answers: [], openedWith: [] };
  const contacts = keys.map(readContactKey);
  const valuesOf = (kind: "email" | "phone") =>
    contacts.filter((contact) => contact.kind === kind).map(({ value }) => value);
  const emails = emailPatterns(valuesOf("email"));
  const within = (column: string) => `${column} ${"only" in range ? "= ANY" : "<> ALL"} ($2::uuid[])`;
  const sessionIds = "only" in range ? range.only : range.except;
  const rows = await db.all(
    written<TraceRow>(
      `SELECT e.session_id, e.id, e.data ->> 'value' AS value, s.country
       FROM session_events e JOIN sessions s ON s.store_id = $1 AND s.id = e.session_id
       WHERE e.store_id = $1 AND e.type = 'answer_saved' AND ${within("e.session_id")}
         AND jsonb_typeof(e.data -> 'value') = 'string' AND (lower(e.data ->> 'value') LIKE ANY ($3::text[])
           OR translate(e.data ->> 'value', $5, '') LIKE ANY ($4::text[]))`,
      [storeId, sessionIds, emails, phonePatterns(valuesOf("phone")), phonePunctuation],
    ),
  );
  const wanted = new Set(keys);
  const opened = await db.all(
    written<{ id: string }>(
      `SELECT s.id FROM sessions s WHERE s.store_id = $1 AND ${within("s.id")}
         AND lower(concat_ws(' ', s.placement, s.page_url, s.utm_source, s.utm_medium, s.utm_campaign, s.utm_content,
           s.utm_term)) LIKE ANY ($3::text[])`,
      [storeId, sessionIds, emails],
    ),
  );
  return {
    answers: rows
      .filter(({ value, country }) => holdsOne(value, country, wanted))
      .map(({ session_id: sessionId, id: eventId }) => ({ sessionId, eventId })),
    openedWith: opened.map(({ id }) => id),
  };
}

const holdsOne = (value: string, country: string | null, wanted: ReadonlySet<string>): boolean =>
  [...contactsIn(value, country)].some((key) => wanted.has(key));

/** Sessions that changed since a revision, so that what was looked through before need not be again. */
export async function changedSince(db: Runner, storeId: string, revision: number): Promise<string[]> {
  const rows = await db.all(
    written<{ id: string }>(
      "SELECT DISTINCT id FROM changes WHERE store_id = $1 AND revision > $2 AND kind = 'session'",
      [storeId, revision],
    ),
  );
  return rows.map(({ id }) => id);
}

export async function revisionOf(db: Runner, storeId: string): Promise<number> {
  const row = await db.first(
    written<{ revision: number }>("SELECT revision FROM store_revisions WHERE store_id = $1", [storeId]),
  );
  if (!row) throw new Error("a store has no revision row");
  return row.revision;
}
