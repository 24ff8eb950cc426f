import type { CopyQuery } from "../../columnar-copy/public.ts";
import { sql } from "../../platform/database/sql.ts";
import type { DayRange } from "../selection.ts";
import { dayIndex, within } from "./days.ts";
import { distinctVisitors } from "./distinct.ts";
import { ofScope, type Scope, whole } from "./scope.ts";

/**
 * Distinct visitors of each day of a range, and of the whole range, which is not their sum [figures.unique-viewers].
 */
export interface Viewers {
  days: number[];
  total: number;
}

/** Two scans, since GROUPING SETS in one scan takes longer. */
export async function countViewers(query: CopyQuery, range: DayRange, scope: Scope): Promise<Viewers> {
  const viewers = await distinctVisitors(query, whole(range.days.length));
  const opened = sql`FROM sessions AS s WHERE ${ofScope(scope)} AND ${within(range, "s.opened")}`;
  const rows = await query(sql<{ day: number | null; viewers: number }>`
    SELECT ${dayIndex(range, "s.opened")} AS day, ${viewers()} AS viewers ${opened} GROUP BY day
    UNION ALL
    SELECT NULL, ${viewers()} ${opened}`);
  const byDay = new Map(rows.map(({ day, viewers }) => [day, viewers]));
  return { days: range.days.map((_, day) => byDay.get(day) ?? 0), total: byDay.get(null) ?? 0 };
}
