import { joined, type Statement, sql } from "../../platform/database/sql.ts";
import type { DayRange } from "../selection.ts";
import { within } from "./days.ts";

/** The counts of a row in breakdown, traffic and comparison, each on the day it happened [figures.own-day]. */

const moments = ["opened", "started", "completed", "email_at", "phone_at"] as const;

/** In the order of `moments`. */
export const splitFigures = ["views", "starts", "completions", "email_opt_ins", "phone_opt_ins"] as const;

export type SplitCounts = Record<(typeof splitFigures)[number], number>;

/** Counts over `sessions` as `s`, named as above; requires at least one session. FILTER and count(CASE) are slower. */
export const splitCounts = (range: DayRange): Statement => {
  const count = (moment: (typeof moments)[number]) =>
    sql`CAST(sum(CASE WHEN ${within(range, `s.${moment}`)} THEN 1 ELSE 0 END) AS BIGINT)`;
  return sql`${count("opened")} AS views, ${count("started")} AS starts, ${count("completed")} AS completions,
      ${count("email_at")} AS email_opt_ins, ${count("phone_at")} AS phone_opt_ins`;
};

/** Only sessions with something to count, so that rows of zeros are left out. */
export const hasCounts = (range: DayRange): Statement =>
  sql`(${joined(
    moments.map((moment) => within(range, `s.${moment}`)),
    " OR ",
  )})`;
