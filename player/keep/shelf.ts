import { toJson } from "../json.ts";
import type { Browser, KeeperFault, Kept, Storage } from "./types.ts";

/**
 * Characters that may be stored for a store's quizzes; the oldest sessions are dropped beyond [player.stored-bound].
 */
const mostStored = 1_000_000;
/** ms that a server's wish to be left alone is heeded [player.retry-after] */
const longestPause = 86_400_000;

/**
 * Where sessions are kept: in the browser's storage with the shopper's consent, else in the page's memory
 * [player.no-storage]. A storage that fails once is not used again.
 */
export class Shelf {
  readonly #browser: Browser;
  readonly #fault: (fault: KeeperFault) => void;
  /** With the version of what is stored: what has another one is not looked at [player.stored-version]. */
  readonly #prefix: string;
  #held: Storage;
  #hasFailed = false;

  constructor(browser: Browser, store: string, fault: (fault: KeeperFault) => void) {
    this.#browser = browser;
    this.#fault = fault;
    this.#prefix = `quizstore:1:${store}:`;
    this.#held = browser.memory.held;
  }

  /** whether what is kept outlives the page */
  get isLasting(): boolean {
    return this.#held !== this.#browser.memory.held;
  }

  /** The visitor as whom new sessions run. */
  get visitor(): string {
    const visitor = this.#use((held) => held.getItem(this.#keyOf("visitor"))) ?? `vis_${this.#browser.newId()}`;
    this.#use((held) => held.setItem(this.#keyOf("visitor"), visitor));
    return visitor;
  }

  /** ms: nothing is sent before, by any tab */
  get notBefore(): number {
    const until = Number(this.#use((held) => held.getItem(this.#keyOf("pause"))));
    // Said by a clock that has been set right since.
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
      if (this.isLasting) this.#bound(held, key);
    });
    // An older state of the session must not be gone on with later: its numbers would be given twice.
    if (before !== this.#held) ifAllowed(() => before.removeItem(key));
  }

  /** Takes away what is delivered. The session stays: another tab may go on with it, by the numbers that it has. */
  drop(id: string, events: ReadonlySet<string>): void {
    const kept = this.read(id);
    if (kept !== null) this.write({ ...kept, events: kept.events.filter((event) => !events.has(event.id)) });
  }

  remove(id: string): void {
    this.#use((held) => held.removeItem(this.#keyOf(id)));
  }

  /** The tab remembers which sessions were its own. */
  mark(id: string): void {
    if (this.isLasting) ifAllowed(() => this.#browser.tab().setItem(this.#keyOf(id), "1"));
  }

  isMarked(id: string): boolean {
    let mark: string | null = null;
    ifAllowed(() => {
      mark = this.#browser.tab().getItem(this.#keyOf(id));
    });
    return this.isLasting && mark !== null;
  }

  /** The shopper cleared the storage, or withdrew their consent in another tab: the page goes on in memory. */
  heed(): void {
    if (this.#use((held) => held.getItem(this.#keyOf("visitor"))) === null) this.#held = this.#browser.memory.held;
  }

  /**
   * Moves what is kept into the storage, or takes it out of there [player.consent].
   *
   * @param isMine whether a session of the page's memory is one to move
   */
  last(granted: boolean, isMine: (id: string) => boolean): void {
    const { memory, local, tab } = this.#browser;
    if (!granted) {
      this.#held = memory.held;
      ifAllowed(() => {
        for (const one of this.#allIn(local())) this.#remember(one);
        this.#empty(local());
      });
      ifAllowed(() => this.#empty(tab()));
    } else if (!this.isLasting && !this.#hasFailed) {
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
        if (this.isLasting) memory.held.removeItem(this.#keyOf(one.session.id));
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
      // told below, with what can be read and is none of ours
    }
    this.#fault({ kind: "storage", reason: "malformed" });
    held.removeItem(this.#keyOf(id));
    return null;
  }

  #empty(held: Storage): void {
    for (const key of this.#keysIn(held)) held.removeItem(key);
  }

  /** Takes a stored session into memory; one of another page only for what is not delivered. */
  #remember(kept: Kept): void {
    const { held, sessions } = this.#browser.memory;
    const { id } = kept.session;
    held.setItem(this.#keyOf(id), toJson(sessions.has(id) ? kept : { ...kept, run: null }));
  }

  /** Drops the oldest sessions while there is too much. */
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
      if (!this.isLasting) throw error;
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

/** What a browser that denies its storage does not hold need not be taken out of it. */
function ifAllowed(work: () => void): void {
  try {
    work();
  } catch {
    // nothing is there
  }
}
