import { type Static, Type } from "typebox";
import { count, dateTime, described, id, nullable, oneOf, page, pageQuery, strict } from "./common.ts";
import { anyEnvelope, eventTopics, pingTopic } from "./events.ts";
import { nothing, operation } from "./operation.ts";

/** Webhook endpoints and their deliveries; docs/rules/webhooks.md. */

/** The topics that a delivery can have. */
export const deliveryTopics = [...eventTopics, pingTopic] as const;
export const deliveryStatuses = ["pending", "retrying", "delivering", "delivered", "dead"] as const;

export const longestWebhookUrl = 2_048;
const longestWebhookDescription = 500;
const mostQuizzes = 200;

const configuration = {
  url: Type.String({ description: "Public https address that events are sent to" }),
  topics: Type.Array(oneOf(eventTopics), { description: "Subscribed topics" }),
  include_pii: Type.Boolean({ description: "Whether payloads hold contacts; false without a choice" }),
  quiz_ids: nullable(
    Type.Array(id("quiz"), {
      description: "Sends events of these quizzes only, and those of no quiz; null: of every quiz",
    }),
  ),
  description: nullable(Type.String()),
};

const endpointFields = {
  id: id("whe"),
  ...configuration,
  status: described("disabled: nothing is sent", oneOf(["enabled", "disabled"])),
  disabled_reason: nullable(
    described(
      "failing: five days of failures; gone: the receiver answered 410; manual: through the API",
      oneOf(["failing", "gone", "manual"]),
    ),
  ),
  disabled_at: nullable(dateTime()),
  failing_since: nullable(dateTime("First failure since the last success")),
  previous_secret_expires_at: nullable(dateTime("Until then deliveries carry a signature of the previous secret too")),
  created_at: dateTime(),
  updated_at: dateTime("Moves with every change of the configuration or the status"),
};

const webhookEndpoint = Type.Object(endpointFields, { title: "WebhookEndpoint" });
export type WebhookEndpoint = Static<typeof webhookEndpoint>;

const secret = Type.String({ description: "whsec_ and the base64 of 32 bytes: the signing secret" });

const createdEndpoint = Type.Object(
  {
    ...endpointFields,
    secret: Type.Optional(described("At creation only, never for a personal token; see reveal-secret", secret)),
  },
  { title: "CreatedWebhookEndpoint" },
);

export const delivery = Type.Object(
  {
    id: id("whd"),
    endpoint_id: id("whe"),
    event_id: id("evt", "The webhook-id header of every attempt; receivers deduplicate on it"),
    topic: oneOf(deliveryTopics),
    status: oneOf(deliveryStatuses),
    attempts: count("Attempts begun since it was queued or queued again"),
    created_at: dateTime(),
    next_attempt_at: dateTime("Of the last attempt where none is due any more"),
    delivered_at: nullable(dateTime()),
    last_status_code: nullable(Type.Integer()),
    last_response: nullable(Type.String({ description: "The beginning of the receiver's last answer" })),
    last_error: nullable(Type.String({ description: "Why the last attempt failed, or why there will be none" })),
    payload: described(
      "As signed; null where it holds contacts and the key lacks profiles:read",
      nullable(anyEnvelope),
    ),
  },
  { title: "Delivery" },
);
export type Delivery = Static<typeof delivery>;

const url = Type.String({
  minLength: 1,
  maxLength: longestWebhookUrl,
  description: "A public https address; a host that does not resolve yet is taken",
});
const someTopics = Type.Array(oneOf(eventTopics), {
  minItems: 1,
  uniqueItems: true,
  description: "Topics to subscribe to",
});
const includePii = Type.Boolean({ description: "Sends contacts; true needs the scope profiles:read as well" });
const description = nullable(Type.String({ maxLength: longestWebhookDescription }));
const quizIds = nullable(
  Type.Array(id("quiz"), {
    minItems: 1,
    maxItems: mostQuizzes,
    uniqueItems: true,
    description: "Sends events of these quizzes only, and those of no quiz; null: of every quiz",
  }),
);
const optional = {
  include_pii: Type.Optional(includePii),
  description: Type.Optional(description),
  quiz_ids: Type.Optional(quizIds),
};

const endpointParams = Type.Object({ endpoint_id: id("whe") });
const deliveryParams = Type.Object({ endpoint_id: id("whe"), delivery_id: id("whd") });

export const endpointExample: WebhookEndpoint = {
  id: "whe_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
  url: "https://hooks.example.com/quiz",
  topics: ["quiz.finished", "profile.created"],
  include_pii: false,
  quiz_ids: null,
  description: "CRM",
  status: "enabled",
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  previous_secret_expires_at: null,
  created_at: "2026-09-01T08:15:00.000Z",
  updated_at: "2026-09-01T08:15:00.000Z",
};
const secretExample = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw3R1bXyVqJx8=";
const eventId = "evt_0198f2c4e5f470718b9c0d1e2f3a4b5c";
export const deliveryExample: Delivery = {
  id: "whd_0198f2c4f60571829cad0e1f2a3b4c5d",
  endpoint_id: endpointExample.id,
  event_id: eventId,
  topic: "quiz.published",
  status: "delivered",
  attempts: 1,
  created_at: "2026-09-01T08:16:30.412Z",
  next_attempt_at: "2026-09-01T08:16:30.412Z",
  delivered_at: "2026-09-01T08:16:30.655Z",
  last_status_code: 204,
  last_response: "",
  last_error: null,
  payload: {
    id: eventId,
    type: "quiz.published",
    created: "2026-09-01T08:16:30.000Z",
    api_version: "v1",
    data: {
      object: {
        quiz_id: "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f",
        quiz_name: "Find your routine",
        version_id: "ver_0198f2c4b2c17d4f8e6a7b8c9d0e1f2a",
        version_number: 3,
        published_at: "2026-09-01T08:16:30.000Z",
      },
    },
  },
};
const queuedExample: Delivery = {
  ...deliveryExample,
  status: "pending",
  attempts: 0,
  delivered_at: null,
  last_status_code: null,
  last_response: null,
};
const pingExample: Delivery = {
  ...queuedExample,
  topic: "ping",
  payload: {
    id: eventId,
    type: "ping",
    created: queuedExample.created_at,
    api_version: "v1",
    data: { object: { endpoint_id: endpointExample.id } },
  },
};

const shared = { tag: "Webhooks", scope: "webhooks:manage" } as const;
const reads = { ...shared, method: "GET", cost: "read" } as const;
const posts = { ...shared, method: "POST", cost: "write" } as const;
const secretly = { ...posts, secret: true } as const;
const unsafe = ["webhook_url_unsafe", "webhook_pii_required"] as const;

export const listEndpoints = operation({
  ...reads,
  id: "listWebhooks",
  path: "/v1/webhooks",
  summary: "List webhook endpoints, newest first",
  description: "Stays open on a paused plan.",
  openOnPausedPlan: true,
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    shape: page(webhookEndpoint),
    example: { data: [endpointExample], has_more: false, next_cursor: null },
  },
});

export const createEndpoint = operation({
  ...posts,
  ...{ id: "createWebhook", secretField: "secret" },
  path: "/v1/webhooks",
  summary: "Create a webhook endpoint",
  description:
    "Answers 200 with the existing endpoint where one with this address and configuration is there. include_pii: true needs profiles:read as well.",
  body: Type.Object({ url, topics: someTopics, ...optional }, strict),
  bodyExample: { url: endpointExample.url, topics: endpointExample.topics, description: "CRM" },
  answer: {
    status: 201,
    shape: createdEndpoint,
    location: "The endpoint's own address",
    example: { ...endpointExample, secret: secretExample },
    existing: { description: "The endpoint that is there already, without its secret", example: endpointExample },
  },
  problems: ["endpoint_limit", "webhook_conflict", ...unsafe],
});

export const getEndpoint = operation({
  ...reads,
  id: "getWebhook",
  path: "/v1/webhooks/{endpoint_id}",
  summary: "Read a webhook endpoint",
  params: endpointParams,
  answer: { status: 200, shape: webhookEndpoint, example: endpointExample },
});

export const updateEndpoint = operation({
  ...shared,
  id: "updateWebhook",
  method: "PATCH",
  path: "/v1/webhooks/{endpoint_id}",
  summary: "Change an endpoint's subscription or status",
  description:
    "Fields that are left out stay. Disabling gives up what is queued; enabling clears what was noted of failures. Leaving include_pii true needs profiles:read; switching it off takes the contacts out of what is queued.",
  cost: "write",
  params: endpointParams,
  body: Type.Object(
    {
      url: Type.Optional(url),
      topics: Type.Optional(someTopics),
      ...optional,
      status: Type.Optional(oneOf(["enabled", "disabled"])),
    },
    strict,
  ),
  bodyExample: { topics: ["quiz.finished"], status: "enabled" },
  answer: { status: 200, shape: webhookEndpoint, example: { ...endpointExample, topics: ["quiz.finished"] } },
  problems: ["webhook_conflict", ...unsafe],
});

export const deleteEndpoint = operation({
  ...shared,
  id: "deleteWebhook",
  method: "DELETE",
  path: "/v1/webhooks/{endpoint_id}",
  summary: "Delete an endpoint and its deliveries",
  description: "A second call answers 404.",
  cost: "write",
  params: endpointParams,
  answer: { status: 204, shape: nothing, example: null },
});

export const listDeliveries = operation({
  ...reads,
  id: "listDeliveries",
  path: "/v1/webhooks/{endpoint_id}/deliveries",
  summary: "List an endpoint's deliveries of the last 30 days, newest first",
  description: "Each with its payload as signed. Stays open on a paused plan.",
  openOnPausedPlan: true,
  params: endpointParams,
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    shape: page(delivery),
    example: { data: [deliveryExample], has_more: false, next_cursor: null },
  },
});

export const redeliver = operation({
  ...posts,
  id: "redeliver",
  path: "/v1/webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver",
  summary: "Send a delivery again",
  description:
    "The same event with the whole schedule before it, in place of the outcome it had. Changes nothing while the delivery is queued or being sent.",
  params: deliveryParams,
  answer: { status: 202, shape: delivery, example: queuedExample },
  problems: ["webhook_conflict"],
});

export const redeliverFailed = operation({
  ...posts,
  id: "redeliverFailed",
  path: "/v1/webhooks/{endpoint_id}/redeliver-failed",
  summary: "Send again what failed for good since a moment",
  description: "Leaves out what a paused plan skipped. A repeat finds only what failed again meanwhile.",
  params: endpointParams,
  body: Type.Object({ since: dateTime("Deliveries made at this moment or later") }, strict),
  bodyExample: { since: "2026-09-01T00:00:00Z" },
  answer: {
    status: 202,
    shape: Type.Object({ queued: count("Deliveries that are sent again") }, { title: "Redelivery" }),
    example: { queued: 12 },
  },
  problems: ["webhook_conflict"],
});

export const revealSecret = operation({
  ...secretly,
  id: "revealSecret",
  path: "/v1/webhooks/{endpoint_id}/reveal-secret",
  summary: "Show the signing secret",
  params: endpointParams,
  answer: {
    status: 200,
    shape: Type.Object({ secret }, { title: "WebhookSecret" }),
    example: { secret: secretExample },
  },
});

export const rotateSecret = operation({
  ...secretly,
  id: "rotateSecret",
  path: "/v1/webhooks/{endpoint_id}/rotate-secret",
  summary: "Replace the signing secret; the previous one stays valid for 24 hours",
  description: "Each call makes another secret, and ends the one before the previous.",
  params: endpointParams,
  answer: {
    status: 200,
    shape: Type.Object(
      { secret, previous_secret_expires_at: dateTime("Until then deliveries carry both signatures") },
      { title: "RotatedWebhookSecret" },
    ),
    example: { secret: secretExample, previous_secret_expires_at: "2026-09-02T08:15:00.000Z" },
  },
});

export const pingEndpoint = operation({
  ...posts,
  id: "pingWebhook",
  path: "/v1/webhooks/{endpoint_id}/ping",
  summary: "Queue a signed ping",
  params: endpointParams,
  answer: { status: 202, shape: delivery, example: pingExample },
  problems: ["webhook_conflict"],
});

export const webhookOperations = [
  listEndpoints,
  createEndpoint,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  listDeliveries,
  redeliver,
  redeliverFailed,
  revealSecret,
  rotateSecret,
  pingEndpoint,
] as const;
