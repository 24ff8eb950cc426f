import { setImmediate as nextTurn } from "node:timers/promises";
import type { ShopperEvent } from "../../contract/storefront.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { timeOrNull } from "../platform/clock.ts";
import { anyOf, ownStore, plainArray, raw, type Statement, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { SessionAttributes } from "./attributes.ts";
import { type CopyText, copyText } from "./copy-text.ts";
import { isCounted } from "./fold.ts";
import { bytesIn, comparePlaces, eventUuid, type KeptEvent, type Place } from "./kept-event.ts";
import type { SessionState, SessionStatus } from "./state.ts";

/**
 * SQL for sessions and their events. These statements run for every batch of shopper events, so rows travel as one JSON
 * parameter (`jsonb_to_recordset` took 4.5 ms for 1,000 events, `json_to_recordset` 8.9) and times come back as
 * numbers, which the driver reads much faster than dates.
 */

export interface SessionRow {
  id: string;
  visitor_id: string;
  quiz_id: string;
  version_id: string;
  profile_id: string | null;
  country: string | null;
  time_zone: string | null;
  preview: boolean;
  emits: boolean;
  is_returning: boolean;
  /** times in ms */
  opened_at: number;
  due_at: number | null;
  emitted: string[];
}

const ms = (column: string) => raw(`(extract(epoch FROM ${column}) * 1000)::bigint`);

/**
 * The number and bytes of a session's events, for rows that do not store them. Compressed data counts compressed here.
 */
export interface Counted {
  events: number;
  bytes: number;
}

export interface KeptSession {
  row: SessionRow;
  /** as last written, by whatever release */
  state: Partial<SessionState>;
  /** null: the state has the counts */
  counted: Counted | null;
  /** UUIDs of those requested events that it already has */
  known: string[];
}

/**
 * The sessions that exist, each with those of the requested events that it has.
 *
 * @param asked event ids by session, all of them UUIDs
 */
export async function readSessions(
  db: StoreRunner,
  asked: ReadonlyMap<string, readonly string[]>,
): Promise<KeptSession[]> {
  const ids = plainArray([...asked.keys()]);
  // an array's rows must have the same length, a list of texts need not
  const events = plainArray(Array.from(asked.values(), (eventIds) => `"${plainArray(eventIds)}"`));
  // The requested events are looked up by one index search per session: for a join, a plan made while the table was
  // small would read all of the store's. A session is one JSON value: the driver takes longer for fourteen columns than
  // for one, and the database longer for names than for values.
  const rows = await db.all(sql<{ session: SessionTuple }>`
    SELECT json_build_array(s.id, s.visitor_id, s.quiz_id, s.version_id, s.profile_id, s.country, s.time_zone,
      s.preview, s.emits, s.is_returning, ${ms("s.opened_at")}, ${ms("s.due_at")}, s.emitted, s.state, ARRAY(
        SELECT e.id FROM session_events AS e WHERE e.store_id = ${ownStore} AND e.session_id = s.id
          AND e.id = ANY((${events}::text[])[array_position(${ids}::uuid[], s.id)]::uuid[])
      )) AS session
    FROM sessions AS s WHERE s.store_id = ${ownStore} AND s.id = ${anyOf(ids)}`);
  const kept = rows.map(({ session }) => keptSession(session));
  const uncounted = kept.filter(({ state }) => !isCounted(state));
  if (uncounted.length > 0) await countEvents(db, uncounted);
  return kept;
}

type SessionTuple = [
  ...ids: [id: string, visitor: string, quiz: string, version: string, profile: string | null],
  ...attributes: [country: string | null, zone: string | null, preview: boolean, emits: boolean, isReturning: boolean],
  ...times: [openedAt: number, dueAt: number | null],
  ...rest: [emitted: string[], state: Partial<SessionState>, known: string[]],
];

function keptSession(tuple: SessionTuple): KeptSession {
  const [id, visitor_id, quiz_id, version_id, profile_id, country, time_zone, preview, emits, ...rest] = tuple;
  const [is_returning, opened_at, due_at, emitted, state, known] = rest;
  const ids = { id, visitor_id, quiz_id, version_id, profile_id };
  return {
    row: { ...ids, country, time_zone, preview, emits, is_returning, opened_at, due_at, emitted },
    state,
    counted: null,
    known,
  };
}

/** Counting reads an index entry and a row for each event, so it is only done if the row has no counts. */
async function countEvents(db: StoreRunner, sessions: readonly KeptSession[]): Promise<void> {
  const rows = await db.all(sql<Counted & { id: string }>`
    SELECT e.session_id AS id, count(*) AS events, sum(pg_column_size(e.data)) AS bytes FROM session_events AS e
    WHERE e.store_id = ${ownStore} AND e.session_id = ${anyOf(plainArray(sessions.map(({ row }) => row.id)))}
    GROUP BY e.session_id`);
  const counted = new Map(rows.map(({ id, events, bytes }) => [id, { events, bytes }]));
  for (const session of sessions) session.counted = counted.get(session.row.id) ?? { events: 0, bytes: 0 };
}

type EventTuple = [id: string, seq: number, type: string, at: number, data: object];

/** In a session from before events were bounded, each event of a page may have 100 KB. */
const eventsAPage = 50;
const beforeAll = { seq: -1, id: "00000000-0000-0000-0000-000000000000" };

/** All events of a session by `seq`, up to and including a place, in pages that are read and held one at a time. */
export async function* readEventPages(
  db: StoreRunner,
  sessionId: string,
  upTo: Place | null = null,
): AsyncGenerator<KeptEvent[]> {
  for (let last = beforeAll; ; ) {
    // The events come as one JSON value, which is faster to read than a row per event; the inner query finds the next
    // ones without reading their data.
    const page = await db.first(sql<{ events: EventTuple[] | null }>`
      SELECT json_agg(json_build_array(e.id, e.seq, e.type, ${ms("e.at")}, e.data) ORDER BY e.seq, e.id) AS events
      FROM (
        SELECT p.id FROM session_events AS p
        WHERE p.store_id = ${ownStore} AND p.session_id = ${sessionId} AND (p.seq, p.id) > (${last.seq}, ${last.id})
        ORDER BY p.seq, p.id LIMIT ${eventsAPage}
      ) AS k JOIN session_events AS e ON e.store_id = ${ownStore} AND e.session_id = ${sessionId} AND e.id = k.id`);
    const events = (page?.events ?? []).map(eventOf);
    const wanted = upTo === null ? events : events.filter((event) => comparePlaces(event, upTo) <= 0);
    if (wanted.length > 0) yield wanted;
    const end = events.at(-1);
    if (end === undefined || events.length < eventsAPage || wanted.length < events.length) return;
    last = { seq: end.seq, id: eventUuid(end.id) };
  }
}

function eventOf([id, seq, type, time, data]: EventTuple): KeptEvent {
  const bytes = bytesIn(data);
  return { ...data, id: `evt_${id}`, seq, at: new Date(time).toISOString(), time, type, bytes } as KeptEvent;
}

/** A session's columns that are derived from its events. */
export interface ReducedColumns extends CopyText {
  id: string;
  is_returning: boolean;
  opened_at: string;
  started_at: string | null;
  completed_at: string | null;
  ended_at: string | null;
  last_event_at: string;
  status: SessionStatus;
  state: SessionState;
  emitted: readonly string[];
  due_at: string | null;
}

export type NewSession = SessionAttributes & ReducedColumns & { number: number; first_received_at: string };

export interface NewEvent {
  session_id: string;
  id: string;
  seq: number;
  at: string;
  type: ShopperEvent["type"];
  data: object;
}

export function reducedColumns(
  id: string,
  quiz: Quiz,
  state: SessionState,
  more: { isReturning: boolean; emitted: readonly string[]; due: number | null },
): ReducedColumns {
  return {
    id,
    is_returning: more.isReturning,
    opened_at: new Date(state.opened_at).toISOString(),
    started_at: timeOrNull(state.started_at),
    completed_at: timeOrNull(state.completed_at),
    ended_at: timeOrNull(state.ended_at),
    last_event_at: new Date(state.last_event_at).toISOString(),
    status: state.status,
    state,
    ...copyText(quiz, state),
    emitted: more.emitted,
    due_at: timeOrNull(more.due),
  };
}

/** Columns set by the first event of a session, which never change, with their types. */
const openingTypes = {
  number: "bigint",
  visitor_id: "uuid",
  quiz_id: "uuid",
  version_id: "uuid",
  channel: "text",
  placement: "text",
  page_url: "text",
  referrer_host: "text",
  utm_source: "text",
  utm_medium: "text",
  utm_campaign: "text",
  utm_content: "text",
  utm_term: "text",
  device_class: "text",
  device: "jsonb",
  country: "text",
  region: "text",
  locale: "text",
  time_zone: "text",
  preview: "boolean",
  emits: "boolean",
  first_received_at: "timestamptz",
} satisfies Record<Exclude<keyof NewSession, keyof ReducedColumns>, string>;

/** Columns derived from all of its events. */
const reducedTypes = {
  is_returning: "boolean",
  opened_at: "timestamptz",
  started_at: "timestamptz",
  completed_at: "timestamptz",
  ended_at: "timestamptz",
  last_event_at: "timestamptz",
  status: "text",
  state: "jsonb",
  facts: "text",
  texts: "text",
  emitted: "text[]",
  due_at: "timestamptz",
} satisfies Record<Exclude<keyof ReducedColumns, "id">, string>;

const listed = (types: Record<string, string>, column: (name: string, type: string) => string) =>
  raw(
    Object.entries(types)
      .map(([name, type]) => column(name, type))
      .join(", "),
  );
const [updatedTypes, insertedTypes] = [
  { id: "uuid", ...reducedTypes },
  { id: "uuid", ...openingTypes, ...reducedTypes },
];
const inserted = listed(insertedTypes, (name) => name);
const given = listed(insertedTypes, (name) => `n.${name}`);
const givenTyped = listed(insertedTypes, (name, type) => `${name} ${type}`);
const updated = listed(reducedTypes, (name) => `${name} = c.${name}`);
const updatedTyped = listed(updatedTypes, (name, type) => `${name} ${type}`);

/**
 * The statements for new sessions, new events and changed sessions, to be sent one behind the other. As one statement
 * they would be a writing CTE, which a cluster runs part by part, each with a plan and files of its own: 3.4 ms of a
 * node's time, where two statements take 0.8. Prepared before they are sent, so that others can follow without waiting.
 */
export async function writingStatements(
  receivedAt: number,
  rows: { events: readonly NewEvent[]; opened: readonly NewSession[]; changed: readonly ReducedColumns[] },
): Promise<Statement[]> {
  const statements: Statement[] = [];
  if (rows.opened.length > 0) {
    statements.push(sql`
    INSERT INTO sessions (store_id, ${inserted})
    SELECT ${ownStore}::uuid, ${given}
    FROM jsonb_to_recordset(${await sessionsAsJson(rows.opened)}::jsonb) AS n (${givenTyped})`);
  }
  if (rows.events.length > 0) {
    // a group's events are a megabyte at most, except those of history, which a command writes in its own process
    statements.push(sql`
    INSERT INTO session_events (store_id, session_id, id, seq, at, received_at, type, data)
    SELECT ${ownStore}::uuid, e.session_id, e.id, e.seq, e.at, ${new Date(receivedAt)}::timestamptz, e.type, e.data
    FROM jsonb_to_recordset(${JSON.stringify(rows.events)}::jsonb) AS e
      (session_id uuid, id uuid, seq integer, at timestamptz, type text, data jsonb)`);
  }
  if (rows.changed.length > 0) {
    // the join alone may read all sessions of the store [database.young-tables]
    const ids = rows.changed.map(({ id }) => id);
    statements.push(sql`
    UPDATE sessions AS s SET ${updated}
    FROM jsonb_to_recordset(${await sessionsAsJson(rows.changed)}::jsonb) AS c (${updatedTyped})
    WHERE s.store_id = ${ownStore} AND s.id = c.id AND s.id = ${anyOf(ids)}`);
  }
  return statements;
}

/** Characters of JSON between two yields to the event loop: about two milliseconds. */
const jsonBetweenYields = 512 * 1024;

/** Maximum size of a state per event, in addition to the event's own data: an answer, a visit and a move. */
const charactersAnEvent = 600;

/**
 * Sessions as JSON. A group of the longest ones has sixteen megabytes; nearly every other is serialized in one piece,
 * since joining pieces takes as long as serializing.
 */
export async function sessionsAsJson(rows: readonly ReducedColumns[]): Promise<string> {
  const pieces: string[] = [];
  let [piece, expected]: [ReducedColumns[], number] = [[], 0];
  for (const row of rows) {
    const { bytes, events } = row.state.fold;
    const more = bytes + charactersAnEvent * events;
    if (piece.length > 0 && expected + more > jsonBetweenYields) {
      pieces.push(JSON.stringify(piece).slice(1, -1));
      [piece, expected] = [[], 0];
      await nextTurn();
    }
    piece.push(row);
    expected += more;
  }
  const last = JSON.stringify(piece);
  return pieces.length === 0 ? last : `[${pieces.join()},${last.slice(1)}`;
}
