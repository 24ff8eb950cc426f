import type { EventTopic } from "../../contract/events.ts";
import { raw, type StoreRunner } from "../platform/database/sql.ts";
import type { DueEvent, EventPayload, PayloadBuilders } from "../platform/event-payloads.ts";

/** Rows of the outbox, and the payloads built from them. */

export interface OutboxRow {
  id: string;
  topic: string;
  created_at: Date;
  quiz_id: string | null;
  session_id: string | null;
  profile_id: string | null;
  data: Record<string, unknown>;
}

export const outboxColumns = raw("id, topic, created_at, quiz_id, session_id, profile_id, data");

export const dueEvent = (row: OutboxRow): DueEvent => ({
  id: row.id,
  topic: row.topic,
  created: row.created_at,
  quizId: row.quiz_id,
  sessionId: row.session_id,
  profileId: row.profile_id,
  data: row.data,
});

/** The payload of each event by its id; an event without one is not sent. Throws for an unknown topic. */
export async function buildPayloads(
  db: StoreRunner,
  builders: Partial<PayloadBuilders>,
  events: readonly DueEvent[],
): Promise<Map<string, EventPayload>> {
  const byBuilder = Map.groupBy(events, ({ topic }) => {
    const builder = Object.hasOwn(builders, topic) ? builders[topic as EventTopic] : undefined;
    if (builder === undefined) throw new Error(`no builder for payloads of ${topic}`);
    return builder;
  });
  const payloads = new Map<string, EventPayload>();
  for (const [builder, own] of byBuilder) {
    for (const [id, payload] of await builder.build(db, db.storeId, own)) payloads.set(id, payload);
  }
  return payloads;
}
