import type { Database } from "../platform/database/database.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";

/** real ms for which what was read is used again */
const rememberedMs = 5_000;
const storesAtMost = 10_000;

interface Known {
  revision: string;
  readAt: number;
}

/**
 * The last erasure of each store, which is part of the names of its cached figures: those from before an erasure, which
 * may show a contact in a link or title, are found no more, in any process [erasure.cached-figures].
 */
export class LastErasures {
  readonly #database: Pick<Database, "reader">;
  readonly #elapsed: ElapsedClock;
  readonly #known = new LeastRecentlyUsed<Known>(storesAtMost);

  constructor(database: Pick<Database, "reader">, elapsed: ElapsedClock) {
    this.#database = database;
    this.#elapsed = elapsed;
  }

  /** A text that changes with each erasure of the store, at most five seconds later. */
  async of(storeId: string): Promise<string> {
    const known = this.#known.get(storeId);
    if (known !== undefined && this.#elapsed() - known.readAt < rememberedMs) return known.revision;
    const readAt = this.#elapsed();
    try {
      const row = await this.#database
        .reader()
        .forStore(storeId)
        .first(sql<{ revision: number | null }>`
        SELECT max(revision) AS revision FROM erasures WHERE store_id = ${ownStore}`);
      const revision = String(row?.revision ?? "");
      this.#known.set(storeId, { revision, readAt });
      return revision;
    } catch {
      // the question itself says that the database is away; figures that are known to be clean are still sent
      return known?.revision ?? "unknown";
    }
  }
}
