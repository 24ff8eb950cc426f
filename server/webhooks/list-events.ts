import { apiVersion } from "../../contract/events.ts";
import { type FeedEntry, listEvents } from "../../contract/webhooks.ts";
import { isoTime } from "../platform/clock.ts";
import { cutPage, type Place, readCursor } from "../platform/cursors.ts";
import { type Statement, written } from "../platform/database/statements.ts";
import { readRoute } from "../platform/http/operations.ts";
import { formatId } from "../platform/ids.ts";
import type { WebhookRouteTools } from "./tools.ts";

/** GET /v1/events: what happened in the last 30 days, each event once, with what became of it at each endpoint (F). */
export const listEventsRoute = ({ secrets }: WebhookRouteTools) =>
  readRoute(listEvents, async ({ caller, query: { cursor, limit = 20, type } }, db) => {
    const storeId = caller.store.id;
    const topic = type ?? null;
    const binding = { storeId, route: listEvents.id, filters: [topic] };
    const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
    const rows = await db.all(selectPage({ storeId, topic, after, rows: limit + 1 }));
    const page = cutPage(rows, limit, secrets, binding, (row) => ({ at: row.created_at.getTime(), id: row.id }));
    return { data: page.rows.map(entryOf), has_more: page.has_more, next_cursor: page.next_cursor };
  });

interface EventRow {
  id: string;
  topic: string;
  created_at: Date;
  deliveries: { id: string; endpoint_id: string; status: string }[];
}

const entryOf = (row: EventRow): FeedEntry => ({
  id: formatId("evt", row.id),
  type: row.topic as FeedEntry["type"],
  created: isoTime(row.created_at),
  api_version: apiVersion,
  deliveries: row.deliveries.map(({ id, endpoint_id, status }) => ({
    id: formatId("whd", id),
    endpoint_id: formatId("whe", endpoint_id),
    status: status as FeedEntry["deliveries"][number]["status"],
  })),
});

/** An event's deliveries to endpoints that are there; those of deleted ones may not be gone yet. */
const deliveriesSql = `
  SELECT jsonb_agg(jsonb_build_object('id', d.id, 'endpoint_id', d.endpoint_id, 'status', d.status) ORDER BY d.id)
  FROM webhook_deliveries d JOIN webhook_endpoints e ON e.store_id = $1 AND e.id = d.endpoint_id
  WHERE d.store_id = $1 AND d.event_id = o.id`;

const text = (ofTopic: boolean, goesOn: boolean) => `
  SELECT o.id, o.topic, o.created_at, coalesce((${deliveriesSql}), '[]') AS deliveries
  FROM outbox o
  WHERE o.store_id = $1${goesOn ? " AND (o.created_at, o.id) < ($3, $4)" : ""}${ofTopic ? ` AND o.topic = $${goesOn ? 5 : 3}` : ""}
  ORDER BY o.created_at DESC, o.id DESC LIMIT $2`;

const texts = {
  all: { first: text(false, false), next: text(false, true) },
  topic: { first: text(true, false), next: text(true, true) },
};

interface Asked {
  storeId: string;
  topic: string | null;
  after: Place | null;
  rows: number;
}

function selectPage({ storeId, topic, after, rows }: Asked): Statement<EventRow> {
  const { first, next } = texts[topic === null ? "all" : "topic"];
  const place = after ? [new Date(after.at), after.id] : [];
  return written(after ? next : first, [storeId, rows, ...place, ...(topic === null ? [] : [topic])]);
}
