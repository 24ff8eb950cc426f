import { containing } from "../platform/database/like.ts";
import {
  ownStore,
  raw,
  type Statement,
  type StoreRunner,
  type StoreTransaction,
  sql,
} from "../platform/database/sql.ts";
import type { ContactSearch } from "./contact-search.ts";
import { eachRow } from "./each-row.ts";
import { clearedOpenings } from "./places.ts";

/**
 * Finds contacts in what is not the person's own: typed by others, in free text, in a link, in an order's line
 * [erasure.other-sessions].
 */

export interface Traces {
  answers: { sessionId: string; eventId: string }[];
  /** what sessions were opened with, by columns of `sessions` (`device.model`: a field of one) */
  openings: { sessionId: string; columns: string[] }[];
  lines: { orderId: string; orderGid: string; lineNo: number }[];
}

/** What to search: everything, or what changed; answers of sessions that are erased as a whole need no search. */
export type Range =
  | { exceptAnswersOf: readonly string[] }
  | { sessionIds: readonly string[]; answersOf: readonly string[]; orderIds: readonly string[] };

/**
 * Searches every answer of the store, since texts have no index. That takes some seconds for millions of answers, so
 * call it before holding the store's revision.
 */
export async function findTraces(tx: StoreTransaction, search: ContactSearch, range: Range): Promise<Traces> {
  const traces: Traces = { answers: [], openings: [], lines: [] };
  if (search.phoneEnds.length === 0 && search.emails?.length === 0) return traces;
  await eachText(tx, (text) => mayHold(text, search), range, {
    answer: ({ session_id: sessionId, id: eventId, value, country }) => {
      if (search.holds(value, country)) traces.answers.push({ sessionId, eventId });
    },
    opening: ({ id: sessionId, country, opening }) => {
      const columns = Object.keys(opening).filter((column) => search.holds(opening[column] ?? "", country));
      if (columns.length > 0) traces.openings.push({ sessionId, columns });
    },
    line: ({ order_id: orderId, gid: orderGid, line_no: lineNo, title }) => {
      if (search.holds(title)) traces.lines.push({ orderId, orderGid, lineNo });
    },
  });
  return traces;
}

interface TextSeers {
  answer: (row: { session_id: string; id: string; value: string; country: string | null }) => void;
  opening: (row: { id: string; country: string | null; opening: Record<string, string> }) => void;
  line: (row: { order_id: string; gid: string; line_no: number; title: string }) => void;
}

/** Reads every text in which others may have left a contact, where a condition on it holds. */
export async function eachText(
  tx: StoreTransaction,
  condition: (text: string) => Statement<unknown>,
  range: Range,
  see: TextSeers,
): Promise<void> {
  const only = "exceptAnswersOf" in range ? null : range;
  const inAnswers =
    only === null
      ? sql`e.session_id <> ALL (${"exceptAnswersOf" in range ? range.exceptAnswersOf : []}::uuid[])`
      : sql`e.session_id = ANY (${only.answersOf}::uuid[])`;
  const typed =
    "concat_ws(E'\\n', CASE WHEN jsonb_typeof(e.data -> 'value') = 'string' THEN e.data ->> 'value' END, e.data ->> 'other_text')";
  await eachRow(
    tx,
    sql<Parameters<TextSeers["answer"]>[0]>`
  SELECT e.session_id, e.id, ${raw(typed)} AS value, s.country
  FROM session_events e JOIN sessions s ON s.store_id = ${ownStore} AND s.id = e.session_id
  WHERE e.store_id = ${ownStore} AND e.type = 'answer_saved' AND ${inAnswers}
    AND (jsonb_typeof(e.data -> 'value') = 'string' OR e.data ? 'other_text') AND ${condition(typed)}`,
    see.answer,
  );
  const inSessions = only === null ? sql`true` : sql`s.id = ANY (${only.sessionIds}::uuid[])`;
  await eachRow(
    tx,
    sql<Parameters<TextSeers["opening"]>[0]>`
  SELECT s.id, s.country, ${raw(openingFields)} AS opening
  FROM sessions s WHERE s.store_id = ${ownStore} AND ${inSessions} AND ${condition(openingText)}`,
    see.opening,
  );
  const inOrders = only === null ? sql`true` : sql`l.order_id = ANY (${only.orderIds}::uuid[])`;
  await eachRow(
    tx,
    sql<Parameters<TextSeers["line"]>[0]>`
  SELECT l.order_id, o.gid, l.line_no, l.title
  FROM order_lines l JOIN orders o ON o.store_id = ${ownStore} AND o.id = l.order_id
  WHERE l.store_id = ${ownStore} AND ${inOrders} AND ${condition("l.title")}`,
    see.line,
  );
}

const openingColumn = (column: string): string => {
  const [name, field] = column.split(".");
  return field === undefined ? `s.${name}` : `(s.${name} ->> '${field}')`;
};
const openingText = `concat_ws(' ', ${clearedOpenings.map(openingColumn).join(", ")})`;
const openingFields = `jsonb_strip_nulls(jsonb_build_object(${clearedOpenings
  .map((column) => `'${column}', ${openingColumn(column)}`)
  .join(", ")}))`;

const holdsEmail = (text: string): string => `(${text} ~ '[@\uff20\ufe6b]' OR ${text} LIKE '%\\%40%')`;

/** The decimal digits of all scripts but ours, for a class of a regular expression. */
const otherDigits = (() => {
  const zeros: number[] = [];
  for (let code = 0x80; code < 0x20000; code++) {
    if (/\p{Nd}/u.test(String.fromCodePoint(code))) zeros.push(code);
  }
  return zeros.map((code) => String.fromCodePoint(code)).join("");
})();

/**
 * A condition that all texts meet in which the search finds something. Cheap tests first, since a store may have
 * millions of texts.
 */
const mayHold = (text: string, { emails, phoneEnds }: ContactSearch): Statement<unknown> => {
  const digits = `regexp_replace(${text}, '[^0-9]+', '', 'g')`;
  const decodedDigits = `regexp_replace(${text}, '%[0-9A-Fa-f]{2}|[^0-9]+', '', 'g')`;
  const ends = phoneEnds.map((end) => `%${end}%`);
  const isPhone = sql`(${raw(text)} ~ '[0-9]' AND (${raw(digits)} LIKE ANY (${ends}::text[])
      OR ${raw(text)} LIKE '%\\%%' AND (${raw(decodedDigits)} LIKE ANY (${ends}::text[]) OR ${raw(text)} ~ '%3[0-9]'))
    OR ${raw(`${text} ~ '[${otherDigits}]'`)})`;
  // addresses with invisible or other marks, or encoded, are compared as the program reads them
  const isEmail =
    emails === null
      ? raw(holdsEmail(text))
      : sql`(${raw(holdsEmail(text))} AND (lower(${raw(text)}) LIKE ANY (${emails.map(containing)}::text[])
    OR ${raw(text)} ~ '[^\\x01-\\x7f]|%[0-9A-Fa-f]{2}'))`;
  if (ends.length === 0) return isEmail;
  return emails?.length === 0 ? isPhone : sql`(${isEmail} OR ${isPhone})`;
};

/** Whether a text may contain a contact: an email address, or as many digits as the shortest phone number has. */
export const mayHoldContact = (text: string): Statement<unknown> =>
  raw(`(${holdsEmail(text)} OR ${text} ~ '(?:[0-9${otherDigits}][^[:alpha:]]*){4}')`);

/** Sessions and orders that changed since a revision; everything else need not be searched again. */
export async function changedSince(
  db: StoreRunner,
  revision: number,
): Promise<{ sessionIds: string[]; orderIds: string[] }> {
  const rows = await db.all(sql<{ kind: string; id: string }>`
  SELECT DISTINCT kind, id FROM changes
  WHERE store_id = ${ownStore} AND revision > ${revision} AND kind IN ('session', 'order')`);
  const idsOf = (kind: string) => rows.flatMap((row) => (row.kind === kind ? row.id : []));
  return { sessionIds: idsOf("session"), orderIds: idsOf("order") };
}
