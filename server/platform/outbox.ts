import type { Transaction } from "./database/database.ts";

/**
 * Events that the webhooks will send, written by the transaction that causes them: nothing is sent that was not
 * committed, and nothing committed is not sent. What an event looks like is decided by the slice that owns its data.
 */
export interface OutboxEvent {
  /** UUID of the `evt_` id, the same on every attempt */
  id: string;
  topic: string;
  created: Date;
  /** not before this moment */
  due: Date;
  quizId: string | null;
  sessionId: string | null;
  profileId: string | null;
  /** what its payload is built from and cannot be read again later */
  data: Record<string, unknown>;
}

export async function appendEvents(tx: Transaction, storeId: string, events: readonly OutboxEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.all({
    sql: `INSERT INTO outbox (store_id, id, topic, created_at, due_at, quiz_id, session_id, profile_id, data)
          SELECT $1::uuid, e.id, e.topic, e.created_at, e.due_at, e.quiz_id, e.session_id, e.profile_id, e.data
          FROM jsonb_to_recordset($2::jsonb) AS e (id uuid, topic text, created_at timestamptz, due_at timestamptz,
            quiz_id uuid, session_id uuid, profile_id uuid, data jsonb)`,
    parameters: [storeId, JSON.stringify(events.map(toRow))],
  });
  tx.announce("outbox");
}

const toRow = (event: OutboxEvent) => ({
  id: event.id,
  topic: event.topic,
  created_at: event.created,
  due_at: event.due,
  quiz_id: event.quizId,
  session_id: event.sessionId,
  profile_id: event.profileId,
  data: event.data,
});
