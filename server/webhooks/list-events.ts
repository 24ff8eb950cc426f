import { apiVersion } from "../../contract/events.ts";
import { type FeedEntry, listEvents } from "../../contract/webhooks.ts";
import { isoTime } from "../platform/clock.ts";
import { cutPage, type Place, readCursor } from "../platform/cursors.ts";
import type { Runner } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";
import { readRoute } from "../platform/http/operations.ts";
import { formatId } from "../platform/ids.ts";
import type { WebhookRouteDeps } from "./deps.ts";

/**
 * GET /v1/events: what was written in the last 30 days, each event once, with what became of it at each endpoint
 * [webhooks.feed], the last to be written first, however long ago it happened: whoever reads until an event that is
 * known has missed none.
 */
export const listEventsRoute = ({ secrets }: WebhookRouteDeps) =>
  readRoute(listEvents, async ({ caller, query: { cursor, limit = 20, type } }, db) => {
    const storeId = caller.store.id;
    const topic = type ?? null;
    const binding = { storeId, route: listEvents.id, filters: [topic] };
    const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
    const rows = await readPage(db, { storeId, topic, after, rows: limit + 1 });
    const page = cutPage(rows, limit, secrets, binding, placeOf);
    return { data: page.rows.map(entryOf), has_more: page.has_more, next_cursor: page.next_cursor };
  });

interface EventRow {
  id: string;
  topic: string;
  created_at: Date;
  /** null: written before there were places; those come after all others, by the time at which they happened */
  feed_position: number | null;
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

const text = (where: string, ofTopic: boolean, order: string) => `
  SELECT o.id, o.topic, o.created_at, o.feed_position, coalesce((${deliveriesSql}), '[]') AS deliveries
  FROM outbox o
  WHERE o.store_id = $1 AND ${where}${ofTopic ? " AND o.topic = $5" : ""}
  ORDER BY ${order} LIMIT $2`;

const placed = (ofTopic: boolean) =>
  text("o.feed_position > $4::bigint AND o.feed_position < $3::bigint", ofTopic, "o.feed_position DESC");
const unplaced = (ofTopic: boolean) =>
  text("o.feed_position IS NULL AND (o.created_at, o.id) < ($3, $4)", ofTopic, "o.created_at DESC, o.id DESC");

const texts = {
  placed: { all: placed(false), topic: placed(true) },
  unplaced: { all: unplaced(false), topic: unplaced(true) },
};

const placeOf = ({ feed_position: position, created_at, id }: EventRow): Place => ({
  at: position ?? created_at.getTime(),
  id,
});

/** Places are microseconds, other times milliseconds: these reach the bound in 5138, those had passed it in 1973. */
const isPosition = (at: number): boolean => at > 1e14;

interface Asked {
  storeId: string;
  topic: string | null;
  after: Place | null;
  rows: number;
}

async function readPage(db: Runner, { storeId, topic, after, rows }: Asked): Promise<EventRow[]> {
  const kind = topic === null ? "all" : "topic";
  const ofTopic = topic === null ? [] : [topic];
  const read = (sql: string, atMost: number, place: unknown[]) =>
    db.all(written<EventRow>(sql, [storeId, atMost, ...place, ...ofTopic]));
  const within = after === null || isPosition(after.at);
  const newer = within ? await read(texts.placed[kind], rows, [after?.at ?? Number.MAX_SAFE_INTEGER, 0]) : [];
  if (newer.length === rows) return newer;
  const from = within ? ["infinity", lastId] : [new Date(after.at), after.id];
  return [...newer, ...(await read(texts.unplaced[kind], rows - newer.length, from))];
}

const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
