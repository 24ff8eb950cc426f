import type { ShopperEvent } from "../../contract/storefront.ts";
import type { Quiz } from "../../engine/quiz.ts";
import type { Transaction } from "../platform/database/database.ts";
import { type Runner, written } from "../platform/database/statements.ts";
import { type FactText, factText } from "./fact-text.ts";
import type { SessionFactColumns } from "./facts.ts";
import type { SessionState, SessionStatus, StoredEvent } from "./state.ts";

/**
 * Sessions and their events as the database holds them. These statements run for every batch of shopper events, so
 * rows travel as one JSON parameter (`jsonb_to_recordset` took 4.5 ms for 1,000 events, `json_to_recordset` 8.9) and
 * times come back as numbers, which the driver reads much faster than dates.
 */

export interface SessionRow {
  id: string;
  visitor_id: string;
  quiz_id: string;
  version_id: string;
  profile_id: string | null;
  country: string | null;
  preview: boolean;
  emits: boolean;
  is_returning: boolean;
  /** times in ms */
  first_received_at: number;
  opened_at: number;
  due_at: number | null;
  emitted: string[];
}

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;
const asMs = (...columns: string[]) => columns.map((column) => `${ms(column)} AS ${column}`).join(", ");

// The events come as one JSON value a session, which costs a round trip less and is read faster than a row an event.
const rowsSql = `
  SELECT s.id, s.visitor_id, s.quiz_id, s.version_id, s.profile_id, s.country, s.preview, s.emits, s.is_returning,
    s.emitted, ${asMs("first_received_at", "opened_at", "due_at")},
    (
      SELECT json_agg(json_build_array(e.id, e.seq, e.type, ${ms("e.at")}, e.data))
      FROM session_events AS e WHERE e.store_id = $1 AND e.session_id = s.id
    ) AS events
  FROM sessions AS s WHERE s.store_id = $1 AND s.id = ANY($2::uuid[])`;

const claimSql = `${rowsSql} AND s.due_at <= $3 FOR UPDATE OF s SKIP LOCKED`;

type EventTuple = [id: string, seq: number, type: string, at: number, data: object];

export interface KeptSession {
  row: SessionRow;
  events: StoredEvent[];
}

/** Sessions with all of their events. */
export async function readSessions(db: Runner, storeId: string, ids: readonly string[]): Promise<KeptSession[]> {
  return (await db.all(written<ReadRow>(rowsSql, [storeId, ids]))).map(keptSession);
}

/** Those of the given sessions that are due and that nobody else has in hand. */
export async function claimDueSessions(
  tx: Transaction,
  storeId: string,
  ids: readonly string[],
  now: number,
): Promise<KeptSession[]> {
  return (await tx.all(written<ReadRow>(claimSql, [storeId, ids, new Date(now)]))).map(keptSession);
}

type ReadRow = SessionRow & { events: EventTuple[] | null };

function keptSession({ events, ...row }: ReadRow): KeptSession {
  return { row, events: (events ?? []).map(storedEvent) };
}

function storedEvent([id, seq, type, time, data]: EventTuple): StoredEvent {
  return { ...data, id: `evt_${id}`, seq, at: new Date(time).toISOString(), time, type } as StoredEvent;
}

/** A session's columns that follow from its events. */
export interface ReducedColumns extends FactText {
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

export type NewSession = SessionFactColumns & ReducedColumns & { number: number; first_received_at: string };

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
    started_at: isoOrNull(state.started_at),
    completed_at: isoOrNull(state.completed_at),
    ended_at: isoOrNull(state.ended_at),
    last_event_at: new Date(state.last_event_at).toISOString(),
    status: state.status,
    state,
    ...factText(quiz, state),
    emitted: more.emitted,
    due_at: isoOrNull(more.due),
  };
}

const isoOrNull = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

const reducedNames = [
  "is_returning",
  "opened_at",
  "started_at",
  "completed_at",
  "ended_at",
  "last_event_at",
  "status",
  "state",
  "facts",
  "texts",
  "emitted",
  "due_at",
] as const;

const columnTypes = {
  id: "uuid",
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
  preview: "boolean",
  emits: "boolean",
  first_received_at: "timestamptz",
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
} as const satisfies Record<keyof NewSession, string>;

type Column = keyof typeof columnTypes;
const recordOf = (names: readonly Column[]) => names.map((name) => `${name} ${columnTypes[name]}`).join(", ");
const allNames = Object.keys(columnTypes) as Column[];

// One statement for the three writes of a batch: a round trip less each, and over many stores these are what it costs.
const writeSql = `
  WITH new_events AS (
    INSERT INTO session_events (store_id, session_id, id, seq, at, received_at, type, data)
    SELECT $1::uuid, e.session_id, e.id, e.seq, e.at, $2::timestamptz, e.type, e.data
    FROM jsonb_to_recordset($3::jsonb) AS e
      (session_id uuid, id uuid, seq integer, at timestamptz, type text, data jsonb)
  ), new_sessions AS (
    INSERT INTO sessions (store_id, ${allNames.join(", ")})
    SELECT $1::uuid, ${allNames.map((name) => `n.${name}`).join(", ")}
    FROM jsonb_to_recordset($4::jsonb) AS n (${recordOf(allNames)})
  )
  UPDATE sessions AS s SET ${reducedNames.map((name) => `${name} = c.${name}`).join(", ")}
  FROM jsonb_to_recordset($5::jsonb) AS c (${recordOf(["id", ...reducedNames])})
  WHERE s.store_id = $1 AND s.id = c.id`;

export async function writeSessions(
  tx: Transaction,
  storeId: string,
  receivedAt: number,
  rows: { events: readonly NewEvent[]; opened: readonly NewSession[]; changed: readonly ReducedColumns[] },
): Promise<void> {
  const { events, opened, changed } = rows;
  const parameters = [
    storeId,
    new Date(receivedAt),
    JSON.stringify(events),
    JSON.stringify(opened),
    JSON.stringify(changed),
  ];
  await tx.all(written<never>(writeSql, parameters));
}
