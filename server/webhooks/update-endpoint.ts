import { updateEndpoint } from "../../contract/webhooks.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { pathId, preparedWriteRoute } from "../platform/http/operations.ts";
import { notFound, Problem } from "../platform/problems.ts";
import { holdRevision } from "../stores/public.ts";
import {
  assertMaySendContacts,
  assertPiiForTopics,
  assertQuizzes,
  assertSafeUrl,
  type Configuration,
  quizUuids,
  sameAddress,
  sameConfiguration,
} from "./configuration.ts";
import { lockEndpoints } from "./deliveries.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import { type EndpointRow, endpointAnswer, endpointColumns, parseEndpointId, readEndpoints } from "./endpoint-rows.ts";
import { removeContacts } from "./remove-contacts.ts";
import { giveUp } from "./send/delivery-rows.ts";

/**
 * PATCH /v1/webhooks/{endpoint_id}. Locks the store's endpoints, so that no payload is built for the old subscription
 * meanwhile. When the address changes it also locks the store's revision row, which serializes requests that may take
 * the same address.
 */
export const updateEndpointRoute = (deps: WebhookRouteDeps) =>
  preparedWriteRoute(
    updateEndpoint,
    async ({ body }) => {
      if (body.topics && body.include_pii === false) assertPiiForTopics({ topics: body.topics, include_pii: false });
      if (body.url !== undefined) await assertSafeUrl(deps, body.url);
    },
    async ({ caller, params, body }, tx) => {
      const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
      if (body.url !== undefined) await holdRevision(tx, tx.storeId);
      await lockEndpoints(tx);
      const endpoints = await readEndpoints(tx);
      const endpoint = endpoints.find(({ id }) => id === endpointId);
      if (!endpoint) throw notFound();
      const { status, ...fields } = body;
      const requested = merged(endpoint, fields);
      assertPiiForTopics(requested);
      await assertQuizzes(tx, requested.quiz_ids, endpoint.quiz_ids ?? []);
      assertMaySendContacts(caller, requested.include_pii);
      if (endpoints.some((other) => other.id !== endpointId && sameAddress(other.url, requested.url))) {
        throw new Problem("webhook_conflict", { detail: "Another endpoint has this address" });
      }
      const now = deps.calendar.now();
      const changed = await save(tx, endpoint, requested, status, new Date(now));
      // attempts under way may still arrive
      if (endpoint.status === "enabled" && changed.status === "disabled") {
        await giveUp(tx, endpointId, "endpoint_disabled", "infinity");
      }
      if (endpoint.include_pii && !changed.include_pii) await removeContacts(tx, endpointId, "waiting");
      return { body: endpointAnswer(changed, now) };
    },
  );

interface PatchFields {
  url?: string;
  topics?: readonly string[];
  include_pii?: boolean;
  description?: string | null;
  quiz_ids?: readonly string[] | null;
}

function merged(endpoint: EndpointRow, { quiz_ids: quizIds, ...patch }: PatchFields): Configuration {
  const { url, topics, include_pii, description, quiz_ids } = endpoint;
  const present = { url, topics, include_pii, description, quiz_ids };
  return { ...present, ...patch, ...(quizIds === undefined ? {} : { quiz_ids: quizUuids(quizIds) }) };
}

/** A repeat changes nothing [webhooks.update]. */
async function save(
  tx: StoreTransaction,
  endpoint: EndpointRow,
  requested: Configuration,
  status: string | undefined,
  now: Date,
): Promise<EndpointRow> {
  const configured = endpoint.url !== requested.url || !sameConfiguration(endpoint, requested);
  const switched = status !== undefined && status !== endpoint.status;
  if (!configured && !switched) return endpoint;
  const { url, topics, include_pii, quiz_ids, description } = configured ? requested : endpoint;
  const disabled = status === "disabled" ? { reason: "manual", at: now } : { reason: null, at: null };
  const { reason, at } = switched ? disabled : { reason: endpoint.disabled_reason, at: endpoint.disabled_at };
  // a new address means a new receiver, and enabling forgives earlier failures
  const forgetsFailures = !sameAddress(endpoint.url, requested.url) || (switched && status === "enabled");
  const row = await tx.first(sql<EndpointRow>`
    UPDATE webhook_endpoints SET url = ${url}, topics = ${topics}, include_pii = ${include_pii},
      quiz_ids = ${quiz_ids}, description = ${description}, status = ${status ?? endpoint.status},
      disabled_reason = ${reason}, disabled_at = ${at}, updated_at = ${now},
      failing_since = CASE WHEN ${forgetsFailures} THEN NULL ELSE failing_since END,
      paused_until = CASE WHEN ${forgetsFailures} THEN NULL ELSE paused_until END
    WHERE store_id = ${ownStore} AND id = ${endpoint.id} RETURNING ${endpointColumns}`);
  if (!row) throw notFound();
  return row;
}
