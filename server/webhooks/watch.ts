import type { Database } from "../platform/database/database.ts";
import { ownStore, raw, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { PayloadBuilder } from "../platform/event-payloads.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { envelopeText } from "./envelope.ts";
import { buildPayloads, dueEvent, type OutboxRow, outboxColumns } from "./outbox-rows.ts";
import { objectWithoutContacts } from "./privacy.ts";

/** A store's events as they fall due, beside whatever endpoints it has: for somebody who develops a receiver. */

export interface WatchedEvent {
  /** `evt_...` */
  id: string;
  topic: string;
  /** the envelope, as an endpoint would be sent it */
  body: string;
}

export interface WatchDeps {
  database: Database;
  builders: readonly PayloadBuilder[];
  /** the calendar, ms */
  now: () => number;
  includePii: boolean;
}

/** An event is due a minute after it was written at the latest, and ten more where it was put off. */
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

  /** What has fallen due since the last look, of the events that were written after the watch began. */
  async next(): Promise<WatchedEvent[]> {
    const present = this.#deps.now();
    const from = Math.max(this.#begun, present - lateMs);
    for (const [id, at] of this.#seen) if (at < from) this.#seen.delete(id);
    // ids begin with the time at which they were made, so that they say what came since
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
      // without contacts there is nothing to tell of a contact that was left
      if (!object || (!includePii && event.topic === "identity.captured")) continue;
      const body = envelopeText(event, includePii ? object : objectWithoutContacts(object));
      watched.push({ id: formatId("evt", event.id), topic: event.topic, body });
    }
    return watched;
  }
}
