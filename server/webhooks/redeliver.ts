import { type AnyEnvelope, topicsAbout } from "../../contract/events.ts";
import { redeliver, redeliverFailed } from "../../contract/webhooks.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { pathId, type Request, writeRoute } from "../platform/http/operations.ts";
import { notFound, Problem } from "../platform/problems.ts";
import { assertScope } from "../platform/scopes.ts";
import { wakeEndpoints } from "./deliveries.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import {
  type DeliveryRow,
  deliveryAnswer,
  deliveryColumns,
  type EndpointRow,
  lockEndpoint,
  parseDeliveryId,
  parseEndpointId,
} from "./endpoint-rows.ts";
import { withoutContacts } from "./privacy.ts";
import { contactsRemoved, personErased, removeContacts } from "./remove-contacts.ts";

/**
 * Redelivery [webhooks.redeliver, webhooks.redeliver-failed]: sends the same delivery and event again, starting the
 * retry schedule from its beginning.
 */

const planPaused = "plan_paused";
/** The `last_error` values of dead deliveries that are never sent again. */
const notRevived = [planPaused, contactsRemoved, personErased];

const queuedAgain = (now: Date) => sql`
  status = 'pending', attempts = 0, next_attempt_at = ${now}, last_due_at = NULL, delivered_at = NULL,
  last_status_code = NULL, last_response = NULL, last_error = NULL, tries = NULL`;

/** POST /v1/webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver */
export const redeliverRoute = ({ calendar }: WebhookRouteDeps) => {
  const write = async ({ caller, params }: Request<typeof redeliver>, tx: StoreTransaction) => {
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    const deliveryId = pathId(parseDeliveryId, params["delivery_id"]);
    const endpoint = await lockEndpoint(tx, endpointId);
    const delivery = await lockDelivery(tx, endpointId, deliveryId);
    assertEnabled(endpoint);
    if (delivery.status === "pending" || delivery.status === "delivering") {
      return { body: deliveryAnswer(delivery, endpoint, caller) };
    }
    assertRevivable(delivery, endpoint);
    const now = new Date(calendar.now());
    if (!endpoint.include_pii) await removeContacts(tx, endpointId, [deliveryId]);
    const queued = await tx.first(sql<DeliveryRow>`
      UPDATE webhook_deliveries SET ${queuedAgain(now)} WHERE store_id = ${ownStore} AND id = ${deliveryId}
      RETURNING ${deliveryColumns}`);
    if (!queued) throw notFound();
    await wakeEndpoints(tx, [endpointId], now);
    tx.announce("deliveries");
    return { body: deliveryAnswer(queued, endpoint, caller) };
  };
  // a repeat of somebody who sees contacts
  return writeRoute(redeliver, write, ({ caller }, { payload }) => {
    const text = JSON.stringify(payload);
    if (payload !== null && withoutContacts(text) !== text) assertScope(caller, "profiles:read");
  });
};

/** POST /v1/webhooks/{endpoint_id}/redeliver-failed: requeues dead deliveries created at `since` or later. */
export const redeliverFailedRoute = ({ calendar }: WebhookRouteDeps) =>
  writeRoute(redeliverFailed, async ({ params, body }, tx) => {
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    const endpoint = await lockEndpoint(tx, endpointId);
    assertEnabled(endpoint);
    const now = new Date(calendar.now());
    const queued = await tx.all(sql<{ id: string }>`
      UPDATE webhook_deliveries SET ${queuedAgain(now)}
      WHERE store_id = ${ownStore} AND endpoint_id = ${endpointId} AND created_at >= ${new Date(body.since)}
        AND status = 'dead' AND (last_error IS NULL OR last_error <> ALL (${notRevived}::text[]))
        AND (${endpoint.include_pii} OR topic <> 'identity.captured')
      RETURNING id`);
    if (queued.length > 0) {
      const ids = queued.map(({ id }) => id);
      if (!endpoint.include_pii) await removeContacts(tx, endpointId, ids);
      await wakeEndpoints(tx, [endpointId], now);
      tx.announce("deliveries");
    }
    return { body: { queued: queued.length } };
  });

function assertEnabled({ status }: EndpointRow): void {
  if (status === "disabled") throw new Problem("webhook_conflict", { detail: "The endpoint is disabled" });
}

function assertRevivable({ status, last_error: reason, topic, payload }: DeliveryRow, endpoint: EndpointRow): void {
  if (status === "dead" && reason === planPaused) {
    throw new Problem("webhook_conflict", { detail: "The delivery was skipped while the plan was paused" });
  }
  if (status === "dead" && reason === personErased) {
    throw new Problem("webhook_conflict", { detail: "The person whom the delivery was about was erased" });
  }
  if (topicsAbout("contact").includes(topic) && !(endpoint.include_pii && hasIdentity(payload))) {
    throw new Problem("webhook_conflict", { detail: "The contact that the delivery was about is no longer sent" });
  }
}

/** False once the contact was removed or the person erased: what is left is no longer an event. */
function hasIdentity(payload: string): boolean {
  const { object } = (JSON.parse(payload) as AnyEnvelope).data;
  const { identity } = object as { identity?: { value?: unknown } };
  return typeof identity?.value === "string";
}

async function lockDelivery(tx: StoreTransaction, endpointId: string, deliveryId: string): Promise<DeliveryRow> {
  const row = await tx.first(sql<DeliveryRow>`
    SELECT ${deliveryColumns} FROM webhook_deliveries
    WHERE store_id = ${ownStore} AND id = ${deliveryId} AND endpoint_id = ${endpointId} FOR NO KEY UPDATE`);
  if (!row) throw notFound();
  return row;
}
