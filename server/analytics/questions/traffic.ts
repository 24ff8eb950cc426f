import { setImmediate } from "node:timers/promises";
import type { TrafficAnswer } from "../../../contract/analytics-answers.ts";
import type { FiguresOf } from "../../../contract/analytics-shapes.ts";
import type { TrafficDimension } from "../../../contract/analytics-values.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { joined, raw, type Statement, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { formatId } from "../../platform/ids.ts";
import { withoutContacts } from "../../sessions/public.ts";
import type { Selection } from "../selection.ts";
import { within } from "./days.ts";
import { distinctVisitors } from "./distinct.ts";
import { ofScope, type Scope, scopeOf, whole } from "./scope.ts";
import { hasCounts, type SplitCounts, splitCounts, splitFigures } from "./split.ts";

/** The value shown for an empty source. The keys are also column names (`originColumns` of the copy's schema). */
const emptyValue: Record<TrafficDimension, string> = {
  referrer_host: "direct",
  utm_source: "none",
  utm_medium: "none",
  utm_campaign: "none",
  utm_content: "none",
  utm_term: "none",
  page_url: "none",
  placement: "none",
};

/**
 * Where a quiz's sessions came from: the sources with the most views, then by value [figures.traffic-sources], and all
 * others as one row. Its distinct visitors are counted, since they are not the sum of the single sources
 * [figures.traffic-other].
 *
 * @param limit maximum number of rows
 */
export async function traffic(
  query: CopyQuery,
  _db: StoreRunner,
  selection: Selection & { quizId: string },
  by: TrafficDimension,
  limit: number,
): Promise<FiguresOf<TrafficAnswer>> {
  const masks = selection.contacts ? [] : await readMasks(query);
  const part: Part = { range: selection.range, scope: await scopeOf(query, selection), by, values: shownValues(masks) };
  const { largest, others } = await readSources(query, part, limit);
  const viewers = await readViewers(query, part, largest);
  return {
    quiz_id: formatId("quiz", selection.quizId),
    by,
    rows: largest.map((row, place) => ({ ...row, unique_viewers: viewers.get(place) ?? 0 })),
    other: { value: "other", ...others, unique_viewers: viewers.get(null) ?? 0 },
  };
}

interface Mask {
  /** in the dictionary of origins */
  origin: number;
  /** what is shown in place of its value */
  value: string;
}

/** Masked values are looked at so many at a time: a store has thousands, of up to two kilobytes. */
const maskedAtOnce = 50;

/** The sources that hold a contact, with what is shown instead [api.masked-contacts]. */
async function readMasks(query: CopyQuery): Promise<Mask[]> {
  const candidates = await query(sql<Mask>`
    SELECT origin, value FROM origins
    WHERE regexp_matches(value, '@|\uff20|\ufe6b|%(25)*40|(\\p{Nd}[^\\pL]{0,8}){5}') ORDER BY origin`);
  const masks: Mask[] = [];
  for (const [index, { origin, value }] of candidates.entries()) {
    if (index % maskedAtOnce === maskedAtOnce - 1) await setImmediate();
    const shown = withoutContacts(value);
    if (shown !== value) masks.push({ origin, value: shown });
  }
  return masks;
}

/** Origins with the values that are shown of them: those that are masked alike are one source. */
const shownValues = (masks: readonly Mask[]): Statement =>
  masks.length === 0
    ? sql`SELECT origin, value FROM origins`
    : sql`SELECT o.origin, coalesce(m.value, o.value) AS value FROM origins AS o
        LEFT JOIN (VALUES ${joined(masks.map(({ origin, value }) => sql`(${whole(origin)}, ${value})`))}) AS m (origin, value)
          ON m.origin = o.origin`;

interface Part {
  range: Selection["range"];
  scope: Scope;
  by: TrafficDimension;
  /** `origin` and `value` */
  values: Statement;
}

type Source = SplitCounts & { value: string };

interface Sources {
  largest: Source[];
  others: SplitCounts;
}

/**
 * Counts by dictionary number first, then by value, since a missing source and the literal value `none` are one row.
 */
async function readSources(query: CopyQuery, { range, scope, by, values }: Part, limit: number): Promise<Sources> {
  const sum = (alias: string) =>
    raw(splitFigures.map((name) => `CAST(coalesce(sum(${alias}.${name}), 0) AS BIGINT) AS ${name}`).join(", "));
  const origin = raw(`s.${by}`);
  type Row = SplitCounts & { last: boolean; value: string };
  const rows = await query(sql<Row>`
    WITH counted AS (
        SELECT ${origin} AS origin, ${splitCounts(range)}
        FROM sessions AS s WHERE ${ofScope(scope)} AND ${hasCounts(range)} GROUP BY ${origin}),
      shown AS (${values}),
      sources AS MATERIALIZED (
        SELECT coalesce(o.value, ${emptyValue[by]}) AS value, ${sum("c")}
        FROM counted AS c LEFT JOIN shown AS o USING (origin) GROUP BY 1),
      largest AS MATERIALIZED (SELECT * FROM sources ORDER BY views DESC, value LIMIT ${whole(limit)})
    SELECT false AS last, l.* FROM largest AS l
    UNION ALL
    SELECT true, NULL, ${sum("a")} FROM sources AS a ANTI JOIN largest USING (value)
    ORDER BY last, views DESC, value`);
  const end = rows.pop();
  if (!end) throw new Error("an aggregate without groups has a row");
  const source = ({ last: _last, ...row }: Row): Source => row;
  const { value: _value, ...others } = source(end);
  return { largest: rows.map(source), others };
}

/** Not used as a dictionary number. */
const unsaid = 0;

/** Distinct visitors of each of the largest sources, by its index among them, and of all others together under null. */
async function readViewers(
  query: CopyQuery,
  { range, scope, by, values }: Part,
  largest: readonly Source[],
): Promise<ReadonlyMap<number | null, number>> {
  if (largest.length === 0) return new Map();
  const viewers = await distinctVisitors(query, whole(largest.length + 1));
  const condition = sql`${ofScope(scope)} AND ${within(range, "s.opened")}`;
  const named = largest.map(({ value }, place) => sql`(${value}, CAST(${whole(place)} AS SMALLINT))`);
  const rows = await query(sql<{ place: number | null; viewers: number }>`
    WITH named AS (SELECT * FROM (VALUES ${joined(named)}) AS n (value, place)),
      shown AS (${values}),
      placed AS MATERIALIZED (
        SELECT o.origin, n.place FROM named AS n JOIN shown AS o USING (value)
        UNION ALL
        SELECT ${whole(unsaid)}, n.place FROM named AS n WHERE n.value = ${emptyValue[by]})
    SELECT p.place, ${viewers()} AS viewers
    FROM sessions AS s LEFT JOIN placed AS p ON p.origin = coalesce(${raw(`s.${by}`)}, ${whole(unsaid)})
    WHERE ${condition} GROUP BY p.place`);
  return new Map(rows.map((row) => [row.place, row.viewers]));
}
