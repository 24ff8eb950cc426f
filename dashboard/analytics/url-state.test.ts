import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allSeries } from "./series.ts";
import { commonQuery, onTab, readAnalytics, withoutRefused } from "./url-state.ts";

describe("what an address says of figures", () => {
  it("is read as it was written [dashboard-figures.address]", () => {
    const said = {
      tab: "paths",
      from: "2026-01-01",
      to: "2026-01-31",
      compare: "previous",
      channel: "email_2",
      device: "mobile",
      new_returning: "new",
      country: "DE",
      cohort: "left",
      series: ["views", "revenue"],
      limit: 25,
      offset: 50,
    };
    expect(readAnalytics(said)).toEqual(said);
    // as it comes out of an address: texts alone
    expect(readAnalytics({ ...said, limit: "25", offset: "50", series: "views,revenue" })).toEqual(said);
  });

  it("is left out where the API would refuse it [dashboard-figures.address]", () => {
    const refused = {
      from: "2026-02-30",
      to: "2026-03-01",
      compare: "year",
      channel: "E Mail",
      device: "watch",
      new_returning: "both",
      country: "Germany",
      cohort: "none",
      bucket: "stolen",
      limit: "7",
      offset: "-3",
      series: "nothing",
      q: "x".repeat(201),
    };
    expect(readAnalytics(refused)).toEqual({});
    expect(readAnalytics({ from: "2026-03-02", to: "2026-03-01" })).toEqual({});
    expect(readAnalytics({ from: "2026-03-02" })).toEqual({});
    expect(readAnalytics({ from: "2024-01-01", to: "2024-12-31" })).toEqual({ from: "2024-01-01", to: "2024-12-31" });
    expect(readAnalytics({ from: "2024-01-01", to: "2025-01-01" })).toEqual({});
  });

  it("loses what the API has refused, and nothing else [dashboard-figures.address]", () => {
    const search = readAnalytics({ from: "2026-01-01", to: "2026-01-31", component_key: "skin", device: "mobile" });
    expect(withoutRefused(search, ["query.to"])).toEqual({ component_key: "skin", device: "mobile" });
    expect(withoutRefused(search, ["query.component_key"])).toEqual({
      from: "2026-01-01",
      to: "2026-01-31",
      device: "mobile",
    });
    expect(withoutRefused(search, ["query.by"])).toBeNull();
    expect(withoutRefused(search, [])).toBeNull();
  });

  it("makes no address throw, whatever stands in it [dashboard-figures.address]", () => {
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.anything()), (raw) => void readAnalytics(raw)));
  });

  it("keeps days and filters on another tab, and drops what belonged to the picture [dashboard-figures.address]", () => {
    const search = readAnalytics({
      tab: "traffic",
      from: "2026-01-01",
      to: "2026-01-02",
      country: "DE",
      by: "utm_source",
      limit: 25,
      series: "views",
    });
    expect(onTab(search, "funnel")).toEqual({ tab: "funnel", from: "2026-01-01", to: "2026-01-02", country: "DE" });
    expect(onTab(search, "overview")).toEqual({ from: "2026-01-01", to: "2026-01-02", country: "DE" });
  });

  it("asks for its days, its filters and the store's zone, and for nothing else [dashboard-figures.address]", () => {
    const search = readAnalytics({ tab: "funnel", from: "2026-01-01", to: "2026-01-02", device: "tablet", q: "x" });
    expect(commonQuery(search, "Asia/Kolkata")).toEqual({
      from: "2026-01-01",
      to: "2026-01-02",
      tz: "Asia/Kolkata",
      device: "tablet",
    });
    expect(commonQuery({}, "UTC")).toEqual({ tz: "UTC" });
  });

  it("names each series once [dashboard-figures.series]", () => {
    expect(new Set(allSeries.map(({ name }) => name)).size).toBe(allSeries.length);
  });
});
