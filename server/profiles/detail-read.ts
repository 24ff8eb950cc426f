import type { AnswerValue, QuestionComponent } from "../../engine/document.ts";
import type { Score } from "../../engine/score.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { ContactKind } from "./people.ts";
import { type PersonRow, personColumns } from "./person-row.ts";

/** Reads the data of a person's page from the database. */

/**
 * Returns undefined for removed and merged people too, so that they cannot be told from unknown ones [people.removed].
 */
export const readPerson = (db: StoreRunner, profileId: string) =>
  db.first(sql<PersonRow & { quiz_ids: string[] }>`
  SELECT ${personColumns}, p.quiz_ids FROM profiles p
  WHERE p.store_id = ${ownStore} AND p.id = ${profileId} AND p.removed_at IS NULL`);

export interface IdentityRow {
  kind: ContactKind;
  value: string;
  consent: boolean | null;
  first_seen_at: Date | null;
  last_seen_at: Date | null;
}

/** Emails before phones, the most recently left first. */
export const readIdentities = (db: StoreRunner, profileId: string): Promise<IdentityRow[]> =>
  db.all(sql<IdentityRow>`
  SELECT kind, coalesce(shown, value) AS value, consent, first_seen_at, last_seen_at FROM identities i
  WHERE store_id = ${ownStore} AND profile_id = ${profileId} ORDER BY kind, last_seen_at DESC NULLS LAST, i.value`);

export interface SessionRow {
  id: string;
  quiz_id: string;
  version_id: string;
  channel: string;
  device_class: string;
  country: string | null;
  is_returning: boolean;
  opened_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
  ended_at: Date | null;
  status: "completed" | "in_progress" | "left";
  /** calendar ms; set while in progress */
  idle_at: number | null;
  last_page_key: string | null;
  pages_visited: number;
}

/**
 * How many sessions a person's page lists, the newest [people.listed-newest]. The contract has no paging for them; a
 * "person" with more is an address that staff or a kiosk enters again and again. `sessions_count` is the total.
 */
export const sessionsListed = 1_000;

/** The listed sessions, plus one more if there are more. */
export const readSessions = (db: StoreRunner, profileId: string): Promise<SessionRow[]> =>
  db.all(sql<SessionRow>`
  SELECT id, quiz_id, version_id, channel, device_class, country, is_returning, opened_at, started_at, completed_at,
    ended_at, status, (state->>'idle_at')::float8 AS idle_at, state->>'last_page_key' AS last_page_key,
    coalesce((state->>'pages_visited')::integer, 0) AS pages_visited
  FROM sessions WHERE store_id = ${ownStore} AND profile_id = ${profileId} AND NOT preview
  ORDER BY coalesce(started_at, opened_at) DESC, id DESC LIMIT ${sessionsListed + 1}`);

/** The parts of a session's state that a result shows. The sessions slice writes the state. */
export interface FinishedState {
  answers: ({
    component_key: string;
    page_key: string;
    kind: QuestionComponent["kind"];
  } & AnswerValue)[];
  outcome: Score;
  terminal_page_key: string | null;
  shown: { page_key: string; block_key: string; product_id: string; variant_id: string | null }[];
}

export interface ResultRow {
  id: string;
  quiz_id: string;
  version_id: string;
  opened_at: Date;
  started_at: Date | null;
  completed_at: Date;
  state: FinishedState;
}

/** The most recently completed session of each quiz. */
export const readLatestResults = (db: StoreRunner, profileId: string): Promise<ResultRow[]> =>
  db.all(sql<ResultRow>`
  WITH latest AS (
    SELECT DISTINCT ON (quiz_id) id FROM sessions
    WHERE store_id = ${ownStore} AND profile_id = ${profileId} AND completed_at IS NOT NULL AND NOT preview
    ORDER BY quiz_id, completed_at DESC, id DESC
  )
  SELECT s.id, s.quiz_id, s.version_id, s.opened_at, s.started_at, s.completed_at,
    jsonb_build_object('answers', s.state->'answers', 'outcome', s.state->'outcome',
      'terminal_page_key', s.state->'terminal_page_key', 'shown', s.state->'shown') AS state
  FROM latest l JOIN sessions s ON s.store_id = ${ownStore} AND s.id = l.id
  ORDER BY s.completed_at DESC, s.id DESC`);
