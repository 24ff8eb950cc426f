import type { ReportedSession, ShopperEvent } from "../../contract/storefront.ts";
import type { NewEvent, SavedRun } from "../run/types.ts";

/** What of the session its page knows; ids are the keeper's. */
export type SessionFacts = Omit<ReportedSession, "id" | "visitor_id">;

/** How a shopper comes to a quiz again [player.resume]. */
export type Earlier =
  /** nothing of theirs is kept, it is of another version, or older than 30 idle minutes */
  | { kind: "none" }
  /** the same tab was loaded anew: they go on where they were, unasked */
  | { kind: "reloaded"; saved: SavedRun }
  /** a later visit within 30 minutes: they are asked */
  | { kind: "left"; saved: SavedRun };

export interface KeeperFault {
  /**
   * `refused`: the server takes these events at no time; `away`: it could not be reached yet, and is tried again;
   * `storage`: the browser keeps nothing, or what it kept is lost
   */
  kind: "refused" | "away" | "storage";
  /** of the problem, the rejection or the exception, such as `unknown_page`; null where there is none */
  reason: string | null;
}

/**
 * Keeps a session of a quiz in the browser and brings its events to the server: an event is in storage before it is
 * sent, and is there until the server took it or refused it for good [player.stored-first].
 */
export interface Keeper {
  /** changes with `beginNext` */
  readonly sessionId: string;
  readonly visitorId: string;
  readonly earlier: Earlier;
  /** the session's last event is 30 minutes old: what the shopper does now belongs to a new one */
  readonly isIdle: boolean;
  add(event: NewEvent): void;
  save(run: SavedRun): void;
  /** the id under which the next session will run, for `quiz_restarted` */
  nextSessionId(): string;
  /** begins a session in place of the one that runs, or of what `earlier` found */
  beginNext(): void;
  /** identifiers and answers may outlive the page from now on, or only this page's memory */
  consent(granted: boolean): void;
  /** also what happened before anybody listened */
  onFault(hear: (fault: KeeperFault) => void): () => void;
  /** ends timers and listeners; what is not sent is sent as the page goes, or the next time */
  close(): void;
}

export interface KeeperDeps {
  /** one for all keepers of a page */
  browser: Browser;
  /** of `POST /storefront/v1/events` */
  url: string;
  /** publishable key */
  store: string;
  session: SessionFacts;
  /** whether identifiers and answers may outlive the page */
  consent: boolean;
}

/** A session as it is kept. */
export interface Kept {
  store: string;
  session: ReportedSession;
  /** of the next event */
  seq: number;
  /** of the last event, ms */
  at: number;
  /** neither taken nor refused by the server so far */
  events: ShopperEvent[];
  /** where it stands; null: it cannot be gone on with */
  run: SavedRun | null;
}

/** What of a `Storage` is used; each of these may throw. */
export interface Storage {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** What lives as long as a page. */
export interface PageMemory {
  /** what must not be stored */
  readonly held: Storage;
  /** sessions that this page runs (true) or has run [player.page] */
  readonly sessions: Map<string, boolean>;
}

/** All that a keeper asks of the browser; the real one is in browser.ts. */
export interface Browser {
  readonly memory: PageMemory;
  /** what outlives the tab; throws where the browser denies it */
  local(): Storage;
  /** what outlives a reload of the tab; likewise */
  tab(): Storage;
  /** the page came by a reload, or by the browser's Back and Forward */
  readonly isReloaded: boolean;
  now(): number;
  /** from 0 to below 1 */
  random(): number;
  /** 32 hexadecimal digits that nobody else has */
  newId(): string;
  /** sends text/plain, which needs no question beforehand of another origin's server; gives up after `patience` ms */
  post(url: string, body: string, options: { keepalive: boolean; patience: number }): Promise<Response>;
  beacon(url: string, body: string): boolean;
  /** one tab of the origin at a time, after waiting; rejects, or is null, where browsers have no locks */
  readonly lock: ((name: string, work: () => Promise<void>) => Promise<void>) | null;
  /** answers what calls it off */
  later(work: () => void, ms: number): () => void;
  isOnline(): boolean;
  /** `hide`: the page may be gone after it; `show`: it is there again; `online`: so is the network */
  on(moment: "hide" | "show" | "online", hear: () => void): () => void;
}
