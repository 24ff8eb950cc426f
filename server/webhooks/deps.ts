import type { Calendar } from "../platform/clock.ts";
import type { PayloadBuilders } from "../platform/event-payloads.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";

/** The dependencies of the webhook routes. */
export interface WebhookRouteDeps {
  calendar: Calendar;
  random: RandomBytes;
  secrets: Secrets;
  /** returns why an address is not safe to call, or null; may query DNS */
  vetUrl: (url: string) => Promise<string | null>;
  builders: PayloadBuilders;
}
