import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { RunTotals } from "./load-generator.ts";
import type { ReceivedReport } from "./load-receiver.ts";

/** Checks that what was acknowledged is in the database, and that what the database says was sent has arrived. */

/** The topics to which the run's endpoints are subscribed. */
export const countedTopics = ["quiz.started", "quiz.finished", "profile.created", "export.completed"] as const;

/** Events of finished sessions are sent a minute later. */
const drainedWithinMs = 180_000;

const waitingSql = `
  SELECT (SELECT count(*) FROM outbox WHERE due_at IS NOT NULL)::integer AS events,
    (SELECT count(*) FROM webhook_deliveries WHERE status IN ('pending', 'delivering', 'retrying'))::integer AS deliveries,
    (SELECT count(*) FROM exports WHERE status IN ('pending', 'running'))::integer AS exports`;

/** Waits until nothing is left to be sent or built; returns what is left if that takes too long. */
export async function drain(client: pg.Client): Promise<{ events: number; deliveries: number; exports: number }> {
  const last = performance.now() + drainedWithinMs;
  for (;;) {
    const { rows } = await client.query<{ events: number; deliveries: number; exports: number }>(waitingSql);
    const [left = { events: 0, deliveries: 0, exports: 0 }] = rows;
    if (left.events + left.deliveries + left.exports === 0 || performance.now() > last) return left;
    await pause(1_000);
  }
}

export interface Count {
  what: string;
  expected: number;
  /** more than expected if requests got no answer: some of these were committed */
  most: number;
  found: number;
}

const exactly = (what: string, expected: number, found: number): Count => ({ what, expected, most: expected, found });

export const isRight = ({ expected, most, found }: Count): boolean => expected <= found && found <= most;

const eventsSql = "SELECT count(*)::integer AS events FROM session_events";
const outboxSql = `
  SELECT topic, count(*)::integer AS events FROM outbox
  WHERE store_id = ANY ($1::uuid[]) AND topic = ANY ($2) GROUP BY topic`;
const deliveredSql = `
  SELECT topic, count(*)::integer AS events FROM webhook_deliveries WHERE status = 'delivered' GROUP BY topic`;

/** @param subscribed the stores that have an endpoint, by UUID: these are all stores in the database */
export async function compareCounts(
  client: pg.Client,
  subscribed: readonly string[],
  { acknowledged, sent }: RunTotals,
  received: ReceivedReport,
): Promise<Count[]> {
  const byTopic = async (sql: string, parameters: unknown[] = []) => {
    const { rows } = await client.query<{ topic: string; events: number }>(sql, parameters);
    return new Map(rows.map(({ topic, events }) => [topic, events]));
  };
  const { rows } = await client.query<{ events: number }>(eventsSql);
  const outbox = await byTopic(outboxSql, [subscribed, [...countedTopics]]);
  const delivered = await byTopic(deliveredSql);
  const inOutbox = (topic: string, of: "started" | "finished" | "created"): Count => {
    const what = `${topic}: acknowledged, in the outbox`;
    return { what, expected: acknowledged[of], most: sent[of], found: outbox.get(topic) ?? 0 };
  };
  const found = rows[0]?.events ?? 0;
  return [
    { what: "acknowledged events, rows", expected: acknowledged.events, most: sent.events, found },
    inOutbox("quiz.started", "started"),
    inOutbox("quiz.finished", "finished"),
    inOutbox("profile.created", "created"),
    ...countedTopics.flatMap((topic) => [
      exactly(`${topic}: in the outbox, delivered`, outbox.get(topic) ?? 0, delivered.get(topic) ?? 0),
      exactly(`${topic}: delivered, received`, delivered.get(topic) ?? 0, received.events[topic] ?? 0),
    ]),
  ];
}
