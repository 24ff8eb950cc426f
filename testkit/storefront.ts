import type { EventBatch, ReportedSession } from "../contract/storefront.ts";
import { ownStore, raw, sql } from "../server/platform/database/sql.ts";
import { parseId } from "../server/platform/ids.ts";
import type { SessionState } from "../server/sessions/state.ts";
import type { Answered, TestApp, TestStore } from "./app.ts";
import { eventId, historyStart, type ScriptedEvent, scriptedHistory } from "./histories.ts";
import type { TestQuiz } from "./quizzes.ts";

/** A shopper's browser, for tests of its requests. */

export const sessionId = (number: number): string => `sess_${number.toString(16).padStart(32, "0")}`;
export const visitorId = (number: number): string => `vis_${number.toString(16).padStart(32, "0")}`;

export interface Sent {
  session?: Partial<ReportedSession>;
  /** ms; by default the app's calendar */
  sentAt?: number;
  headers?: Record<string, string>;
  type?: string;
}

export function batchOf(t: TestApp, store: TestStore, quiz: TestQuiz, events: unknown[], sent: Sent = {}): EventBatch {
  return {
    store: store.publishableKey,
    sent_at: new Date(sent.sentAt ?? t.calendar.now()).toISOString(),
    session: {
      id: sessionId(1),
      visitor_id: visitorId(1),
      quiz_id: quiz.id,
      version_id: quiz.versionId,
      channel: "online_store",
      ...sent.session,
    },
    events,
  };
}

/** Posts events like a page of the shop. */
export function send(
  t: TestApp,
  store: TestStore,
  quiz: TestQuiz,
  events: unknown[],
  sent: Sent = {},
): Promise<Answered> {
  const headers = { "content-type": sent.type ?? "application/json", ...sent.headers };
  return t.request("POST", "/storefront/v1/events", { body: batchOf(t, store, quiz, events, sent), headers });
}

/**
 * A scripted history that began `minutesAgo` minutes before the app's present; ids contain numbers from `firstId` on.
 */
export function recently(
  t: TestApp,
  script: readonly ScriptedEvent[],
  { minutesAgo = 10, firstId = 0 }: { minutesAgo?: number; firstId?: number } = {},
): object[] {
  const shift = t.calendar.now() - minutesAgo * 60_000 - historyStart;
  return scriptedHistory(...script).map(({ time, ...event }, index) => ({
    ...event,
    id: eventId(firstId + index),
    at: new Date(time + shift).toISOString(),
  }));
}

export interface SessionRecord {
  id: string;
  quiz_id: string;
  version_id: string;
  visitor_id: string;
  profile_id: string | null;
  number: number;
  channel: string;
  placement: string | null;
  page_url: string | null;
  referrer_host: string | null;
  utm_source: string | null;
  utm_campaign: string | null;
  device_class: string;
  device: Record<string, string | null>;
  country: string | null;
  region: string | null;
  locale: string | null;
  time_zone: string | null;
  preview: boolean;
  emits: boolean;
  is_returning: boolean;
  opened_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
  ended_at: Date | null;
  last_event_at: Date;
  status: string;
  state: SessionState;
  emitted: string[];
  due_at: Date | null;
}

export async function sessionRow(
  t: Pick<TestApp, "database">,
  store: Pick<TestStore, "uuid">,
  publicId: string,
): Promise<SessionRecord | undefined> {
  const db = t.database.reader();
  return db
    .forStore(store.uuid)
    .first(
      sql<SessionRecord>`SELECT * FROM sessions WHERE store_id = ${ownStore} AND id = ${parseId("sess", publicId)}`,
    );
}

export interface StoredEvent {
  seq: number;
  type: string;
  data: Record<string, unknown>;
}

/** A session's stored events, in order. */
export function storedEvents(
  t: Pick<TestApp, "database">,
  store: Pick<TestStore, "uuid">,
  publicId: string,
): Promise<StoredEvent[]> {
  const db = t.database.reader().forStore(store.uuid);
  return db.all(sql<StoredEvent>`SELECT seq, type, data FROM session_events
    WHERE store_id = ${ownStore} AND session_id = ${parseId("sess", publicId)} ORDER BY seq`);
}

export const countRows = async (t: Pick<TestApp, "database">, store: TestStore, table: string): Promise<number> => {
  const row = await t.database
    .reader()
    .forStore(store.uuid)
    .first(sql<{ n: number }>`SELECT count(*) AS n FROM ${raw(table)} WHERE store_id = ${ownStore}`);
  return row?.n ?? 0;
};

/** The outbox entries caused by sessions. */
export async function outbox(
  t: TestApp,
  store: TestStore,
): Promise<{ topic: string; created_at: Date; due_at: Date }[]> {
  return t.database
    .reader()
    .forStore(store.uuid)
    .all(sql`SELECT topic, created_at, due_at FROM outbox WHERE store_id = ${ownStore} AND session_id IS NOT NULL
             ORDER BY created_at, topic`);
}
