import type { StoreFacts } from "../platform/caller.ts";
import type { Database } from "../platform/database/database.ts";
import type { Deadline, ElapsedClock } from "../platform/deadline.ts";
import { storeOfPublishableKey } from "../stores/public.ts";

/** Looked-up stores stay known this long, in ms of real time: far below the minute that a change of plan may take (B). */
const rememberedMs = 5_000;
const rememberedAtMost = 10_000;

interface Remembered {
  store: StoreFacts | null;
  staleAt: number;
}

/** Stores by publishable key. Every request of a shopper's browser names one, so the last ones asked for are kept. */
export class KnownStores {
  readonly #database: Database;
  readonly #elapsed: ElapsedClock;
  readonly #stores = new Map<string, Remembered>();
  readonly #asked = new Map<string, Promise<StoreFacts | null>>();

  constructor(database: Database, elapsed: ElapsedClock) {
    this.#database = database;
    this.#elapsed = elapsed;
  }

  /** null: no connected store has this key. */
  find(publishableKey: string, deadline: Deadline): StoreFacts | null | Promise<StoreFacts | null> {
    const known = this.#stores.get(publishableKey);
    if (known && known.staleAt > this.#elapsed()) return known.store;
    const asked = this.#asked.get(publishableKey);
    if (asked) return asked;
    const reading = this.#read(publishableKey, deadline).finally(() => this.#asked.delete(publishableKey));
    this.#asked.set(publishableKey, reading);
    return reading;
  }

  async #read(publishableKey: string, deadline: Deadline): Promise<StoreFacts | null> {
    const store = (await storeOfPublishableKey(this.#database.reader(deadline), publishableKey)) ?? null;
    if (this.#stores.size >= rememberedAtMost) this.#stores.clear();
    this.#stores.set(publishableKey, { store, staleAt: this.#elapsed() + rememberedMs });
    return store;
  }
}
