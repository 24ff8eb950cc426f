import { type AnyEnvelope, topicsAbout } from "../../contract/events.ts";
import type { Delivery, WebhookEndpoint } from "../../contract/webhooks.ts";
import type { Caller } from "../platform/caller.ts";
import { isoTime, timeOrNull } from "../platform/clock.ts";
import { older, type Place } from "../platform/cursors.ts";
import { ownStore, raw, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { withoutContacts } from "./privacy.ts";

/** Rows of endpoints and deliveries, and their representation in the API. */

export interface EndpointRow {
  id: string;
  url: string;
  topics: string[];
  include_pii: boolean;
  quiz_ids: string[] | null;
  description: string | null;
  status: string;
  disabled_reason: string | null;
  disabled_at: Date | null;
  failing_since: Date | null;
  previous_secret_expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export const endpointColumns = raw(
  "id, url, topics, include_pii, quiz_ids, description, status, disabled_reason, disabled_at, failing_since, " +
    "previous_secret_expires_at, created_at, updated_at",
);

export interface DeliveryRow {
  id: string;
  endpoint_id: string;
  event_id: string;
  topic: string;
  status: string;
  attempts: number;
  created_at: Date;
  next_attempt_at: Date;
  delivered_at: Date | null;
  last_status_code: number | null;
  last_response: string | null;
  last_error: string | null;
  payload: string;
}

export const deliveryColumns = raw(
  "id, endpoint_id, event_id, topic, status, attempts, created_at, next_attempt_at, delivered_at, last_status_code, " +
    "last_response, last_error, payload",
);

export const parseEndpointId = (text: string) => parseId("whe", text);
export const parseDeliveryId = (text: string) => parseId("whd", text);

/** @param now calendar time in ms */
export function endpointAnswer(row: EndpointRow, now: number): WebhookEndpoint {
  const expires = row.previous_secret_expires_at;
  return {
    id: formatId("whe", row.id),
    url: row.url,
    topics: row.topics as WebhookEndpoint["topics"],
    include_pii: row.include_pii,
    quiz_ids: row.quiz_ids?.map((id) => formatId("quiz", id)) ?? null,
    description: row.description,
    status: row.status as WebhookEndpoint["status"],
    disabled_reason: row.disabled_reason as WebhookEndpoint["disabled_reason"],
    disabled_at: timeOrNull(row.disabled_at),
    failing_since: timeOrNull(row.failing_since),
    previous_secret_expires_at: expires !== null && expires.getTime() > now ? isoTime(expires) : null,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Topics about shoppers. Their payloads contain contacts if the endpoint has `include_pii` [webhooks.privacy]. */
export const shopperTopics: readonly string[] = topicsAbout("session", "contact", "person");

/**
 * A delivery as this caller may see it [dashboard-api.contacts]. Contacts, including any that the receiver repeated in
 * its response, are shown only to keys with `profiles:read` [webhooks.deliveries]. If the endpoint no longer has
 * `include_pii`, contacts in earlier deliveries are hidden as well [webhooks.privacy-off].
 */
export function deliveryAnswer(row: DeliveryRow, endpoint: { include_pii: boolean }, caller: Caller): Delivery {
  const personal = shopperTopics.includes(row.topic);
  const hidden = personal && endpoint.include_pii && !caller.scopes.has("profiles:read");
  const shown = personal && !endpoint.include_pii ? withoutContacts(row.payload) : row.payload;
  return {
    id: formatId("whd", row.id),
    endpoint_id: formatId("whe", row.endpoint_id),
    event_id: formatId("evt", row.event_id),
    topic: row.topic as Delivery["topic"],
    status: row.status as Delivery["status"],
    attempts: row.attempts,
    created_at: isoTime(row.created_at),
    next_attempt_at: isoTime(row.next_attempt_at),
    delivered_at: timeOrNull(row.delivered_at),
    last_status_code: row.last_status_code,
    last_response: hidden ? null : row.last_response,
    last_error: row.last_error,
    payload: hidden ? null : (JSON.parse(shown) as AnyEnvelope),
  };
}

const selectEndpoint = (endpointId: string) => sql<EndpointRow>`
  SELECT ${endpointColumns} FROM webhook_endpoints WHERE store_id = ${ownStore} AND id = ${endpointId}`;

/** Throws 404 if there is no such endpoint. */
export async function readEndpoint(db: StoreRunner, endpointId: string): Promise<EndpointRow> {
  const row = await db.first(selectEndpoint(endpointId));
  if (!row) throw notFound();
  return row;
}

/** The same, locked until the transaction ends. Lock the endpoint before any of its deliveries. */
export async function lockEndpoint(tx: StoreTransaction, endpointId: string): Promise<EndpointRow> {
  const row = await tx.first(sql<EndpointRow>`${selectEndpoint(endpointId)} FOR NO KEY UPDATE`);
  if (!row) throw notFound();
  return row;
}

/** The store's endpoints, newest first. Their number is limited by the plan. */
export const readEndpoints = (
  db: StoreRunner,
  after: Place | null = null,
  atMost: number | null = null,
): Promise<EndpointRow[]> =>
  db.all(sql<EndpointRow>`
    SELECT ${endpointColumns} FROM webhook_endpoints WHERE store_id = ${ownStore} ${older(after)}
    ORDER BY created_at DESC, id DESC LIMIT ${atMost}`);

export interface DeliveryFilters {
  status?: Delivery["status"];
  topic?: string;
}

/**
 * An endpoint's deliveries, newest first. The status is a literal in the statement, not a parameter, so that PostgreSQL
 * can use the partial index of dead deliveries: there may be few of them among millions.
 */
export const readDeliveries = (
  db: StoreRunner,
  endpointId: string,
  after: Place | null,
  atMost: number,
  { status, topic }: DeliveryFilters = {},
): Promise<DeliveryRow[]> =>
  db.all(sql<DeliveryRow>`
    SELECT ${deliveryColumns} FROM webhook_deliveries
    WHERE store_id = ${ownStore} AND endpoint_id = ${endpointId} ${older(after)}
      ${raw(status === undefined ? "" : `AND status = '${status}'`)}
      ${topic === undefined ? raw("") : sql`AND topic = ${topic}`}
    ORDER BY created_at DESC, id DESC LIMIT ${atMost}`);
