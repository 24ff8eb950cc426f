import type { RejectReason, ReportedSession, ShopperEvent } from "../../contract/storefront.ts";

/** A request's contribution to a session, after its frame and the shape of each event were checked. */

/** A session's origin, as far as the server saw it. The shopper's address is not part of it [storefront.no-address]. */
export interface SessionOrigin {
  userAgent: string | null;
  /** ISO 3166-1 alpha-2, upper case */
  country: string | null;
  region: string | null;
}

export interface IncomingBatch {
  /** UUIDs */
  sessionId: string;
  visitorId: string;
  quizId: string;
  versionId: string;
  session: ReportedSession;
  origin: SessionOrigin;
  /** sent by a robot's browser, and thus taken like a preview */
  isRobot: boolean;
  /** ms: the browser's clock when it sent the batch, and the calendar when it arrived */
  sentAt: number;
  receivedAt: number;
  /** imported history: its times are kept, unless they lie in the future */
  history: boolean;
  /** whether the session's events may cause webhooks */
  emits: boolean;
  /** products that live events report as shown, that the version does not name, and that the store's catalog has */
  catalog: ReadonlySet<string>;
  /** in the order in which they were sent */
  events: readonly (IncomingEvent | RefusedEvent)[];
}

/** An event with a valid shape, and with texts that PostgreSQL can store. */
export interface IncomingEvent {
  refused: null;
  event: ShopperEvent;
}

export interface RefusedEvent {
  refused: RejectReason;
  /** null: the event has no well-formed id */
  id: string | null;
}
