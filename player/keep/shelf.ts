import { toJson } from "../json.ts";
import type { Browser, KeeperFault, Kept, Storage } from "./types.ts";

/** Characters that may be stored for a store's quizzes; the oldest sessions are dropped beyond. */
const mostStored = 1_000_000;
/** ms that a server's wish to be left alone is heeded */
const longestPause = 86_400_000;

/**
 * Where sessions are kept: in the browser's storage with the shopper's consent, else in the page's memory. A storage
 * that fails once is not used again.
 */
export class Shelf {
  readonly #browser: Browser;
  readonly #store: string;
  readonly #fault: (fault: KeeperFault) => void;
  /** With the version of what is stored: what has another one is not looked at. */
  readonly #prefix: string;
  #local: Storage | null = null;

  constructor(browser: Browser, store: string, fault: (fault: KeeperFault) => void) {
    this.#browser = browser;
    this.#store = store;
    this.#fault = fault;
    this.#prefix = `quizstore:1:${store}:`;
  }

  /** whether what is kept outlives the page */
  get isLasting(): boolean {
    return this.#local !== null;
  }

  /** The visitor as whom new sessions run. */
  get visitor(): string {
    const { visitors } = this.#browser.memory;
    const known = this.#use((local) => local.getItem(this.#visitorKey), null) ?? visitors.get(this.#store);
    const visitor = known ?? `vis_${this.#browser.newId()}`;
    visitors.set(this.#store, visitor);
    return visitor;
  }

  /** ms: nothing is sent before, by any tab */
  get notBefore(): number {
    const { memory, now } = this.#browser;
    const until = this.#use((local) => Number(local.getItem(this.#pauseKey)), memory.notBefore);
    // Said by a clock that has been set right since.
    return until > now() + longestPause ? 0 : until;
  }

  set notBefore(until: number) {
    const { memory, now } = this.#browser;
    const ms = Math.min(until, now() + longestPause);
    memory.notBefore = ms;
    this.#use((local) => local.setItem(this.#pauseKey, String(ms)), undefined);
  }

  read(id: string): Kept | null {
    const text = this.#use((local) => local.getItem(this.#prefix + id), null);
    return text === null ? (this.#browser.memory.kept.get(id) ?? null) : this.#parsed(id, text);
  }

  all(): Kept[] {
    const stored = this.#use((local) => this.#idsIn(local), []).map((id) => this.read(id));
    const { kept } = this.#browser.memory;
    return [...stored, ...kept.values()].filter((one): one is Kept => one?.store === this.#store);
  }

  write(kept: Kept): void {
    const { id } = kept.session;
    const { memory, local: storage } = this.#browser;
    const wasLasting = this.isLasting;
    const isStored = this.#use((local) => {
      // The shopper cleared the storage, or withdrew their consent in another tab.
      if (local.getItem(this.#visitorKey) === null) this.#local = null;
      else local.setItem(this.#prefix + id, toJson(kept));
      return this.isLasting;
    }, false);
    if (isStored) {
      memory.kept.delete(id);
      this.#use((local) => this.#bound(local, id), undefined);
    } else {
      memory.kept.set(id, kept);
      // An older state of the session must not be gone on with later: its numbers would be given twice.
      if (wasLasting) ifAllowed(() => storage().removeItem(this.#prefix + id));
    }
  }

  remove(id: string): void {
    this.#browser.memory.kept.delete(id);
    this.#use((local) => local.removeItem(this.#prefix + id), undefined);
  }

  /** Takes away what is delivered. The session stays: another tab may go on with it, by the numbers that it has. */
  drop(id: string, events: ReadonlySet<string>): void {
    const kept = this.read(id);
    if (kept !== null) this.write({ ...kept, events: kept.events.filter((event) => !events.has(event.id)) });
  }

  /** The tab remembers which sessions were its own. */
  mark(id: string): void {
    if (this.isLasting) this.#use(() => this.#browser.tab().setItem(this.#prefix + id, "1"), undefined);
  }

  isMarked(id: string): boolean {
    return this.#use(() => this.#browser.tab().getItem(this.#prefix + id) !== null, false);
  }

  /**
   * Moves what is kept into the storage, or takes it out of there [player.consent].
   *
   * @param isMine whether a session of the page's memory is one to move
   */
  last(granted: boolean, isMine: (id: string) => boolean): void {
    const { memory, local: storage, tab } = this.#browser;
    if (!granted) {
      this.#local = null;
      ifAllowed(() => {
        const local = storage();
        for (const id of this.#idsIn(local)) this.#remember(local, id);
        this.#empty(local);
      });
      ifAllowed(() => this.#empty(tab()));
      return;
    }
    if (this.isLasting) return;
    const { visitor } = this;
    try {
      const local = storage();
      local.setItem(this.#visitorKey, local.getItem(this.#visitorKey) ?? visitor);
      this.#local = local;
    } catch (error) {
      this.#fault({ kind: "storage", reason: nameOf(error) });
    }
    for (const one of [...memory.kept.values()]) if (isMine(one.session.id)) this.write(one);
  }

  get #visitorKey(): string {
    return `${this.#prefix}visitor`;
  }

  get #pauseKey(): string {
    return `${this.#prefix}pause`;
  }

  #keysIn(held: Storage): string[] {
    const keys: string[] = [];
    for (let index = 0; index < held.length; index++) {
      const key = held.key(index);
      if (key?.startsWith(this.#prefix)) keys.push(key);
    }
    return keys;
  }

  #empty(held: Storage): void {
    for (const key of this.#keysIn(held)) held.removeItem(key);
  }

  #idsIn(held: Storage): string[] {
    return this.#keysIn(held)
      .map((key) => key.slice(this.#prefix.length))
      .filter((id) => id.startsWith("sess_"));
  }

  /** Takes a stored session into memory; one of another page only for what is not delivered. */
  #remember(local: Storage, id: string): void {
    const { kept, sessions } = this.#browser.memory;
    const one = this.#parsed(id, local.getItem(this.#prefix + id) ?? "");
    if (one !== null) kept.set(id, sessions.has(id) ? one : { ...one, run: null });
  }

  #parsed(id: string, text: string): Kept | null {
    try {
      const kept: Kept = JSON.parse(text);
      if (kept.session.id === id && kept.events.every(({ seq }) => seq < kept.seq)) return kept;
    } catch {
      // told below, with what can be read and is none of ours
    }
    this.#fault({ kind: "storage", reason: "malformed" });
    this.remove(id);
    return null;
  }

  /** Drops the oldest sessions while there is too much. */
  #bound(local: Storage, own: string): void {
    const sizeOf = (id: string): number => local.getItem(this.#prefix + id)?.length ?? 0;
    const ids = this.#idsIn(local);
    let size = ids.reduce((sum, id) => sum + sizeOf(id), 0);
    if (size <= mostStored) return;
    const others = this.all().filter(({ session }) => session.id !== own && ids.includes(session.id));
    for (const { session, events } of others.sort((one, other) => one.at - other.at)) {
      if (size <= mostStored) return;
      size -= sizeOf(session.id);
      this.remove(session.id);
      if (events.length > 0) this.#fault({ kind: "storage", reason: "full" });
    }
  }

  #use<Found>(work: (local: Storage) => Found, otherwise: Found): Found {
    if (this.#local === null) return otherwise;
    try {
      return work(this.#local);
    } catch (error) {
      this.#local = null;
      this.#fault({ kind: "storage", reason: nameOf(error) });
      return otherwise;
    }
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : String(error));

/** What a browser that denies its storage does not hold need not be taken out of it. */
function ifAllowed(work: () => void): void {
  try {
    work();
  } catch {
    // nothing is there
  }
}
