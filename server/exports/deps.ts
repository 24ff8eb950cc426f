import type { Calendar } from "../platform/clock.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { VersionCache } from "../quizzes/public.ts";

/** What the routes of exports are given. */
export interface ExportRouteDeps {
  calendar: Calendar;
  random: RandomBytes;
  secrets: Secrets;
  versions: VersionCache;
  baseUrl: string;
}
