import { topicsAbout } from "../../contract/events.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, raw, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { PayloadBuilders } from "../platform/event-payloads.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { envelopeText } from "./envelope.ts";
import { buildPayloads, dueEvent, type OutboxRow, outboxColumns } from "./outbox-rows.ts";
import { objectWithoutContacts } from "./privacy.ts";

/** Watches a store's events as they fall due, independently of its endpoints, for developers of receivers. */

export interface WatchedEvent {
  /** `evt_...` */
  id: string;
  topic: string;
  /** the envelope as an endpoint would receive it */
  body: string;
}

export interface WatchDeps {
  database: Database;
  builders: Partial<PayloadBuilders>;
  /** calendar time in ms */
  now: () => number;
  includePii: boolean;
}

/** An event is due within a minute of being written, plus ten minutes if it was postponed. */
const lateMs = 15 * 60_000;
const atOnce = 500;

export class EventWatch {
  readonly #deps: WatchDeps;
  readonly #db: StoreRunner;
  readonly #begun: number;
  readonly #seen = new Map<string, number>();

  constructor(deps: WatchDeps, storeId: string) {
    this.#deps = deps;
    this.#db = deps.database.reader().forStore(storeId);
    this.#begun = deps.now();
  }

  /** Events that fell due since the last call, among those written after the watch began. */
  async next(): Promise<WatchedEvent[]> {
    const present = this.#deps.now();
    const from = Math.max(this.#begun, present - lateMs);
    for (const [id, at] of this.#seen) if (at < from) this.#seen.delete(id);
    // ids begin with their creation time, so they tell which events are new
    const bound = uuidAt(from, () => new Uint8Array(16));
    const rows = await this.#db.all(sql<OutboxRow>`
      SELECT ${outboxColumns} FROM outbox
      WHERE store_id = ${ownStore} AND id > ${bound} AND (due_at IS NULL OR due_at <= ${new Date(present)})
        AND NOT id = ANY (${[...this.#seen.keys()]}::uuid[])
      ORDER BY id LIMIT ${raw(atOnce)}`);
    for (const { id } of rows) this.#seen.set(id, present);
    return this.#withPayloads(rows);
  }

  async #withPayloads(rows: readonly OutboxRow[]): Promise<WatchedEvent[]> {
    const { builders, includePii } = this.#deps;
    const events = rows.map(dueEvent);
    const payloads = await buildPayloads(this.#db, builders, events);
    const watched: WatchedEvent[] = [];
    for (const event of events) {
      const object = payloads.get(event.id)?.object;
      // without its contact, an event about one has nothing to say
      if (!object || (!includePii && topicsAbout("contact").includes(event.topic))) continue;
      const body = envelopeText(event, includePii ? object : objectWithoutContacts(object));
      watched.push({ id: formatId("evt", event.id), topic: event.topic, body });
    }
    return watched;
  }
}
