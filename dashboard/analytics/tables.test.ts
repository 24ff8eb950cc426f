import { describe, expect, it } from "vitest";
import {
  answersExample,
  breakdownExample,
  comparisonExample,
  funnelExample,
  overviewExample,
  productsExample,
  trafficExample,
} from "../../contract/analytics-examples.ts";
import { type FigureTable, withBefore } from "./figure-table.ts";
import { productsTable, productTotalsTable } from "./product-tables.ts";
import { changeOf, chartPoints, panelsOf, seriesNamed } from "./series.ts";
import {
  answersTable,
  breakdownTable,
  comparisonTable,
  funnelTable,
  seriesTable,
  totalsTable,
  trafficTable,
} from "./tables.ts";

/** The names of all figures of an object, those of objects in it behind theirs, as tables call them. */
function figuresOf(value: object): string[] {
  return Object.entries(value).flatMap(([name, one]) => {
    if (one === null || typeof one !== "object" || "amount" in one || Array.isArray(one)) return [name];
    return Object.keys(one).map(
      (inner) => `${name.replace(/_by_bucket$/, "").replace(/^totals$/, "revenue")}_${inner}`,
    );
  });
}

const keys = ({ columns }: FigureTable) => columns.map(({ key }) => key).sort();

describe("figures as tables", () => {
  it("leave out no figure of an answer [dashboard-figures.agree]", () => {
    expect(keys(seriesTable(overviewExample))).toEqual(figuresOf(overviewExample.series[0]!).sort());
    expect(keys(totalsTable(overviewExample))).toEqual(figuresOf(overviewExample.totals).sort());
    expect(keys(funnelTable(funnelExample))).toEqual(figuresOf(funnelExample.pages[0]!).sort());
    expect(keys(breakdownTable(breakdownExample))).toEqual(figuresOf(breakdownExample.rows[0]!).sort());
    expect(keys(trafficTable(trafficExample))).toEqual(figuresOf(trafficExample.other).sort());
    expect(keys(comparisonTable(comparisonExample))).toEqual(figuresOf(comparisonExample.data[0]!).sort());
    const { kind: _, image_url: __, ...option } = answersExample.options[0]!;
    expect(keys(answersTable(answersExample))).toEqual(figuresOf(option).sort());
    const { shown_on: ___, ...product } = productsExample.rows[0]!;
    expect(keys(productsTable(productsExample))).toEqual([...figuresOf(product), "shown_on_page"].sort());
    expect(keys(productTotalsTable(productsExample))).toEqual(
      [
        ...["line_revenue", "refunded", "net_revenue"],
        "orders_matched_by_email",
        "total_products",
        ...figuresOf({ totals_by_bucket: productsExample.totals_by_bucket }),
      ].sort(),
    );
  });

  it("have the sources that are not listed as a row beside one that is called so [dashboard-figures.agree]", () => {
    const rows = [{ ...trafficExample.rows[0]!, value: "other" }];
    const table = trafficTable({ ...trafficExample, rows });
    expect(table.rows.map(({ cells }) => cells[0])).toEqual(["other", "other"]);
    expect(new Set(table.rows.map(({ key }) => key)).size).toBe(2);
  });

  it("set each figure beside that of the period before, rows of then alone last [dashboard-figures.compare]", () => {
    const table = (rows: [string, number][]): FigureTable => ({
      columns: [
        { key: "value", label: "Channel", kind: "text" },
        { key: "views", label: "Views", kind: "count" },
      ],
      rows: rows.map(([value, views]) => ({ key: value, cells: [value, views] })),
    });
    const now = table([
      ["email", 5],
      ["direct", 3],
    ]);
    const then = table([
      ["ads", 9],
      ["email", 4],
    ]);
    const both = withBefore(now, then);
    expect(both.columns.map(({ label }) => label)).toEqual(["Channel", "Views", "Views before"]);
    expect(both.rows.map(({ cells }) => cells)).toEqual([
      ["email", 5, 4],
      ["direct", 3, null],
      ["ads", null, 9],
    ]);
    // of a list that is cut, ads may be among the rows that it leaves out
    expect(withBefore(now, then, false).rows).toEqual(both.rows.slice(0, 2));
  });
});

describe("the series of a chart", () => {
  it("have a scale for each kind of figure [dashboard-figures.series]", () => {
    const panels = panelsOf(["views", "revenue", "median_time_to_complete_ms", "orders"]);
    expect(panels.map(({ kind, series }) => [kind, series.map(({ name }) => name)])).toEqual([
      ["count", ["views", "orders"]],
      ["money", ["revenue"]],
      ["duration", ["median_time_to_complete_ms"]],
    ]);
  });

  it("are gaps where there is no value, and stand beside the day at their place [dashboard-figures.series, dashboard-figures.compare]", () => {
    const before = { series: [{ ...overviewExample.series[0]!, day: "2026-09-11", views: 7 }] };
    const chosen = seriesNamed(["views", "avg_time_to_complete_ms", "revenue_added_from_quiz"]);
    const whole = { ...overviewExample, freshness: { ...overviewExample.freshness, today_live: false } };
    expect(chartPoints(chosen, whole, before)).toEqual([
      {
        day: "2026-09-13",
        day_before: "2026-09-11",
        views: 40,
        views_before: 7,
        avg_time_to_complete_ms: 95_500,
        avg_time_to_complete_ms_before: 95_500,
        revenue_added_from_quiz: 64,
        revenue_added_from_quiz_before: 64,
      },
      {
        day: "2026-09-14",
        views: 10,
        views_before: null,
        avg_time_to_complete_ms: null,
        avg_time_to_complete_ms_before: null,
        revenue_added_from_quiz: 0,
        revenue_added_from_quiz_before: null,
      },
    ]);
  });

  it("set a day apart that is not over [dashboard-figures.series]", () => {
    expect(chartPoints(seriesNamed(["views"]), overviewExample)).toEqual([
      { day: "2026-09-13", views: 40, views_today: 40 },
      { day: "2026-09-14", views: null, views_today: 10 },
    ]);
  });

  it("change by percents of what was before, if there was something [dashboard-figures.compare]", () => {
    expect([changeOf(120, 96), changeOf(3, 0), changeOf(null, 3), changeOf(0, 4)]).toEqual([25, null, null, -100]);
    expect(changeOf({ amount: "15.00", currency: "USD" }, { amount: "10.00", currency: "USD" })).toBe(50);
  });
});
