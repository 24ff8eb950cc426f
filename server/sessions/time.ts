/** Times of shopper events: how a browser's clock is corrected, and how long a session may be idle. */

/** After this many milliseconds without an event a session has timed out [sessions.gap]. */
export const idleMs = 30 * 60_000;

/** No event is dated further than this before the first event of its session by `seq` [time.event-bounds]. */
const backdateMs = 60 * 60_000;

/**
 * The time at which an event happened, in ms of the server's clock [time.corrected]. `at` and `sentAt` are readings of
 * the browser's clock: their difference is trusted, their absolute value is not. It is kept so, fixed on arrival.
 */
export function correctTime({ at, sentAt, serverNow }: { at: number; sentAt: number; serverNow: number }): number {
  return Math.min(at + (serverNow - sentAt), serverNow);
}

/**
 * The time at which an event counts. How far back it may lie hangs on the session's first event by `seq`, which may
 * arrive last: so it is worked out from all events, and not kept. History keeps its own times.
 *
 * @param openedAt time of the session's first event, null for that event itself
 */
export function countedTime(event: { time: number; own_time?: boolean }, openedAt: number | null): number {
  return event.own_time || openedAt === null ? event.time : Math.max(event.time, openedAt - backdateMs);
}
