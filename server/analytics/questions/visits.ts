import type { CopyQuery } from "../../columnar-copy/public.ts";
import { joined, raw, type Statement, sql } from "../../platform/database/sql.ts";
import { type Counted, highEnd, type Interval, mediansOf } from "./medians.ts";
import { whole } from "./scope.ts";

/** What the copy knows of a page's visits. */

export interface PageVisits {
  page_key: string;
  entries: number;
  entries_by_jump: number;
  /** of the sessions' times on the page; null: none has ended yet [paths.page-time] */
  median_time: number | null;
}

/** Rows of `visits` as `v`: FROM and WHERE. */
type Rows = Statement;

/** Times below four minutes and a half are counted by quarters of a second, longer ones by as much as that. */
const [fineBits, coarseBits] = [8, 18];
/** a further look has at most 2^8 intervals for each that it looks into */
const bitsAtOnce = 8;

interface PartRow {
  page: number;
  page_key: string;
  /** which quarter of a second, or less than 0: which of the longer parts; null: no time yet */
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
  const medians = await mediansOf(times, (wanted) => countWithin(query, rows, wanted));
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
  wanted: ReadonlyMap<number, readonly Interval[]>,
): Promise<Map<number, Counted[]>> {
  const intervals = Array.from(wanted, ([page, some]) => some.map((interval) => ({ page, ...interval }))).flat();
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
