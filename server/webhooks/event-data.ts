import { topicsAbout } from "../../contract/events.ts";
import { isObject } from "../../engine/read.ts";
import { anyOf, ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { PayloadBuilders } from "../platform/event-payloads.ts";
import { buildPayloads, dueEvent, type OutboxRow, outboxColumns } from "./outbox-rows.ts";
import { objectWithoutContacts } from "./privacy.ts";

/** What events of the feed were about, for whoever reads them instead of receiving them [webhooks.feed-payloads]. */

interface Wanted {
  builders: Partial<PayloadBuilders>;
  /** the caller was checked to have profiles:read */
  contacts: boolean;
}

/**
 * The object of each event by its UUID, as a delivery kept it, else built from what is stored now. Without one: what
 * the event was about is gone.
 */
export async function readEventObjects(
  db: StoreRunner,
  ids: readonly string[],
  { builders, contacts }: Wanted,
): Promise<Map<string, object>> {
  if (ids.length === 0) return new Map();
  const found = await readKept(db, ids, contacts);
  const missing = ids.filter((id) => !found.has(id));
  // an erased event keeps nothing to build from
  const rows = await db.all(sql<OutboxRow>`
    SELECT ${outboxColumns} FROM outbox
    WHERE store_id = ${ownStore} AND id = ${anyOf(missing)} AND topic = ${anyOf(Object.keys(builders), "text")}
      AND NOT data ? 'erased'`);
  for (const [id, { object }] of await buildPayloads(db, builders, rows.map(dueEvent))) found.set(id, object);
  return contacts ? found : new Map([...found].map(([id, object]) => [id, objectWithoutContacts(object)]));
}

interface KeptRow {
  event_id: string;
  topic: string;
  object: object;
}

/** As deliveries to existing endpoints kept them: with contacts only those that hold all that was sent. */
async function readKept(db: StoreRunner, ids: readonly string[], contacts: boolean): Promise<Map<string, object>> {
  const rows = await db.all(sql<KeptRow>`
    SELECT DISTINCT ON (d.event_id) d.event_id, d.topic, d.payload::jsonb #> '{data,object}' AS object
    FROM webhook_deliveries d JOIN webhook_endpoints e ON e.store_id = ${ownStore} AND e.id = d.endpoint_id
    WHERE d.store_id = ${ownStore} AND d.event_id = ${anyOf(ids)}
    ORDER BY d.event_id, e.include_pii DESC, d.id`);
  const isWhole = ({ topic, object }: KeptRow) => !contacts || shopTopics.includes(topic) || "identities" in object;
  return new Map(rows.filter((row) => isObject(row.object) && isWhole(row)).map((row) => [row.event_id, row.object]));
}

const shopTopics = topicsAbout("shop");
