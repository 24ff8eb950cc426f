import type { ReportedSession, ShopperEvent } from "../../contract/storefront.ts";
import type { NewEvent, SavedRun } from "../run/types.ts";

/** What the page knows about its session; the recorder adds the ids. */
export type SessionFacts = Omit<ReportedSession, "id" | "visitor_id">;

/** How a shopper returns to a quiz [player.resume]. */
export type Earlier =
  /** nothing is stored, or it is of another version, or older than 30 idle minutes */
  | { kind: "none" }
  /** the same tab was reloaded: they continue without being asked */
  | { kind: "reloaded"; saved: SavedRun }
  /** a later visit within 30 minutes: they are asked */
  | { kind: "left"; saved: SavedRun };

export interface RecorderFault {
  /**
   * `refused`: the server refuses these events for good; `away`: it could not be reached yet, and sending is retried;
   * `storage`: the browser stores nothing, or stored data was lost
   */
  kind: "refused" | "away" | "storage";
  /** the code of the problem or rejection, or the exception's name, such as `unknown_page`; null if there is none */
  reason: string | null;
}

/**
 * Stores a quiz session in the browser and sends its events to the server: an event is stored before it is sent, until
 * the server accepted it or refused it for good [player.stored-first].
 */
export interface SessionRecorder {
  /** changes with `beginNext` */
  readonly sessionId: string;
  readonly visitorId: string;
  readonly earlier: Earlier;
  /** the session's last event is 30 minutes old: what the shopper does now belongs to a new session */
  readonly isIdle: boolean;
  add(event: NewEvent): void;
  save(run: SavedRun): void;
  /** the id of the next session, for `quiz_restarted` */
  nextSessionId(): string;
  /** starts a new session instead of the current one, or of the one in `earlier` */
  beginNext(): void;
  /**
   * Whether identifiers and answers may outlive the page from now on; if not, they stay in memory. Null: not known; what
   * earlier pages stored is left.
   */
  consent(granted: boolean | null): void;
  /** also receives faults from before the first listener */
  onFault(hear: (fault: RecorderFault) => void): () => void;
  /** stops timers and listeners; unsent events are sent as the page closes, or the next time */
  close(): void;
}

export interface RecorderDeps {
  /** shared by all recorders of a page */
  browser: Browser;
  /** the address of `POST /storefront/v1/events` */
  url: string;
  /** publishable key */
  store: string;
  /** what the page knows when a session begins: a shop without reloads shows other pages meanwhile */
  facts: () => SessionFacts;
  /** whether identifiers and answers may outlive the page */
  consent: boolean;
}

/** A session as it is stored. */
export interface StoredSession {
  store: string;
  session: ReportedSession;
  /** the number of the next event */
  seq: number;
  /** time of the last event, in ms */
  at: number;
  /** neither accepted nor refused by the server so far */
  events: ShopperEvent[];
  /** the run's state; null: it cannot be resumed */
  run: SavedRun | null;
}

/** The part of `Storage` that is used; every member may throw. */
export interface Storage {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** State that lives as long as a page. */
export interface PageMemory {
  /** sessions that must not be stored in the browser */
  readonly storage: Storage;
  /** sessions that this page runs (true) or ran (false) [player.page] */
  readonly sessions: Map<string, boolean>;
}

/** Everything a recorder needs from the browser; the real one is in browser.ts. */
export interface Browser {
  readonly memory: PageMemory;
  /** outlives the tab; throws if the browser denies it */
  local(): Storage;
  /** outlives a reload of the tab; may throw too */
  tab(): Storage;
  /** the page was reloaded, or reached by the browser's Back or Forward */
  readonly isReloaded: boolean;
  now(): number;
  /** from 0 up to but excluding 1 */
  random(): number;
  /** 32 hexadecimal digits, unique */
  newId(): string;
  /** sends text/plain, which needs no CORS preflight; fails after `patience` ms */
  post(url: string, body: string, options: { keepalive: boolean; patience: number }): Promise<Response>;
  beacon(url: string, body: string): boolean;
  /** waits for its turn among the tabs of the origin; rejects, or is null, where browsers have no locks */
  readonly lock: ((name: string, work: () => Promise<void>) => Promise<void>) | null;
  /** returns a function that cancels it */
  later(work: () => void, ms: number): () => void;
  /** `hide`: the page may be unloaded after it; `show`: it is visible again; `online`: the network is back */
  on(moment: "hide" | "show" | "online", hear: () => void): () => void;
}
