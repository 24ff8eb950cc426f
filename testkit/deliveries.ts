import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { type DeliveryTopic, type EventTopic, eventEnvelope, eventTopics, topics } from "../contract/events.ts";
import { eventPayloads } from "../server/main/event-payloads.ts";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import type { PayloadBuilders } from "../server/platform/event-payloads.ts";
import { newValidator } from "../server/platform/http/shapes.ts";
import { VersionCache } from "../server/quizzes/public.ts";
import { sweepSessions } from "../server/sessions/sweep.ts";
import type { DeliveryRow } from "../server/webhooks/endpoint-rows.ts";
import { sweepOutbox } from "../server/webhooks/fan-out.ts";
import type { Body, TestApp, TestStore } from "./app.ts";

/** Endpoints and their deliveries, without sending anything. */

export interface EndpointGiven {
  topics?: readonly EventTopic[];
  includePii?: boolean;
  quizIds?: readonly string[] | null;
  status?: "enabled" | "disabled";
  nextDueAt?: Date | null;
}

/** Inserts an endpoint, subscribed to every topic by default; returns its UUID. */
export async function insertEndpoint(t: TestApp, store: TestStore, given: EndpointGiven = {}): Promise<string> {
  const id = randomUUID();
  const { topics = eventTopics, includePii = true, quizIds = null, status = "enabled", nextDueAt = null } = given;
  await t.database
    .reader()
    .forStore(store.uuid)
    .all(sql`INSERT INTO webhook_endpoints (store_id, id, url, topics, include_pii, quiz_ids, status, secret, created_at,
            updated_at, next_due_at)
          VALUES (${ownStore}, ${id}, ${`https://hooks.example.com/${id}`}, ${topics}, ${includePii}, ${quizIds}, ${status}, '\\x00', ${new Date(t.calendar.now())}, ${new Date(t.calendar.now())}, ${nextDueAt})`);
  return id;
}

/** Wired as in the program. */
export const buildersOf = (t: TestApp): PayloadBuilders =>
  eventPayloads({ baseUrl: t.foundations.config.baseUrl, versions: new VersionCache() });

/** Ends idle sessions and hands over due events until nothing is left; returns the number of events handed over. */
export async function handOverDue(t: TestApp, builders = buildersOf(t)): Promise<number> {
  const { random, log } = t.foundations;
  const now = t.calendar.now;
  while ((await sweepSessions(t.database, { versions: new VersionCache(), now, random, log })) > 0);
  let all = 0;
  for (;;) {
    const some = await sweepOutbox(t.database, { builders, now, random, log });
    all += some;
    if (some === 0) return all;
  }
}

export interface DeliveryRecord extends DeliveryRow {
  session_id: string | null;
  profile_id: string | null;
  /** the parsed payload */
  envelope: Body;
}

/** In sending order. */
export async function deliveriesOf(t: TestApp, store: TestStore, endpointId?: string): Promise<DeliveryRecord[]> {
  const rows = await t.database
    .reader()
    .forStore(store.uuid)
    .all(sql<Omit<DeliveryRecord, "envelope">>`
      SELECT * FROM webhook_deliveries
      WHERE store_id = ${ownStore} AND (${endpointId}::uuid IS NULL OR endpoint_id = ${endpointId})
      ORDER BY next_attempt_at, id`);
  return rows.map((row) => ({ ...row, envelope: JSON.parse(row.payload) }));
}

/** The objects of one topic that an endpoint receives. */
export async function objectsOf(t: TestApp, store: TestStore, topic: string, endpointId?: string): Promise<Body[]> {
  const deliveries = await deliveriesOf(t, store, endpointId);
  return deliveries.filter((row) => row.topic === topic).map((row) => row.envelope.data.object);
}

/** Fails unless the envelope has exactly the fields that its topic declares. */
export function checkShape(envelope: Body): void {
  const topic = envelope.type as DeliveryTopic;
  const validate = newValidator().compile(strictly(eventEnvelope(topic, topics[topic].object)));
  expect([validate(envelope), validate.errors]).toEqual([true, null]);
}

function strictly(shape: Body): Body {
  if (Array.isArray(shape)) return shape.map(strictly);
  if (typeof shape !== "object" || shape === null) return shape;
  const inner = Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, strictly(value)]));
  return inner["type"] === "object" && inner["properties"] ? { ...inner, additionalProperties: false } : inner;
}
