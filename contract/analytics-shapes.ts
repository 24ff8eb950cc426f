import { type Static, type TProperties, Type } from "typebox";
import { byFilter } from "./analytics-filters.ts";
import { count, date, dateTime, described, money, nullable } from "./common.ts";

/** Shapes shared by the answers of the analytics routes. */

export const share = (description: string) =>
  nullable(Type.Number({ description: `${description}; null without any` }));
export const milliseconds = (description: string) =>
  nullable(Type.Number({ description: `${description}, in milliseconds; null without samples` }));

export const dayRange = Type.Object(
  {
    days: count("Days of the range"),
    start: date("First day"),
    end: date("Last day, included"),
    timezone: Type.String({ description: "IANA name of the zone whose days these are" }),
  },
  { title: "DayRange" },
);
export type DayRangeBody = Static<typeof dayRange>;

export const appliedFilters = Type.Object(
  byFilter(() => nullable(Type.String())),
  { title: "AppliedFilters", description: "The filters in force; null: not filtered by it" },
);

export const freshness = Type.Object(
  {
    as_of: nullable(dateTime("Every change committed up to here is counted; null while pending")),
    closed_days_through: date("The last whole day before today"),
    next_refresh_at: nullable(dateTime("From here on a question has the figures counted anew")),
    pending: Type.Boolean({ description: "The store's facts are being loaded for the first time; figures are zero" }),
    stale: Type.Boolean({ description: "An older answer, while a newer one is made" }),
    today_live: Type.Boolean({ description: "The range contains today, and today is counted so far" }),
  },
  { title: "Freshness" },
);
export type Freshness = Static<typeof freshness>;

/** An analytics answer: its own fields plus the shared ones [analytics.shared-fields]. */
export const answer = <Fields extends TProperties>(title: string, fields: Fields) =>
  Type.Object({ ...fields, range: dayRange, filters: appliedFilters, freshness }, { title });

/** What a question computes, without the shared fields. */
export type FiguresOf<Body> = Omit<Body, "range" | "filters" | "freshness">;

export const moneyByBucket = Type.Object(
  {
    added_from_quiz: nullable(described("Put into the cart from the quiz", money)),
    shown_bought_later: nullable(described("Shown by the quiz, bought another way", money)),
    bought_not_shown: nullable(described("Bought in the same order, not shown", money)),
  },
  { title: "MoneyByBucket", description: "Revenue of order lines, by what the quiz had to do with them" },
);
export type MoneyByBucket = Static<typeof moneyByBucket>;

export const marker = Type.Object(
  {
    approximate: Type.Boolean({ description: "Told from imported sessions rather than from a publish" }),
    day: date(),
    published_at: dateTime(),
    version_number: nullable(Type.Integer()),
  },
  { title: "PublishMarker" },
);
export type PublishMarker = Static<typeof marker>;
