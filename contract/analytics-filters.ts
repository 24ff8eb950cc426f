/**
 * What narrows figures to some sessions, and splits them [analytics.filters, figures.breakdown]: a line here makes a
 * parameter of the API and of assistants' tools, a filter and a breakdown of the dashboard, and part of a cached
 * figure's key. Without shapes, so that browsers need not load those.
 */

export interface AnalyticsFilter {
  /** what people read */
  label: string;
  /** for the reference and for assistants */
  description: string;
  /** the valid values, or the pattern of one and its description for an error message */
  takes: readonly string[] | { pattern: RegExp; form: string };
  /** Whether sessions may lack it: then `unknown` is a value too. */
  unknown: boolean;
  /** of a session's rows in the columnar copy; a flag is true for the second of the values */
  column: string;
}

export const deviceClasses = ["desktop", "mobile", "tablet", "other"] as const;
export const visitorNames = ["new", "returning"] as const;
export const unknownValue = "unknown";

export const filters = {
  channel: {
    label: "Channel",
    description: "Only sessions of this channel: small letters, digits and `_`, at most 32",
    takes: { pattern: /^[a-z0-9_]{1,32}$/, form: "1 to 32 small letters, digits and underscores" },
    unknown: false,
    column: "channel",
  },
  device: {
    label: "Device",
    description: `Only sessions on this class of device: ${deviceClasses.join(", ")}`,
    takes: deviceClasses,
    unknown: false,
    column: "device",
  },
  new_returning: {
    label: "New or returning",
    description: "`new`: only visitors' first sessions in the store; `returning`: only later ones",
    takes: visitorNames,
    unknown: false,
    column: "is_returning",
  },
  country: {
    label: "Country",
    description: "Only sessions from this country: two capital letters, or `unknown`",
    takes: { pattern: /^[A-Z]{2}$/, form: "two capital letters" },
    unknown: true,
    column: "country",
  },
  region: {
    label: "Region",
    description: "Only sessions from this part of a country, as ISO 3166-2 has it, such as `US-CA`, or `unknown`",
    takes: { pattern: /^[A-Z]{2}-[A-Z0-9]{1,3}$/, form: "a country and the code of its region, such as US-CA" },
    unknown: true,
    column: "region",
  },
} as const satisfies Record<string, AnalyticsFilter>;

export type FilterName = keyof typeof filters;
export const filterNames = Object.keys(filters) as FilterName[];

/** What a breakdown can split by: the filters, and the results that sessions ended with [figures.outcomes]. */
export const splitNames = [...filterNames, "outcome"] as const;
export type SplitName = (typeof splitNames)[number];
/** The value of sessions that ended without a result, and its name. */
export const noOutcome = { value: "none", name: "No result" } as const;

/** Something for each filter. */
export const byFilter = <Value>(of: (name: FilterName) => Value): Record<FilterName, Value> =>
  Object.fromEntries(filterNames.map((name) => [name, of(name)])) as Record<FilterName, Value>;

const isList = (takes: AnalyticsFilter["takes"]): takes is readonly string[] => Array.isArray(takes);

/** The filter's values if they are a fixed list; null: they depend on the store's sessions. */
export function valuesOf(name: FilterName): readonly string[] | null {
  const { takes }: AnalyticsFilter = filters[name];
  return isList(takes) ? takes : null;
}

/** [analytics.filter-values] */
export function isFilterValue(name: FilterName, value: string): boolean {
  const { takes, unknown }: AnalyticsFilter = filters[name];
  if (unknown && value === unknownValue) return true;
  return isList(takes) ? takes.includes(value) : takes.pattern.test(value);
}

/** The error message for an invalid value. */
export function filterMessage(name: FilterName): string {
  const { takes, unknown }: AnalyticsFilter = filters[name];
  const form = isList(takes) ? `one of ${takes.join(", ")}` : takes.form;
  return `must be ${form}${unknown ? `, or ${unknownValue}` : ""}`;
}
