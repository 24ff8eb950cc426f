import type { DayRange } from "../asked.ts";
import { within } from "./days.ts";

/** What breakdown, traffic and comparison count of each of their rows: each thing on the day it happened (D2). */

const moments = ["opened", "started", "completed", "email_at", "phone_at"] as const;

export interface SplitCounts {
  views: number;
  starts: number;
  completions: number;
  email_opt_ins: number;
  phone_opt_ins: number;
}

/** Counts over `sessions` as `s`, named as above. */
export const splitCounts = (range: DayRange): string => {
  const count = (moment: (typeof moments)[number]) => `count(*) FILTER (WHERE ${within(range, `s.${moment}`)})`;
  return `${count("opened")} AS views, ${count("started")} AS starts, ${count("completed")} AS completions,
      ${count("email_at")} AS email_opt_ins, ${count("phone_at")} AS phone_opt_ins`;
};

/** Distinct visitors, exactly (D3). */
export const viewers = (range: DayRange): string =>
  `count(DISTINCT s.visitor) FILTER (WHERE ${within(range, "s.opened")}) AS viewers`;

/** Sessions with anything to count, so that a row without is not there. */
export const hasCounts = (range: DayRange): string =>
  `(${moments.map((moment) => within(range, `s.${moment}`)).join(" OR ")})`;
