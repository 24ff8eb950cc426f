import { createEndpoint } from "../../contract/webhooks.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { preparedWriteRoute } from "../platform/http/operations.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { Problem } from "../platform/problems.ts";
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
import type { WebhookRouteDeps } from "./deps.ts";
import { type EndpointRow, endpointAnswer, endpointColumns, readEndpoints } from "./endpoint-rows.ts";
import { newSecret, sealSecret } from "./secrets.ts";

/**
 * POST /v1/webhooks [webhooks.most-endpoints]. Locks the store's revision row, so that two concurrent requests can
 * neither exceed the quota nor create two endpoints with the same address.
 */
export const createEndpointRoute = (deps: WebhookRouteDeps) =>
  preparedWriteRoute(
    createEndpoint,
    async ({ body: { url, topics, include_pii = false } }) => {
      assertPiiForTopics({ topics, include_pii });
      await assertSafeUrl(deps, url);
    },
    async ({ caller, body }, tx) => {
      const { url, topics, include_pii = false, description = null, quiz_ids = null } = body;
      const { id: storeId, allowances } = caller.store;
      const requested: Configuration = { url, topics, include_pii, description, quiz_ids: quizUuids(quiz_ids) };
      await holdRevision(tx, storeId);
      const endpoints = await readEndpoints(tx);
      const existing = endpoints.find((endpoint) => sameAddress(endpoint.url, url));
      await assertQuizzes(tx, requested.quiz_ids, existing?.quiz_ids ?? []);
      assertMaySendContacts(caller, include_pii);
      const now = deps.calendar.now();
      if (existing) {
        if (sameConfiguration(existing, requested)) {
          return { body: endpointAnswer(existing, now), location: pathOf(existing.id), existing: true };
        }
        const detail = "An endpoint with this address exists with another configuration; update it instead";
        throw new Problem("webhook_conflict", { detail });
      }
      if (endpoints.length >= allowances.webhook_endpoints) throw new Problem("endpoint_limit");
      const secret = newSecret(deps.random);
      const made = await insertEndpoint(tx, deps, { requested, secret, now });
      return { body: { ...endpointAnswer(made, now), secret }, location: pathOf(made.id) };
    },
    ({ caller, body }) => assertMaySendContacts(caller, body.include_pii ?? false),
  );

const pathOf = (id: string) => `/v1/webhooks/${formatId("whe", id)}`;

async function insertEndpoint(
  tx: StoreTransaction,
  { secrets, random }: WebhookRouteDeps,
  { requested, secret, now }: { requested: Configuration; secret: string; now: number },
): Promise<EndpointRow> {
  const { url, topics, include_pii, quiz_ids, description } = requested;
  const id = uuidAt(now, random);
  const at = new Date(now);
  const row = await tx.first(sql<EndpointRow>`
    INSERT INTO webhook_endpoints (store_id, id, url, topics, include_pii, quiz_ids, description, status, secret,
      created_at, updated_at)
    VALUES (${ownStore}, ${id}, ${url}, ${topics}, ${include_pii}, ${quiz_ids}, ${description}, 'enabled',
      ${sealSecret(secrets, tx.storeId, id, secret)}, ${at}, ${at})
    RETURNING ${endpointColumns}`);
  if (!row) throw new Error("inserting an endpoint returned no row");
  return row;
}
