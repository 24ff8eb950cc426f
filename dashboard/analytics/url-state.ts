import { type FilterName, filterNames, isFilterValue } from "../../contract/analytics-filters.ts";
import { type Bucket, buckets, cohorts } from "../../contract/analytics-values.ts";
import { daysIn, isDay, rangeDaysAtMost } from "./days.ts";
import { allSeries, type SeriesName } from "./series.ts";

/**
 * The state of an analytics screen is in its address, so that a link shows the same view. Values that the API would
 * refuse are dropped: an old or mistyped link shows the screen, not an error.
 */

export const tabs = ["overview", "funnel", "paths", "answers", "products", "traffic", "breakdown"] as const;
export type Tab = (typeof tabs)[number];
export const storeTabs = ["overview", "quizzes", "products", "breakdown"] as const;
export type StoreTab = (typeof storeTabs)[number];

/** The most rows that the API lists in one answer. */
export const rowsAtMost = 1000;
export const limits = [10, 25, 50, 100, rowsAtMost] as const;

/** The part of the address that all analytics screens share. */
export interface RangeSearch {
  from?: string;
  to?: string;
  compare?: "previous";
}

export type FilterSearch = Partial<Record<FilterName, string>>;

/** The part of the address that belongs to one chart and is dropped on another tab. */
export interface PictureSearch {
  series?: SeriesName[];
  component_key?: string;
  cohort?: (typeof cohorts)[number];
  bucket?: Bucket;
  sort?: string;
  dir?: "asc" | "desc";
  by?: string;
  limit?: number;
  q?: string;
  offset?: number;
}

export interface AnalyticsSearch extends RangeSearch, FilterSearch, PictureSearch {
  tab?: string;
}

type Raw = Readonly<Record<string, unknown>>;

const text = (value: unknown, longest: number): string | undefined => {
  const read = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof read === "string" && read !== "" && read.length <= longest ? read : undefined;
};

export const oneOf = <const T extends readonly (string | number)[]>(values: T, value: unknown): T[number] | undefined =>
  values.find((known) => known === value || (typeof known === "number" && String(known) === value));

/** Drops missing values, so that addresses stay short. */
function present<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  const defined = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [Key in keyof T]?: NonNullable<T[Key]> };
}

export function readRange(raw: Raw): RangeSearch {
  const { from, to } = raw;
  const isRange = isDay(from) && isDay(to) && from <= to && daysIn(from, to) <= rangeDaysAtMost;
  return present({
    ...(isRange ? { from, to } : {}),
    compare: oneOf(["previous"], raw["compare"]),
  });
}

export function readFilters(raw: Raw): FilterSearch {
  const filters: FilterSearch = {};
  for (const name of filterNames) {
    const value = text(raw[name], 32);
    if (value !== undefined && isFilterValue(name, value)) filters[name] = value;
  }
  return filters;
}

function readSeries(value: unknown): SeriesName[] | undefined {
  const requested = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : [];
  const known = allSeries.filter(({ name }) => requested.includes(name)).map(({ name }) => name);
  return known.length > 0 ? known : undefined;
}

export function readPicture(raw: Raw): PictureSearch {
  const offset = Number(raw["offset"]);
  return present({
    series: readSeries(raw["series"]),
    component_key: text(raw["component_key"], 200),
    cohort: oneOf(cohorts, raw["cohort"]),
    bucket: oneOf(buckets, raw["bucket"]),
    sort: text(raw["sort"], 32),
    dir: oneOf(["asc", "desc"], raw["dir"]),
    by: text(raw["by"], 32),
    limit: oneOf(limits, raw["limit"]),
    q: text(raw["q"], 200),
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : undefined,
  });
}

export const readAnalytics = (raw: Raw): AnalyticsSearch => ({
  ...present({ tab: text(raw["tab"], 32) }),
  ...readRange(raw),
  ...readFilters(raw),
  ...readPicture(raw),
});

/** The same days and filters on another tab, without what belonged to the old tab's chart. */
export function onTab(search: AnalyticsSearch, tab: string): AnalyticsSearch {
  return { ...(tab === "overview" ? {} : { tab }), ...readRange({ ...search }), ...readFilters({ ...search }) };
}

/**
 * The address without the values that the API refused, such as days after today; null if it refused none of them.
 *
 * @param fields as a problem's errors name them, such as `query.to`
 */
export function withoutRefused(search: AnalyticsSearch, fields: readonly string[]): AnalyticsSearch | null {
  const refused = new Set(fields.map((field) => field.replace(/^query\./, "")));
  if (refused.has("from") || refused.has("to")) for (const name of ["from", "to"]) refused.add(name);
  const left = Object.entries(search).filter(([name]) => !refused.has(name));
  return left.length < Object.keys(search).length ? Object.fromEntries(left) : null;
}

/** The parameters that all questions but the summary take. */
export interface CommonQuery extends FilterSearch {
  from?: string;
  to?: string;
  tz: string;
}

export const commonQuery = (search: AnalyticsSearch, zone: string): CommonQuery => ({
  ...present({ from: search.from, to: search.to }),
  tz: zone,
  ...readFilters({ ...search }),
});
