import { pingTopic } from "../../contract/events.ts";
import { pingEndpoint } from "../../contract/webhooks.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { Problem } from "../platform/problems.ts";
import { insertDeliveries } from "./deliveries.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import { type DeliveryRow, deliveryAnswer, deliveryColumns, lockEndpoint, parseEndpointId } from "./endpoint-rows.ts";
import { envelopeText } from "./envelope.ts";

/** POST /v1/webhooks/{endpoint_id}/ping: creates a delivery that is in no feed [webhooks.ping]. */
export const pingEndpointRoute = ({ calendar, random }: WebhookRouteDeps) =>
  writeRoute(pingEndpoint, async ({ caller, params }, tx) => {
    const endpoint = await lockEndpoint(tx, pathId(parseEndpointId, params["endpoint_id"]));
    if (endpoint.status === "disabled") {
      throw new Problem("webhook_conflict", { detail: "A disabled endpoint is not sent a ping" });
    }
    const now = calendar.now();
    const created = new Date(now);
    const id = uuidAt(now, random);
    const eventId = uuidAt(now, random);
    const object = { endpoint_id: formatId("whe", endpoint.id) };
    const payload = envelopeText({ id: eventId, topic: pingTopic, created }, object);
    const about = { sessionId: null, profileId: null };
    const ping = { id, endpointId: endpoint.id, eventId, topic: pingTopic, payload, ...about };
    await insertDeliveries(tx, [ping], created);
    const row = await tx.first(sql<DeliveryRow>`
      SELECT ${deliveryColumns} FROM webhook_deliveries WHERE store_id = ${ownStore} AND id = ${id}`);
    if (!row) throw new Error("a queued ping was not found");
    return { body: deliveryAnswer(row, endpoint, caller) };
  });
