/** Times of shopper events: how a browser's clock is corrected, and how long a session may be idle (storefront 2). */

/** After this many milliseconds without an event a session has timed out (8.4, storefront 2). */
export const idleMs = 30 * 60_000;

/** No event is dated further than this before the first event of its session (storefront 2). */
const backdateMs = 60 * 60_000;

/**
 * The time at which an event happened, in ms of the server's clock (storefront 2). `at` and `sentAt` are readings of
 * the browser's clock: their difference is trusted, their absolute value is not.
 *
 * @param firstTime corrected time of the first event of the session that was kept, null while there is none
 */
export function correctTime(input: {
  at: number;
  sentAt: number;
  serverNow: number;
  firstTime: number | null;
}): number {
  const { at, sentAt, serverNow, firstTime } = input;
  const notInTheFuture = Math.min(at + (serverNow - sentAt), serverNow);
  return firstTime === null ? notInTheFuture : Math.max(notInTheFuture, firstTime - backdateMs);
}
