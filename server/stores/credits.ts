import { creditsThresholdShare } from "../../contract/limits.ts";
import type { Store } from "../platform/caller.ts";
import type { Calendar } from "../platform/clock.ts";
import { CoalescedReads } from "../platform/coalesced-reads.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import type { Deadline } from "../platform/deadline.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";
import { monthAround } from "../platform/time-zones.ts";

/**
 * Credits used in the billing cycle [api.credits]: sessions that answered their first question in the store's calendar
 * month.
 *
 * The figure is always as current as the database, yet frequent requests for a store cost little: requests that arrive
 * during a query share the next one, and sessions are only counted again if the store's revision has changed.
 */
interface Count {
  revision: number;
  start: number;
  end: number;
  used: number;
}

const rememberedAtMost = 10_000;

export class Credits {
  readonly #database: Database;
  readonly #calendar: Calendar;
  readonly #counts = new LeastRecentlyUsed<Count>(rememberedAtMost);
  readonly #reads = new CoalescedReads<number>();

  constructor(database: Database, calendar: Calendar) {
    this.#database = database;
    this.#calendar = calendar;
  }

  /** The credits as the API shows them [api.credits]. */
  async answer(store: Store, deadline: Deadline) {
    const { credits_limit: limit, overages_enabled } = store.allowances;
    const threshold = Math.floor(limit * creditsThresholdShare);
    return { limit, used: await this.used(store, deadline), threshold, overages_enabled };
  }

  used(store: Store, deadline: Deadline): Promise<number> {
    return this.#reads.read(store.id, (shared) => this.#ask(store, shared), deadline);
  }

  async #ask(store: Store, deadline: Deadline): Promise<number> {
    const db = this.#database.reader(deadline).forStore(store.id);
    const now = this.#calendar.now();
    const known = this.#counts.get(store.id);
    if (known && known.start <= now && now < known.end) {
      const row = await db.first(sql<{ revision: number }>`
        SELECT revision FROM store_revisions WHERE store_id = ${ownStore}`);
      if (row?.revision === known.revision) return known.used;
    }
    const { start, end } = monthAround(now, store.timezone);
    const row = await db.first(sql<{ revision: number; used: number }>`
      SELECT r.revision, (
        SELECT count(*) FROM sessions AS s
        WHERE s.store_id = ${ownStore} AND s.started_at >= ${new Date(start)} AND s.started_at < ${new Date(end)}
          AND NOT s.preview
      ) AS used
      FROM store_revisions AS r WHERE r.store_id = ${ownStore}`);
    const count: Count = { revision: row?.revision ?? 0, start, end, used: row?.used ?? 0 };
    this.#counts.set(store.id, count);
    return count.used;
  }
}
