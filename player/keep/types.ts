import type { ReportedSession } from "../../contract/storefront.ts";
import type { NewEvent, SavedRun } from "../run/types.ts";

/** What of the session its page knows; ids are the keeper's. */
export type SessionFacts = Omit<ReportedSession, "id" | "visitor_id">;

/** How a shopper comes to a quiz again. */
export type Earlier =
  /** nothing of theirs is kept, or it is older than 30 idle minutes */
  | { kind: "none" }
  /** the same tab was loaded anew: they go on where they were, unasked */
  | { kind: "reloaded"; saved: SavedRun }
  /** a later visit within 30 minutes: they are asked */
  | { kind: "left"; saved: SavedRun };

export interface KeeperFault {
  /** `refused`: the server takes these events at no time; `away`: it could not be reached yet, and is tried again */
  kind: "refused" | "away" | "storage";
  /** of the problem or the rejection, such as `unknown_page`; null where there is none */
  reason: string | null;
}

/**
 * Keeps a session of a quiz in the browser and brings its events to the server: an event is in storage before it is
 * sent, and is there until the server took it or refused it for good.
 */
export interface Keeper {
  readonly sessionId: string;
  readonly visitorId: string;
  readonly earlier: Earlier;
  /** begins a session in place of what `earlier` found */
  startOver(): void;
  add(event: NewEvent): void;
  save(run: SavedRun): void;
  /** the id under which the next session will run, for `quiz_restarted`; `beginNext` begins it */
  nextSessionId(): string;
  beginNext(): void;
  /** identifiers and answers may outlive the page from now on, or only this page's memory */
  consent(granted: boolean): void;
  onFault(hear: (fault: KeeperFault) => void): () => void;
  /** ends timers and listeners; what is not sent is sent as the page goes, or the next time */
  close(): void;
}
