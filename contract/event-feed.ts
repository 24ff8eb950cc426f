import { type Static, Type } from "typebox";
import { dateTime, described, id, nullable, oneOf, page, pageQuery } from "./common.ts";
import { eventTopics } from "./events.ts";
import { operation } from "./operation.ts";
import { deliveryExample, deliveryStatuses, endpointExample } from "./webhooks.ts";

/** The feed of events, for whoever reads them instead of receiving them; docs/rules/webhooks.md. */

const eventData = described(
  "As an endpoint is sent it, contacts only with include_pii=true; null where what the event was about is gone",
  nullable(Type.Object({ object: Type.Unknown({ description: "Of the topic; see the guide to webhooks" }) })),
);

const feedEntry = Type.Object(
  {
    id: id("evt"),
    type: oneOf(eventTopics),
    created: dateTime("When the event happened"),
    api_version: oneOf(["v1"]),
    deliveries: Type.Array(Type.Object({ id: id("whd"), endpoint_id: id("whe"), status: oneOf(deliveryStatuses) }), {
      description: "Empty while the event waits, and where no endpoint is subscribed",
    }),
    data: Type.Optional(described("Only with include=payload", eventData)),
  },
  { title: "Event" },
);
export type FeedEntry = Static<typeof feedEntry>;

const fullEvent = Type.Object({ ...feedEntry.properties, data: eventData }, { title: "FullEvent" });

const reads = { tag: "Webhooks", scope: "webhooks:manage", method: "GET", cost: "read" } as const;

const withContacts = Type.Optional(
  Type.Boolean({ description: "Payloads with contacts; true needs the scope profiles:read as well" }),
);
const eventExample: Static<typeof fullEvent> = {
  id: deliveryExample.event_id,
  type: "quiz.published",
  created: "2026-09-01T08:16:30.000Z",
  api_version: "v1",
  deliveries: [{ id: deliveryExample.id, endpoint_id: endpointExample.id, status: "delivered" }],
  data: deliveryExample.payload?.data ?? null,
};

export const listEvents = operation({
  ...reads,
  id: "listEvents",
  path: "/v1/events",
  summary: "List events of the last 30 days with their deliveries, newest first",
  description: "Each event once, without pings, by when it entered the feed: reading up to a known one misses nothing.",
  query: Type.Object({
    ...pageQuery,
    type: Type.Optional(oneOf(eventTopics, "Events of this topic only")),
    include: Type.Optional(oneOf(["payload"], "Adds data to each event, as an endpoint is sent it")),
    include_pii: withContacts,
  }),
  answer: {
    status: 200,
    shape: page(feedEntry),
    example: {
      data: [eventExample],
      has_more: false,
      next_cursor: null,
    },
  },
});

export const getEvent = operation({
  ...reads,
  id: "getEvent",
  path: "/v1/events/{event_id}",
  summary: "Read an event of the last 30 days with its payload and its deliveries",
  params: Type.Object({ event_id: id("evt") }),
  query: Type.Object({ include_pii: withContacts }),
  answer: { status: 200, shape: fullEvent, example: eventExample },
});

export const eventOperations = [listEvents, getEvent] as const;
