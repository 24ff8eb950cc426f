import type { Calendar } from "../platform/clock.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";

/** What the routes of webhooks are given. */
export interface WebhookRouteDeps {
  calendar: Calendar;
  random: RandomBytes;
  secrets: Secrets;
  /** why an address is not safe to call, or null; it may ask the resolver */
  vetUrl: (url: string) => Promise<string | null>;
}
