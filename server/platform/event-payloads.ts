import type { EventTopic } from "../../contract/events.ts";
import type { Runner } from "./database/sql.ts";

/**
 * Turns outbox events into webhook payloads. The slice that owns an event's data builds its object, so that the sender
 * knows no topics; `main` connects the two.
 */

/** An outbox event that is due. */
export interface DueEvent {
  /** UUID of the `evt_` id */
  id: string;
  topic: string;
  created: Date;
  /** UUIDs */
  quizId: string | null;
  sessionId: string | null;
  profileId: string | null;
  /** as it was passed to `appendEvents` */
  data: Record<string, unknown>;
}

export interface EventPayload {
  /** `data.object` of the envelope, for an endpoint that receives contacts */
  object: object;
  /** UUID of the one endpoint that does not receive it */
  exceptEndpoint?: string;
}

export interface PayloadBuilder {
  /**
   * Builds the payloads of one store's events, by event id. It gets all of its events in a batch, and reads the data
   * that they refer to once. An event missing from the result is sent to nobody: its content is outdated or erased.
   */
  build(db: Runner, storeId: string, events: readonly DueEvent[]): Promise<ReadonlyMap<string, EventPayload>>;
}

/** The builder of each topic: one builder may have several, and gets their events together. */
export type PayloadBuilders = Readonly<Record<EventTopic, PayloadBuilder>>;
