import { expect, it } from "vitest";
import { freshnessAt, pendingFreshness } from "./freshness.ts";
import { Ranges } from "./range.ts";

const ranges = new Ranges();
// one in the morning of the 11th in Auckland
const asOf = Date.parse("2026-03-10T12:00:00.000Z");

it("tells of figures how far they reach and when they are made anew [analytics.freshness]", () => {
  expect(freshnessAt(ranges.of("2026-03-01", "2026-03-10", "UTC"), asOf, 60_000)).toEqual({
    as_of: "2026-03-10T12:00:00.000Z",
    closed_days_through: "2026-03-09",
    next_refresh_at: "2026-03-10T12:01:00.000Z",
    pending: false,
    stale: false,
    today_live: true,
  });
});

it("counts days in the zone that was asked for [analytics.freshness]", () => {
  const past = freshnessAt(ranges.of("2026-03-01", "2026-03-10", "Pacific/Auckland"), asOf, 60_000);
  expect([past.closed_days_through, past.today_live]).toEqual(["2026-03-10", false]);
  expect(freshnessAt(ranges.of("2026-03-11", "2026-03-11", "Pacific/Auckland"), asOf, 0).today_live).toBe(true);
});

it("claims nothing while the copy is being loaded [analytics.pending]", () => {
  expect(pendingFreshness(ranges.of("2026-03-01", "2026-03-10", "UTC"), asOf)).toEqual({
    as_of: null,
    closed_days_through: "2026-03-09",
    next_refresh_at: null,
    pending: true,
    stale: false,
    today_live: false,
  });
});
