import { expect } from "vitest";
import { ownStore, raw, sql } from "../server/platform/database/sql.ts";
import { formatId, parseId, uuidAt } from "../server/platform/ids.ts";
import type { Body, TestApp, TestStore } from "./app.ts";

/** Endpoints created through the API, and deliveries put into any state that a test needs. */

let addresses = 0;

/** An address that no other endpoint has. */
export function newUrl(): string {
  addresses += 1;
  return `https://hooks.example.com/${addresses}`;
}

/** The answer to the creation, including the secret. */
export async function createEndpoint(t: TestApp, store: TestStore, given: object = {}): Promise<Body> {
  const body = { url: newUrl(), topics: ["quiz.published"], ...given };
  const answer = await t.request("POST", "/v1/webhooks", { key: store.key, body });
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body;
}

interface DeliveryGiven {
  topic?: string;
  status?: string;
  /** `data.object` */
  object?: object;
  /** ms before now */
  age?: number;
  attempts?: number;
  last_error?: string | null;
  last_response?: string | null;
  sessionId?: string | null;
  profileId?: string | null;
}

/** Inserts a delivery in a state that workers produce; returns its public id. `endpoint`: public id. */
export async function putDelivery(
  t: TestApp,
  store: TestStore,
  endpoint: string,
  given: DeliveryGiven = {},
): Promise<string> {
  const { topic = "quiz.published", status = "delivered", object = { n: 1 }, age = 0, attempts = 1 } = given;
  const { last_error = null, last_response = "ok", sessionId = null, profileId = null } = given;
  const at = new Date(t.calendar.now() - age);
  const [id, eventId] = [uuidAt(at.getTime(), t.foundations.random), uuidAt(at.getTime(), t.foundations.random)];
  const envelope = { id: formatId("evt", eventId), type: topic, created: at, api_version: "v1", data: { object } };
  await t.database
    .reader()
    .forStore(store.uuid)
    .all(sql`INSERT INTO webhook_deliveries (store_id, id, endpoint_id, event_id, topic, status, attempts, created_at,
            next_attempt_at, delivered_at, last_status_code, last_response, last_error, payload, session_id, profile_id)
          VALUES (${ownStore}, ${id}, ${parseId("whe", endpoint)}, ${eventId}, ${topic}, ${status}, ${attempts}, ${at}, ${at}, ${status === "delivered" ? at : null}, 200, ${last_response}, ${last_error}, ${JSON.stringify(envelope)}, ${sessionId}, ${profileId})`);
  return formatId("whd", id);
}

/** The stored row with a public id. */
export async function rowOf(t: TestApp, store: TestStore, id: string): Promise<Record<string, unknown>> {
  const isEndpoint = id.startsWith("whe_");
  const table = isEndpoint ? "webhook_endpoints" : "webhook_deliveries";
  const uuid = parseId(isEndpoint ? "whe" : "whd", id);
  const row = await t.database
    .reader()
    .forStore(store.uuid)
    .first(sql<Record<string, unknown>>`SELECT * FROM ${raw(table)} WHERE store_id = ${ownStore} AND id = ${uuid}`);
  return row ?? {};
}
