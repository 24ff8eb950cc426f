import { updateEndpoint } from "../../contract/webhooks.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { build } from "../platform/database/statements.ts";
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
 * PATCH /v1/webhooks/{endpoint_id}. Behind the lock of the store's endpoints, so that no payload is built meanwhile for
 * the subscription that was, and in order with everybody who may take the same address.
 */
export const updateEndpointRoute = (deps: WebhookRouteDeps) =>
  preparedWriteRoute(
    updateEndpoint,
    async ({ body }) => {
      if (body.topics && body.include_pii === false) assertPiiForTopics({ topics: body.topics, include_pii: false });
      if (body.url !== undefined) await assertSafeUrl(deps, body.url);
    },
    async ({ caller, params, body }, tx) => {
      const storeId = caller.store.id;
      const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
      if (body.url !== undefined) await holdRevision(tx, storeId);
      await lockEndpoints(tx, storeId);
      const endpoints = await readEndpoints(tx, storeId);
      const endpoint = endpoints.find(({ id }) => id === endpointId);
      if (!endpoint) throw notFound();
      const { status, ...fields } = body;
      const wanted = merged(endpoint, fields);
      assertPiiForTopics(wanted);
      await assertQuizzes(tx, storeId, wanted.quiz_ids, endpoint.quiz_ids ?? []);
      assertMaySendContacts(caller, wanted.include_pii);
      if (endpoints.some((other) => other.id !== endpointId && sameAddress(other.url, wanted.url))) {
        throw new Problem("webhook_conflict", { detail: "Another endpoint has this address" });
      }
      const now = deps.calendar.now();
      const changes = changesOf(endpoint, wanted, status, new Date(now));
      const changed = changes === null ? endpoint : await write(tx, storeId, endpointId, changes, new Date(now));
      // what is being sent at this moment may still arrive
      if (endpoint.status === "enabled" && changed.status === "disabled") {
        await giveUp(tx, { storeId, id: endpointId }, "endpoint_disabled", "infinity");
      }
      if (endpoint.include_pii && !changed.include_pii) await removeContacts(tx, storeId, endpointId, "waiting");
      return { body: endpointAnswer(changed, now) };
    },
  );

interface GivenFields {
  url?: string;
  topics?: readonly string[];
  include_pii?: boolean;
  description?: string | null;
  quiz_ids?: readonly string[] | null;
}

function merged(endpoint: EndpointRow, { quiz_ids: quizIds, ...given }: GivenFields): Configuration {
  const { url, topics, include_pii, description, quiz_ids } = endpoint;
  const present = { url, topics, include_pii, description, quiz_ids };
  return { ...present, ...given, ...(quizIds === undefined ? {} : { quiz_ids: quizUuids(quizIds) }) };
}

type Changes = Partial<EndpointRow> & { paused_until?: Date | null };

/** Null where everything is as it is asked for: a repeat changes nothing [webhooks.update]. */
function changesOf(
  endpoint: EndpointRow,
  wanted: Configuration,
  status: string | undefined,
  now: Date,
): Changes | null {
  const moved = endpoint.url !== wanted.url;
  const configured = moved || !sameConfiguration(endpoint, wanted);
  const switched = status !== undefined && status !== endpoint.status;
  if (!configured && !switched) return null;
  const forgetFailures = { failing_since: null, paused_until: null };
  return {
    ...(configured ? { ...wanted, topics: [...wanted.topics], quiz_ids: wanted.quiz_ids && [...wanted.quiz_ids] } : {}),
    // they were another receiver's
    ...(sameAddress(endpoint.url, wanted.url) ? {} : forgetFailures),
    ...(switched && status === "enabled"
      ? { status, disabled_reason: null, disabled_at: null, ...forgetFailures }
      : {}),
    ...(switched && status === "disabled" ? { status, disabled_reason: "manual", disabled_at: now } : {}),
  };
}

async function write(
  tx: Transaction,
  storeId: string,
  endpointId: string,
  changes: Changes,
  at: Date,
): Promise<EndpointRow> {
  const row = await tx.first(
    build
      .updateTable("webhook_endpoints")
      .set({ ...changes, updated_at: at })
      .where("store_id", "=", storeId)
      .where("id", "=", endpointId)
      .returning(endpointColumns),
  );
  if (!row) throw notFound();
  return row;
}
