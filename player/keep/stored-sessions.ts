import { toJson } from "../json.ts";
import type { Browser, KeeperFault, Kept, Storage } from "./types.ts";

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
  readonly #fault: (fault: KeeperFault) => void;
  /** Contains the version of the stored format: other versions are ignored [player.stored-version]. */
  readonly #prefix: string;
  #held: Storage;
  #hasFailed = false;

  constructor(browser: Browser, store: string, fault: (fault: KeeperFault) => void) {
    this.#browser = browser;
    this.#fault = fault;
    this.#prefix = `quizstore:1:${store}:`;
    this.#held = browser.memory.held;
  }

  /** whether the current storage outlives the page */
  get isPersistent(): boolean {
    return this.#held !== this.#browser.memory.held;
  }

  /** The visitor id for new sessions. */
  get visitor(): string {
    const visitor = this.#use((held) => held.getItem(this.#keyOf("visitor"))) ?? `vis_${this.#browser.newId()}`;
    this.#use((held) => held.setItem(this.#keyOf("visitor"), visitor));
    return visitor;
  }

  /** time in ms before which no tab sends anything */
  get notBefore(): number {
    const until = Number(this.#use((held) => held.getItem(this.#keyOf("pause"))));
    // Set by a clock that has been corrected since.
    return until > this.#browser.now() + longestPause ? 0 : until;
  }

  set notBefore(until: number) {
    const ms = Math.min(until, this.#browser.now() + longestPause);
    this.#use((held) => held.setItem(this.#keyOf("pause"), String(ms)));
  }

  read(id: string): Kept | null {
    return this.#use((held) => this.#readIn(held, id));
  }

  all(): Kept[] {
    return this.#use((held) => this.#allIn(held));
  }

  write(kept: Kept): void {
    const key = this.#keyOf(kept.session.id);
    const before = this.#held;
    this.#use((held) => {
      held.setItem(key, toJson(kept));
      if (this.isPersistent) this.#bound(held, key);
    });
    // Remove the older state from the failed storage: resuming it would use event numbers twice.
    if (before !== this.#held) ifAllowed(() => before.removeItem(key));
  }

  /** Removes delivered events. The session stays: another tab may continue it and its numbers. */
  drop(id: string, events: ReadonlySet<string>): void {
    const kept = this.read(id);
    if (kept !== null) this.write({ ...kept, events: kept.events.filter((event) => !events.has(event.id)) });
  }

  remove(id: string): void {
    this.#use((held) => held.removeItem(this.#keyOf(id)));
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
    if (this.#use((held) => held.getItem(this.#keyOf("visitor"))) === null) this.#held = this.#browser.memory.held;
  }

  /**
   * Moves sessions into the browser's storage, or out of it [player.consent].
   *
   * @param isMine selects the sessions in the page's memory to move
   */
  applyConsent(granted: boolean, isMine: (id: string) => boolean): void {
    const { memory, local, tab } = this.#browser;
    if (!granted) {
      this.#held = memory.held;
      ifAllowed(() => {
        for (const one of this.#allIn(local())) this.#remember(one);
        this.#empty(local());
      });
      ifAllowed(() => this.#empty(tab()));
    } else if (!this.isPersistent && !this.#hasFailed) {
      const { visitor } = this;
      const mine = this.all().filter(({ session }) => isMine(session.id));
      try {
        this.#held = local();
      } catch (error) {
        this.#tell(error);
      }
      const known = this.#use((held) => held.getItem(this.#keyOf("visitor")));
      if (known === null) this.#use((held) => held.setItem(this.#keyOf("visitor"), visitor));
      for (const one of mine) {
        this.write(one);
        if (this.isPersistent) memory.held.removeItem(this.#keyOf(one.session.id));
      }
    }
  }

  #keyOf(name: string): string {
    return this.#prefix + name;
  }

  #keysIn(held: Storage): string[] {
    const keys: string[] = [];
    for (let index = 0; index < held.length; index++) {
      const key = held.key(index);
      if (key?.startsWith(this.#prefix)) keys.push(key);
    }
    return keys;
  }

  #allIn(held: Storage): Kept[] {
    const ids = this.#keysIn(held).map((key) => key.slice(this.#prefix.length));
    return ids.flatMap((id) => (id.startsWith("sess_") ? (this.#readIn(held, id) ?? []) : []));
  }

  #readIn(held: Storage, id: string): Kept | null {
    const text = held.getItem(this.#keyOf(id));
    if (text === null) return null;
    try {
      const kept: Kept = JSON.parse(text);
      if (kept.session.id === id && kept.events.every(({ seq }) => seq < kept.seq)) return kept;
    } catch {
      // reported below, along with values that parse but are not ours
    }
    this.#fault({ kind: "storage", reason: "malformed" });
    held.removeItem(this.#keyOf(id));
    return null;
  }

  #empty(held: Storage): void {
    for (const key of this.#keysIn(held)) held.removeItem(key);
  }

  /** Moves a stored session into memory; for another page's session only its undelivered events. */
  #remember(kept: Kept): void {
    const { held, sessions } = this.#browser.memory;
    const { id } = kept.session;
    held.setItem(this.#keyOf(id), toJson(sessions.has(id) ? kept : { ...kept, run: null }));
  }

  /** Drops the oldest sessions while the limit is exceeded. */
  #bound(held: Storage, own: string): void {
    const sizeOf = (key: string): number => held.getItem(key)?.length ?? 0;
    let size = this.#keysIn(held).reduce((sum, key) => sum + sizeOf(key), 0);
    if (size <= mostStored) return;
    for (const { session, events } of this.#allIn(held).sort((one, other) => one.at - other.at)) {
      const key = this.#keyOf(session.id);
      if (size <= mostStored || key === own) continue;
      size -= sizeOf(key);
      held.removeItem(key);
      if (events.length > 0) this.#fault({ kind: "storage", reason: "full" });
    }
  }

  #use<Found>(work: (held: Storage) => Found): Found {
    try {
      return work(this.#held);
    } catch (error) {
      if (!this.isPersistent) throw error;
      this.#held = this.#browser.memory.held;
      this.#tell(error);
      return work(this.#held);
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
