import type { ShopperEvent } from "../../contract/storefront.ts";
import type { IncomingBatch } from "./incoming.ts";

/** Stored events: their time is fixed on arrival, and their order does not depend on it. */

/** An event in its stored form. */
export type KeptEvent = ShopperEvent & {
  /** when it happened, corrected [time.corrected] and fixed on arrival, in ms */
  time: number;
  /** on an answer: its content was erased with its person. It counts wherever answers are counted, but has no value. */
  erased?: boolean;
  /** on an erased contact: it was an identity, not just any text */
  usable?: boolean;
  /** on imported history: its time is kept unchanged */
  own_time?: boolean;
  /** size of its data without place and time, if it was counted; not stored */
  bytes?: number;
};
export type KeptEventOf<Type extends ShopperEvent["type"]> = Extract<KeptEvent, { type: Type }>;

/** An event's position in its session. */
export type Place = Pick<KeptEvent, "seq" | "id">;

/** `seq` decides; events with the same `seq` are ordered by id, so that the order is total. */
export function comparePlaces(a: Place, b: Place): number {
  return a.seq - b.seq || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Sorts a session's events by `seq`, never by time [sessions.order]. Nearly always they are in this order already. */
export function inOrder<Event extends Place>(events: readonly Event[]): readonly Event[] {
  const isInOrder = events.every((event, index) => {
    const before = events[index - 1];
    return before === undefined || comparePlaces(before, event) <= 0;
  });
  return isInOrder ? events : events.toSorted(comparePlaces);
}

/** An event's stored data without its place and time. */
export function dataOf(event: ShopperEvent | KeptEvent): object {
  const { id: _id, seq: _seq, at: _at, time: _time, type: _type, bytes: _bytes, ...data } = event as KeptEvent;
  return data;
}

export const bytesIn = (data: object): number => Buffer.byteLength(JSON.stringify(data));

export const bytesOf = (event: KeptEvent): number => event.bytes ?? bytesIn(dataOf(event));

/** The UUID of an event's id, whose shape has been checked. */
export const eventUuid = (id: string): string => id.slice("evt_".length);

/** After this many milliseconds without an event a session has timed out [sessions.gap]. */
export const idleMs = 30 * 60_000;

/** No event is dated further than this before the first event of its session by `seq` [time.event-bounds]. */
const backdateMs = 60 * 60_000;

/**
 * The time at which an event happened, in ms of the server's clock [time.corrected]. `at` and `sentAt` are readings of
 * the browser's clock: their difference is trusted, their absolute value is not. The result is stored.
 */
export function correctTime({ at, sentAt, serverNow }: { at: number; sentAt: number; serverNow: number }): number {
  return Math.min(at + (serverNow - sentAt), serverNow);
}

/**
 * The time at which an event counts. How far back it may lie depends on the session's first event by `seq`, which may
 * arrive last: so it is derived from all events and not stored. Imported history keeps its own times.
 *
 * @param openedAt time of the session's first event, null for that event itself
 */
export function countedTime(event: { time: number; own_time?: boolean }, openedAt: number | null): number {
  return event.own_time || openedAt === null ? event.time : Math.max(event.time, openedAt - backdateMs);
}

/** The earliest time that both the database and JSON can represent. */
const earliest = Date.parse("0001-01-01T00:00:00Z");

/** An event in its stored form: its time is fixed now. */
export function keptEvent(
  { event, bytes }: { event: ShopperEvent; bytes: number },
  { history, sentAt, receivedAt }: IncomingBatch,
): KeptEvent {
  const own = Date.parse(event.at);
  if (history) {
    const time = Math.max(Math.min(own, receivedAt), earliest);
    return { ...event, own_time: true, at: new Date(time).toISOString(), time };
  }
  const time = correctTime({ at: own, sentAt, serverNow: receivedAt });
  return { ...event, at: new Date(time).toISOString(), time, bytes };
}
