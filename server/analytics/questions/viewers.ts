import type { CopyQuery } from "../../columnar-copy/public.ts";
import { sql } from "../../platform/database/sql.ts";
import type { DayRange } from "../selection.ts";
import { byDayAndInTotal } from "./days.ts";
import { distinctVisitors } from "./distinct.ts";
import { ofScope, type Scope, whole } from "./scope.ts";

/**
 * Distinct visitors of each day of a range, and of the whole range, which is not their sum [figures.unique-viewers].
 */
export interface Viewers {
  days: number[];
  total: number;
}

export async function countViewers(query: CopyQuery, range: DayRange, scope: Scope): Promise<Viewers> {
  const viewers = await distinctVisitors(query, whole(range.days.length));
  const sessions = sql`FROM sessions AS s WHERE ${ofScope(scope)}`;
  type Row = { day: number | null; viewers: number };
  const rows = await query<Row>(byDayAndInTotal(range, "s.opened", sql`${viewers()} AS viewers`, sessions));
  const byDay = new Map(rows.map(({ day, viewers }) => [day, viewers]));
  return { days: range.days.map((_, day) => byDay.get(day) ?? 0), total: byDay.get(null) ?? 0 };
}
