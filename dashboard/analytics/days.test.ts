import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxRangeDays } from "../../contract/analytics.ts";
import {
  clampRange,
  daysIn,
  isDay,
  plusDays,
  presetOf,
  presetRange,
  presets,
  rangeBefore,
  rangeDaysAtMost,
} from "./days.ts";

const day = fc.integer({ min: 0, max: 40_000 }).map((days) => plusDays("1980-01-01", days));

describe("days and ranges", () => {
  it("of a preset are counted from today, and found again by their days [dashboard-figures.days]", () => {
    const today = "2028-03-01";
    expect(
      Object.fromEntries(presets.map(({ name }) => [name, Object.values(presetRange(name, today)).join(" ")])),
    ).toEqual({
      today: "2028-03-01 2028-03-01",
      yesterday: "2028-02-29 2028-02-29",
      "7d": "2028-02-24 2028-03-01",
      "30d": "2028-02-01 2028-03-01",
      "90d": "2027-12-03 2028-03-01",
      month: "2028-03-01 2028-03-01",
      "last-month": "2028-02-01 2028-02-29",
      year: "2028-01-01 2028-03-01",
      "365d": "2027-03-03 2028-03-01",
    });
    expect(presetOf({ from: "2028-02-24", to: "2028-03-01" }, today)).toBe("7d");
    expect(presetOf({ from: "2028-02-23", to: "2028-03-01" }, today)).toBeNull();
  });

  it("are such as the API takes, whatever was chosen [dashboard-figures.days]", () => {
    expect(rangeDaysAtMost).toBe(maxRangeDays);
    fc.assert(
      fc.property(day, day, day, (from, to, today) => {
        const range = clampRange({ from, to }, today);
        expect(range.from <= range.to && range.to <= today).toBe(true);
        expect(daysIn(range.from, range.to)).toBeLessThanOrEqual(maxRangeDays);
        const isFine = from <= to && to <= today && daysIn(from, to) <= maxRangeDays;
        if (isFine) expect(range).toEqual({ from, to });
      }),
    );
  });

  it("before are as many, and end where these begin [dashboard-figures.compare]", () => {
    fc.assert(
      fc.property(day, fc.nat({ max: 365 }), (from, more) => {
        const range = { from, to: plusDays(from, more) };
        const before = rangeBefore(range);
        expect(daysIn(before.from, before.to)).toBe(daysIn(range.from, range.to));
        expect(plusDays(before.to, 1)).toBe(range.from);
      }),
    );
  });

  it("are days that exist [dashboard-figures.days]", () => {
    expect(["2026-02-29", "2026-13-01", "26-01-01", "2026-1-1", "", null, 5].filter(isDay)).toEqual([]);
    expect(isDay("2028-02-29")).toBe(true);
  });
});
