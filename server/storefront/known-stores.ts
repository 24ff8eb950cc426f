import type { Store } from "../platform/caller.ts";
import type { Database } from "../platform/database/database.ts";
import type { Deadline, ElapsedClock } from "../platform/deadline.ts";
import { parseId } from "../platform/ids.ts";
import { ReadCache } from "../platform/read-cache.ts";
import { storeOfPublishableKey } from "../stores/public.ts";

/** Stores by publishable key, cached for a moment because every request of a shopper's browser names one. */
export class KnownStores {
  readonly #database: Database;
  readonly #stores: ReadCache<Store | null>;

  constructor(database: Database, elapsed: ElapsedClock) {
    this.#database = database;
    // far below the minute within which a change of plan must take effect
    this.#stores = new ReadCache({ elapsed, rememberedMs: 5_000, atMost: 10_000 });
  }

  invalidate(): void {
    this.#stores.invalidate();
  }

  /** null: no connected store has this key. */
  async find(publishableKey: string, deadline: Deadline): Promise<Store | null> {
    if (parseId("pub", publishableKey) === null) return null;
    return this.#stores.find(
      publishableKey,
      deadline,
      async (shared) => (await storeOfPublishableKey(this.#database.reader(shared), publishableKey)) ?? null,
    );
  }
}
