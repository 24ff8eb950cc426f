import type { Runner } from "./database/sql.ts";

/**
 * How an event of the outbox becomes what webhooks send. The slice that owns an event's data builds its object, so
 * that whoever sends knows no topic; `main` brings the two together.
 */

/** An event of the outbox whose time has come. */
export interface DueEvent {
  /** UUID of the `evt_` id */
  id: string;
  topic: string;
  created: Date;
  /** UUIDs */
  quizId: string | null;
  sessionId: string | null;
  profileId: string | null;
  /** as `appendEvents` was given it */
  data: Record<string, unknown>;
}

export interface EventPayload {
  /** `data.object` of the envelope, for an endpoint that receives contacts */
  object: object;
  /** UUID of the one endpoint that is not told */
  exceptEndpoint?: string;
}

export interface PayloadBuilder {
  topics: readonly string[];
  /**
   * The payloads of one store's events, by event id. It is given all of a batch that are its own, and reads what they
   * refer to once. An event that is left out is sent to nobody: what it tells was overtaken or erased.
   */
  build(db: Runner, storeId: string, events: readonly DueEvent[]): Promise<ReadonlyMap<string, EventPayload>>;
}
