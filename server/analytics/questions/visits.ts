import type { CopyQuery } from "../../columnar-copy/public.ts";
import { joined, raw, type Statement, sql } from "../../platform/database/sql.ts";
import { type Counted, highEnd, type Interval, mediansOf } from "./medians.ts";
import { whole } from "./scope.ts";

/** Reads the visits of pages from the copy. */

export interface PageVisits {
  page_key: string;
  entries: number;
  entries_by_jump: number;
  /** median of the sessions' times on the page in ms; null if no visit has ended yet [paths.page-time] */
  median_time: number | null;
}

/** FROM and WHERE of `visits` as `v`. */
type Rows = Statement;

/**
 * Times below 2^18 ms (about 4.4 minutes) are counted in steps of 2^8 ms (about 0.26 s), longer ones in steps of 2^18
 * ms.
 */
const [fineBits, coarseBits] = [8, 18];
/** each further pass splits an interval into at most 2^8 smaller ones */
const bitsAtOnce = 8;

interface PartRow {
  page: number;
  page_key: string;
  /** the step of 2^8 ms; negative: the step of 2^18 ms; null: no time yet */
  part: number | null;
  entries: number;
  entries_by_jump: number;
  times: number;
}

export async function readPageVisits(query: CopyQuery, rows: Rows): Promise<PageVisits[]> {
  const long = raw(`v.time_ms >> ${coarseBits}`);
  const counted = await query(sql<PartRow>`
    SELECT c.*, p.page_key FROM (
      SELECT v.page, CASE WHEN ${long} > 0 THEN -(${long}) ELSE v.time_ms >> ${raw(fineBits)} END AS part,
        sum(v.entries) AS entries, sum(v.entries_by_jump) AS entries_by_jump, count(v.time_ms) AS times
      ${rows} GROUP BY v.page, part) AS c
    JOIN pages AS p USING (page)`);
  const pages = Map.groupBy(counted, ({ page }) => page);
  const times = new Map(Array.from(pages, ([page, parts]) => [page, parts.flatMap(intervalOf)]));
  const medians = await mediansOf(times, (intervals) => countWithin(query, rows, intervals));
  return Array.from(pages, ([page, parts]) => ({
    page_key: parts[0]?.page_key ?? "",
    entries: parts.reduce((sum, { entries }) => sum + entries, 0),
    entries_by_jump: parts.reduce((sum, { entries_by_jump: jumps }) => sum + jumps, 0),
    median_time: medians.get(page) ?? null,
  }));
}

function intervalOf({ part, times }: PartRow): Counted[] {
  if (part === null) return [];
  const bits = part < 0 ? coarseBits : fineBits;
  return [{ low: Math.abs(part) * 2 ** bits, bits, count: times }];
}

async function countWithin(
  query: CopyQuery,
  rows: Rows,
  intervalsByPage: ReadonlyMap<number, readonly Interval[]>,
): Promise<Map<number, Counted[]>> {
  const intervals = Array.from(intervalsByPage, ([page, some]) =>
    some.map((interval) => ({ page, ...interval })),
  ).flat();
  const narrower = (bits: number) => Math.max(0, bits - bitsAtOnce);
  const listed = intervals.map(
    ({ page, low, bits }) => sql`(${joined([page, low, highEnd({ low, bits }), narrower(bits)].map(whole))})`,
  );
  type Row = { page: number; part: number; bits: number; times: number };
  const counted = await query(sql<Row>`
    SELECT v.page, v.time_ms >> i.bits AS part, i.bits, count(*) AS times
    FROM (SELECT v.page, v.time_ms ${rows}
      AND v.time_ms >= ${whole(Math.min(...intervals.map(({ low }) => low)))}
      AND v.time_ms < ${whole(Math.max(...intervals.map(highEnd)))}) AS v
    JOIN (VALUES ${joined(listed)}) AS i (page, low, high, bits)
      ON i.page = v.page AND v.time_ms >= i.low AND v.time_ms < i.high
    GROUP BY ALL`);
  const pages = Map.groupBy(counted, ({ page }) => page);
  const countedOf = ({ part, bits, times }: Row): Counted => ({ low: part * 2 ** bits, bits, count: times });
  return new Map(Array.from(pages, ([page, found]) => [page, found.map(countedOf)]));
}
