import { ownStore, sql, type Transaction } from "./database/sql.ts";

/**
 * Events for webhooks, written in the transaction that causes them: only committed events are sent, and every committed
 * event is sent. The slice that owns an event's data decides its content.
 */
export interface OutboxEvent {
  /** UUID of the `evt_` id, the same on every attempt */
  id: string;
  topic: string;
  created: Date;
  /** not sent before this moment */
  due: Date;
  quizId: string | null;
  sessionId: string | null;
  profileId: string | null;
  /** data for the payload that cannot be read again later */
  data: Record<string, unknown>;
}

/**
 * Sends its statements at once, so that others can be sent behind them before the first is answered.
 *
 * @param now calendar time in ms
 */
export async function appendEvents(
  tx: Transaction,
  storeId: string,
  now: number,
  events: readonly OutboxEvent[],
): Promise<void> {
  if (events.length === 0) return;
  // a transaction's events enter the feed in the order in which they happened
  const ordered = events.toSorted((a, b) => a.created.getTime() - b.created.getTime());
  const rows = ordered.map((event, index) => toRow(event, ordered.length - 1 - index));
  await Promise.all([
    reservePositions(tx, storeId, now, events.length),
    // Joins the feed's row so that a cluster sends the whole statement to the store's node: it takes the new rows'
    // store from a colocated table.
    tx.forStore(storeId).all(sql`
      INSERT INTO outbox (store_id, id, topic, created_at, due_at, quiz_id, session_id, profile_id, data, feed_position)
      SELECT f.store_id, e.id, e.topic, e.created_at, e.due_at, e.quiz_id, e.session_id, e.profile_id, e.data,
        f.last_position - e.behind
      FROM event_feeds AS f CROSS JOIN jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS e (id uuid, topic text,
        created_at timestamptz, due_at timestamptz, quiz_id uuid, session_id uuid, profile_id uuid, data jsonb, behind bigint)
      WHERE f.store_id = ${ownStore}`),
  ]);
  tx.announce("outbox");
}

/** A calendar time as a position in the feed. */
export const positionAt = (milliseconds: number): number => milliseconds * 1_000;

/**
 * Assigns the store's next events their positions in the feed; returns the first of `count` consecutive ones. The
 * store's row stays locked until the transaction ends, so that positions become visible in order: no reader ever finds
 * a lower one later. Sequences and transaction ids would not guarantee that. Call it last, after taking every other
 * lock.
 */
export async function reservePositions(tx: Transaction, storeId: string, now: number, count: number): Promise<number> {
  const last = positionAt(now) - 1;
  const row = await tx.forStore(storeId).first(sql<{ last_position: number }>`
    INSERT INTO event_feeds AS f (store_id, last_position) VALUES (${ownStore}, ${last}::bigint + ${count}::bigint)
    ON CONFLICT (store_id) DO UPDATE SET last_position = greatest(f.last_position, ${last}::bigint) + ${count}::bigint
    RETURNING last_position`);
  if (!row) throw new Error("the feed's row was not written");
  return row.last_position - count + 1;
}

/** @param behind number of later events */
const toRow = (event: OutboxEvent, behind: number) => ({
  id: event.id,
  topic: event.topic,
  created_at: event.created,
  due_at: event.due,
  quiz_id: event.quizId,
  session_id: event.sessionId,
  profile_id: event.profileId,
  data: event.data,
  behind,
});
