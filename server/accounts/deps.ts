import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import type { SideWrites } from "../platform/database/side-writes.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Limiter } from "../platform/limiter/types.ts";
import type { Log } from "../platform/log.ts";
import type { Secrets } from "../platform/secrets.ts";

/** The dependencies of this slice. */
export interface AccountDeps {
  database: Database;
  sideWrites: SideWrites;
  calendar: Calendar;
  elapsed: ElapsedClock;
  random: RandomBytes;
  secrets: Secrets;
  limiter: Limiter;
  log: Log;
  /** real time, ms since 1970: the basis of authenticator codes */
  unixNow: () => number;
  /** public address of this service */
  baseUrl: string;
}

/** Where a request comes from. */
export interface Origin {
  address: string;
  userAgent: string;
}

export const originOf = (request: { address: string; headers: { "user-agent"?: string | undefined } }): Origin => ({
  address: request.address,
  userAgent: printable(request.headers["user-agent"] ?? "").slice(0, 300),
});

/** Makes other people's texts safe to show on one line. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ").trim();
