import { problemOf } from "./problems.ts";

/** Decides when a screen asks the server again by itself [dashboard.polling]. */

/** Ms at least after a failure that may pass, such as a server that is restarted. */
const afterFailure = 5_000;

interface PolledQuery {
  state: { status: "pending" | "error" | "success"; error: unknown };
}

/**
 * An interval for a query, in ms, for as long as it is answered. After a refusal, such as a 401 once the session has
 * ended or a 403 once the role has changed, nothing more is sent: the same request would be refused for ever. The query
 * goes on when it is asked anew: after signing in, by "Try again", or when the screen is opened again.
 */
export function polled({ state: { status, error } }: PolledQuery, wanted: number | false): number | false {
  if (wanted === false || status !== "error") return wanted;
  return problemOf(error).passing && Math.max(wanted, afterFailure);
}
