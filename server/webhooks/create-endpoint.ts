import { createEndpoint } from "../../contract/webhooks.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { build } from "../platform/database/statements.ts";
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
import { endpointAnswer, endpointColumns, readEndpoints } from "./endpoint-rows.ts";
import { newSecret, sealSecret } from "./secrets.ts";

/**
 * POST /v1/webhooks. The store's row is held, so that of two requests at once neither passes the quota nor makes a second
 * endpoint of one address.
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
      const wanted: Configuration = { url, topics, include_pii, description, quiz_ids: quizUuids(quiz_ids) };
      await holdRevision(tx, storeId);
      const endpoints = await readEndpoints(tx, storeId);
      const existing = endpoints.find((endpoint) => sameAddress(endpoint.url, url));
      await assertQuizzes(tx, storeId, wanted.quiz_ids, existing?.quiz_ids ?? []);
      assertMaySendContacts(caller, include_pii);
      const now = deps.calendar.now();
      if (existing) {
        if (sameConfiguration(existing, wanted)) {
          return { body: endpointAnswer(existing, now), location: pathOf(existing.id), existing: true };
        }
        const detail = "An endpoint with this address exists with another configuration; update it instead";
        throw new Problem("webhook_conflict", { detail });
      }
      if (endpoints.length >= allowances.webhook_endpoints) throw new Problem("endpoint_limit");
      const secret = newSecret(deps.random);
      const made = await insertEndpoint(tx, deps, storeId, { wanted, secret, now });
      return { body: { ...endpointAnswer(made, now), secret }, location: pathOf(made.id) };
    },
    ({ caller, body }) => assertMaySendContacts(caller, body.include_pii ?? false),
  );

const pathOf = (id: string) => `/v1/webhooks/${formatId("whe", id)}`;

async function insertEndpoint(
  tx: Transaction,
  { secrets, random }: WebhookRouteDeps,
  storeId: string,
  { wanted, secret, now }: { wanted: Configuration; secret: string; now: number },
) {
  const id = uuidAt(now, random);
  const at = new Date(now);
  const row = await tx.first(
    build
      .insertInto("webhook_endpoints")
      .values({
        store_id: storeId,
        id,
        ...wanted,
        topics: [...wanted.topics],
        quiz_ids: wanted.quiz_ids && [...wanted.quiz_ids],
        status: "enabled",
        secret: sealSecret(secrets, storeId, id, secret),
        created_at: at,
        updated_at: at,
      })
      .returning(endpointColumns),
  );
  if (!row) throw new Error("an endpoint was inserted without a row");
  return row;
}
