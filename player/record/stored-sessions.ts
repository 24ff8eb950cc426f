import { toJson } from "../json.ts";
import type { Browser, RecorderFault, Storage, StoredSession } from "./types.ts";

/**
 * Characters that may be stored for a store's quizzes; beyond that the oldest sessions are dropped
 * [player.stored-bound].
 */
const mostStored = 1_000_000;
/** Longest time in ms for which a server's Retry-After is respected [player.retry-after]. */
const longestPause = 86_400_000;

/**
 * Stores sessions: in the browser's storage with the shopper's consent, else in the page's memory [player.no-storage].
 * After a failure the browser's storage is not used again.
 */
export class StoredSessions {
  readonly #browser: Browser;
  readonly #fault: (fault: RecorderFault) => void;
  /** Contains the version of the stored format: other versions are ignored [player.stored-version]. */
  readonly #prefix: string;
  #storage: Storage;
  #hasFailed = false;

  constructor(browser: Browser, store: string, fault: (fault: RecorderFault) => void) {
    this.#browser = browser;
    this.#fault = fault;
    this.#prefix = `quizstore:1:${store}:`;
    this.#storage = browser.memory.storage;
  }

  /** whether the current storage outlives the page */
  get isPersistent(): boolean {
    return this.#storage !== this.#browser.memory.storage;
  }

  /** The visitor id for new sessions. */
  get visitor(): string {
    const visitor = this.#use((storage) => storage.getItem(this.#keyOf("visitor"))) ?? `vis_${this.#browser.newId()}`;
    this.#use((storage) => storage.setItem(this.#keyOf("visitor"), visitor));
    return visitor;
  }

  /** time in ms before which no tab sends anything */
  get notBefore(): number {
    const until = Number(this.#use((storage) => storage.getItem(this.#keyOf("pause"))));
    // Set by a clock that has been corrected since.
    return until > this.#browser.now() + longestPause ? 0 : until;
  }

  set notBefore(until: number) {
    const ms = Math.min(until, this.#browser.now() + longestPause);
    this.#use((storage) => storage.setItem(this.#keyOf("pause"), String(ms)));
  }

  read(id: string): StoredSession | null {
    return this.#use((storage) => this.#readIn(storage, id));
  }

  all(): StoredSession[] {
    return this.#use((storage) => this.#allIn(storage));
  }

  write(stored: StoredSession): void {
    const key = this.#keyOf(stored.session.id);
    const before = this.#storage;
    this.#use((storage) => {
      storage.setItem(key, toJson(stored));
      if (this.isPersistent) this.#bound(storage, key);
    });
    // Remove the older state from the failed storage: resuming it would use event numbers twice.
    if (before !== this.#storage) ifAllowed(() => before.removeItem(key));
  }

  /** Removes delivered events. The session stays: another tab may continue it and its numbers. */
  drop(id: string, events: ReadonlySet<string>): void {
    const stored = this.read(id);
    if (stored !== null) this.write({ ...stored, events: stored.events.filter((event) => !events.has(event.id)) });
  }

  remove(id: string): void {
    this.#use((storage) => storage.removeItem(this.#keyOf(id)));
  }

  /** Marks a session as this tab's own. */
  mark(id: string): void {
    if (this.isPersistent) ifAllowed(() => this.#browser.tab().setItem(this.#keyOf(id), "1"));
  }

  isMarked(id: string): boolean {
    let mark: string | null = null;
    ifAllowed(() => {
      mark = this.#browser.tab().getItem(this.#keyOf(id));
    });
    return this.isPersistent && mark !== null;
  }

  /** If the shopper cleared the storage, or withdrew consent in another tab, the page continues in memory. */
  leaveClearedStorage(): void {
    if (this.#use((storage) => storage.getItem(this.#keyOf("visitor"))) === null)
      this.#storage = this.#browser.memory.storage;
  }

  /**
   * Moves sessions into the browser's storage, or out of it [player.consent].
   *
   * @param isMine selects the sessions in the page's memory to move
   */
  applyConsent(granted: boolean, isMine: (id: string) => boolean): void {
    const { memory, local, tab } = this.#browser;
    if (!granted) {
      this.#storage = memory.storage;
      ifAllowed(() => {
        for (const stored of this.#allIn(local())) this.#remember(stored);
        this.#empty(local());
      });
      ifAllowed(() => this.#empty(tab()));
    } else if (!this.isPersistent && !this.#hasFailed) {
      const { visitor } = this;
      const mine = this.all().filter(({ session }) => isMine(session.id));
      try {
        this.#storage = local();
      } catch (error) {
        this.#tell(error);
      }
      const known = this.#use((storage) => storage.getItem(this.#keyOf("visitor")));
      if (known === null) this.#use((storage) => storage.setItem(this.#keyOf("visitor"), visitor));
      for (const stored of mine) {
        this.write(stored);
        if (this.isPersistent) memory.storage.removeItem(this.#keyOf(stored.session.id));
      }
    }
  }

  #keyOf(name: string): string {
    return this.#prefix + name;
  }

  #keysIn(storage: Storage): string[] {
    const keys: string[] = [];
    for (let index = 0; index < storage.length; index++) {
      const key = storage.key(index);
      if (key?.startsWith(this.#prefix)) keys.push(key);
    }
    return keys;
  }

  #allIn(storage: Storage): StoredSession[] {
    const ids = this.#keysIn(storage).map((key) => key.slice(this.#prefix.length));
    return ids.flatMap((id) => (id.startsWith("sess_") ? (this.#readIn(storage, id) ?? []) : []));
  }

  #readIn(storage: Storage, id: string): StoredSession | null {
    const text = storage.getItem(this.#keyOf(id));
    if (text === null) return null;
    try {
      const stored: StoredSession = JSON.parse(text);
      if (stored.session.id === id && stored.events.every(({ seq }) => seq < stored.seq)) return stored;
    } catch {
      // reported below, along with values that parse but are not ours
    }
    this.#fault({ kind: "storage", reason: "malformed" });
    storage.removeItem(this.#keyOf(id));
    return null;
  }

  #empty(storage: Storage): void {
    for (const key of this.#keysIn(storage)) storage.removeItem(key);
  }

  /** Moves a stored session into memory; for another page's session only its undelivered events. */
  #remember(stored: StoredSession): void {
    const { storage, sessions } = this.#browser.memory;
    const { id } = stored.session;
    storage.setItem(this.#keyOf(id), toJson(sessions.has(id) ? stored : { ...stored, run: null }));
  }

  /** Drops the oldest sessions while the limit is exceeded. */
  #bound(storage: Storage, own: string): void {
    const sizeOf = (key: string): number => storage.getItem(key)?.length ?? 0;
    let size = this.#keysIn(storage).reduce((sum, key) => sum + sizeOf(key), 0);
    if (size <= mostStored) return;
    for (const { session, events } of this.#allIn(storage).sort((a, b) => a.at - b.at)) {
      const key = this.#keyOf(session.id);
      if (size <= mostStored || key === own) continue;
      size -= sizeOf(key);
      storage.removeItem(key);
      if (events.length > 0) this.#fault({ kind: "storage", reason: "full" });
    }
  }

  #use<Found>(work: (storage: Storage) => Found): Found {
    try {
      return work(this.#storage);
    } catch (error) {
      if (!this.isPersistent) throw error;
      this.#storage = this.#browser.memory.storage;
      this.#tell(error);
      return work(this.#storage);
    }
  }

  #tell(error: unknown): void {
    this.#hasFailed = true;
    this.#fault({ kind: "storage", reason: error instanceof Error ? error.name : String(error) });
  }
}

/** Ignores errors: a storage that the browser denies holds nothing to remove. */
function ifAllowed(work: () => void): void {
  try {
    work();
  } catch {
    // nothing is stored there
  }
}
