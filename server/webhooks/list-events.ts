import { type FeedEntry, getEvent, listEvents } from "../../contract/event-feed.ts";
import { apiVersion } from "../../contract/events.ts";
import { isoTime } from "../platform/clock.ts";
import { type Place, readPage } from "../platform/cursors.ts";
import { ownStore, raw, type Statement, type StoreRunner, sql } from "../platform/database/sql.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import { formatId, parseId } from "../platform/ids.ts";
import { notFound } from "../platform/problems.ts";
import { assertScope } from "../platform/scopes.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import { readEventObjects } from "./event-data.ts";

/**
 * GET /v1/events: the events written in the last 30 days, each once, with its status at each endpoint [webhooks.feed].
 * They are ordered by when they were written, newest first, regardless of when they happened, so that a client that
 * reads until it meets an event it knows has missed none.
 */
export const listEventsRoute = ({ secrets, builders }: WebhookRouteDeps) =>
  readRoute(listEvents, async ({ caller, query }, db) => {
    const { cursor, limit = 20, type: topic = null, include, include_pii: contacts = false } = query;
    if (contacts) assertScope(caller, "profiles:read");
    const binding = { storeId: db.storeId, route: listEvents.id, filters: [topic] };
    const list = { secrets, binding, cursor, limit };
    const events = await readPage(
      list,
      (after, atMost) => readEvents(db, topic, after, atMost),
      placeOf,
      (row) => row,
    );
    if (include === undefined) return { ...events, data: events.data.map(entryOf) };
    const ids = events.data.map(({ id }) => id);
    const objects = await readEventObjects(db, ids, { builders, contacts });
    return { ...events, data: events.data.map((row) => ({ ...entryOf(row), data: dataOf(objects.get(row.id)) })) };
  });

/** GET /v1/events/{event_id}: an event with its payload [webhooks.feed-payloads]. */
export const getEventRoute = ({ builders }: WebhookRouteDeps) =>
  readRoute(getEvent, async ({ caller, params, query: { include_pii: contacts = false } }, db) => {
    if (contacts) assertScope(caller, "profiles:read");
    const id = pathId((text) => parseId("evt", text), params["event_id"]);
    const known = sql`o.id = ${id} AND (o.feed_position IS NULL OR o.feed_position > 0)`;
    const row = await db.first(sql<EventRow>`${selectEvents(known, null)}`);
    if (!row) throw notFound();
    const objects = await readEventObjects(db, [id], { builders, contacts });
    return { ...entryOf(row), data: dataOf(objects.get(id)) };
  });

const dataOf = (object: object | undefined) => (object === undefined ? null : { object });

interface EventRow {
  id: string;
  topic: string;
  created_at: Date;
  /** null: written before feed positions existed; such events come last, ordered by when they happened */
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

/** Lists only deliveries to existing endpoints; those of deleted endpoints may not have been removed yet. */
const selectEvents = (where: Statement<unknown>, topic: string | null) => sql`
  SELECT o.id, o.topic, o.created_at, o.feed_position, coalesce((
    SELECT jsonb_agg(jsonb_build_object('id', d.id, 'endpoint_id', d.endpoint_id, 'status', d.status) ORDER BY d.id)
    FROM webhook_deliveries d JOIN webhook_endpoints e ON e.store_id = ${ownStore} AND e.id = d.endpoint_id
    WHERE d.store_id = ${ownStore} AND d.event_id = o.id), '[]') AS deliveries
  FROM outbox o
  WHERE o.store_id = ${ownStore} AND ${where} ${topic === null ? raw("") : sql`AND o.topic = ${topic}`}`;

const placeOf = ({ feed_position: position, created_at, id }: EventRow): Place => ({
  at: position ?? created_at.getTime(),
  id,
});

/**
 * Positions are in microseconds, times in milliseconds: times pass this bound in the year 5138, positions did in 1973.
 */
const isPosition = (at: number): boolean => at > 1e14;

async function readEvents(
  db: StoreRunner,
  topic: string | null,
  after: Place | null,
  atMost: number,
): Promise<EventRow[]> {
  const within = after === null || isPosition(after.at);
  const placed = sql`o.feed_position > 0 AND o.feed_position < ${after?.at ?? Number.MAX_SAFE_INTEGER}::bigint`;
  const newer = within
    ? await db.all(sql<EventRow>`${selectEvents(placed, topic)} ORDER BY o.feed_position DESC LIMIT ${atMost}`)
    : [];
  if (newer.length === atMost) return newer;
  const [at, id] = within ? ["infinity", lastId] : [new Date(after.at), after.id];
  const unplaced = sql`o.feed_position IS NULL AND (o.created_at, o.id) < (${at}, ${id})`;
  const older = await db.all(sql<EventRow>`
    ${selectEvents(unplaced, topic)} ORDER BY o.created_at DESC, o.id DESC LIMIT ${atMost - newer.length}`);
  return [...newer, ...older];
}

const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
