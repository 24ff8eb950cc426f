import { Type } from "typebox";
import { count, dateTime, described, id, nullable, oneOf, page, pageQuery } from "../common.ts";
import { operation } from "../operation.ts";
import { delivery, deliveryExample, deliveryStatuses, deliveryTopics } from "../webhooks.ts";

/** Webhooks beyond the public API: deliveries filtered and one by one, health of endpoints. */

const attempt = Type.Object(
  {
    at: dateTime("When it ended"),
    status_code: nullable(Type.Integer()),
    error: nullable(Type.String({ description: "null: it arrived" })),
  },
  { title: "DeliveryAttempt" },
);

const deliveryDetail = Type.Object(
  {
    ...delivery.properties,
    tries: described(
      "Attempts since it was queued or queued again, the first one first; fewer than `attempts` where some were made before they were kept",
      Type.Array(attempt),
    ),
  },
  { title: "DeliveryDetail" },
);

const shared = {
  tag: "Deliveries",
  scope: "webhooks:manage",
  access: { to: "member", role: "editor" },
  method: "GET",
  cost: "read",
} as const;
const endpointParams = Type.Object({ endpoint_id: id("whe") });

export const searchDeliveries = operation({
  ...shared,
  id: "searchDeliveries",
  path: "/dashboard/api/webhooks/{endpoint_id}/deliveries",
  summary: "List an endpoint's deliveries by status and topic, newest first",
  description: "Contacts in payloads, and what receivers said to them, are for those who may read contacts.",
  params: endpointParams,
  query: Type.Object({
    ...pageQuery,
    status: Type.Optional(oneOf(deliveryStatuses)),
    topic: Type.Optional(oneOf(deliveryTopics)),
  }),
  answer: {
    status: 200,
    shape: page(delivery),
    example: { data: [deliveryExample], has_more: false, next_cursor: null },
  },
});

export const getDelivery = operation({
  ...shared,
  id: "getDelivery",
  path: "/dashboard/api/webhooks/{endpoint_id}/deliveries/{delivery_id}",
  summary: "Read a delivery with its attempts",
  params: Type.Object({ endpoint_id: id("whe"), delivery_id: id("whd") }),
  answer: {
    status: 200,
    shape: deliveryDetail,
    example: {
      ...deliveryExample,
      tries: [{ at: "2026-09-01T08:16:30.655Z", status_code: 204, error: null }],
    },
  },
});

const health = Type.Object(
  {
    endpoint_id: id("whe"),
    day: Type.Object({
      delivered: count(),
      failed: count("Given up"),
      waiting: count("Not tried yet, or to be tried again"),
    }),
    last_delivered_at: nullable(dateTime("Within the last 24 hours")),
    last_failed_at: nullable(dateTime("When the last one that was given up within 24 hours was due")),
  },
  { title: "WebhookHealth" },
);

export const getWebhookHealth = operation({
  ...shared,
  id: "getWebhookHealth",
  path: "/dashboard/api/webhooks/health",
  summary: "Count what became of each endpoint's deliveries in the last 24 hours",
  answer: {
    status: 200,
    shape: Type.Object({ data: Type.Array(health) }),
    example: {
      data: [
        {
          endpoint_id: deliveryExample.endpoint_id,
          day: { delivered: 412, failed: 0, waiting: 3 },
          last_delivered_at: "2026-09-01T08:16:30.655Z",
          last_failed_at: null,
        },
      ],
    },
  },
});

export const deliveryOperations = [searchDeliveries, getDelivery, getWebhookHealth] as const;
