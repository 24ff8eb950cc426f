import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unlistedTimeZones } from "./time-zone-names.ts";
import { dayBounds, dayIn, dayStarts, isCalendarDay, isTimeZone, monthAround } from "./time-zones.ts";

const zones = [
  "UTC",
  "America/New_York",
  "Europe/Berlin",
  "Africa/Cairo",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Pacific/Apia",
  "America/Santiago",
  "Asia/Tehran",
];
const hour = 3_600_000;

/** The day in a zone, from the runtime's own formatter. */
const local = (at: number, timeZone: string) =>
  new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(at);

describe("timezones (decisions A10)", () => {
  it("are IANA names in their own case, UTC and both names of a renamed zone included", () => {
    for (const zone of [...zones, "Asia/Calcutta", "Europe/Kyiv", "US/Pacific", "Etc/UTC"])
      expect([zone, isTimeZone(zone)]).toEqual([zone, true]);
    for (const odd of [
      "",
      "utc",
      "europe/berlin",
      "ABC5",
      "EST5EDT",
      "UTC+2",
      "+02:00",
      "GMT+2",
      "Etc/GMT+5",
      "Europe/Nowhere",
      "Europe/Berlin ",
      "toString",
      "Z",
    ]) {
      expect([odd, isTimeZone(odd)]).toEqual([odd, false]);
    }
  });

  it("are all known to the runtime that computes with them", () => {
    for (const zone of unlistedTimeZones) expect(() => new Intl.DateTimeFormat("en", { timeZone: zone })).not.toThrow();
    expect(new Set(unlistedTimeZones).size).toBe(unlistedTimeZones.length);
  });
});

describe("months and days in a zone (decisions B, D2)", () => {
  it.for(zones)("have their bounds where the day of %s changes, DST or not", (zone) => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2035, 0) }), (at) => {
        const { start, end } = monthAround(at, zone);
        expect(start <= at && at < end).toBe(true);
        expect(local(start, zone)).toMatch(/-01$/);
        expect(local(start, zone).slice(0, 7)).toBe(local(at, zone).slice(0, 7));
        expect(local(start - 1, zone).slice(0, 7)).not.toBe(local(start, zone).slice(0, 7));
        expect(local(end, zone)).toMatch(/-01$/);
        expect(monthAround(end, zone).start).toBe(end);
        expect(monthAround(end - 1, zone)).toEqual({ start, end });

        const day = local(at, zone);
        const bounds = dayBounds(day, zone);
        expect(bounds.start <= at && at < bounds.end).toBe(true);
        expect([local(bounds.start, zone), local(bounds.end - 1, zone)]).toEqual([day, day]);
        expect(local(bounds.start - 1, zone) < day && day < local(bounds.end, zone)).toBe(true);
        expect([dayIn(at, zone), dayIn(bounds.start, zone), dayIn(bounds.end - 1, zone)]).toEqual([day, day, day]);
        expect(dayStarts([day, dayIn(bounds.end, zone)], zone).slice(0, 2)).toEqual([bounds.start, bounds.end]);
      }),
      { numRuns: 60 },
    );
  });

  it("have days of 23, 23.5, 24.5 and 25 hours where clocks change, and a midnight that does not exist", () => {
    const hours = (day: string, zone: string) => {
      const { start, end } = dayBounds(day, zone);
      return (end - start) / hour;
    };
    expect(hours("2026-03-29", "Europe/Berlin")).toBe(23);
    expect(hours("2026-10-25", "Europe/Berlin")).toBe(25);
    expect(hours("2026-03-08", "America/New_York")).toBe(23);
    expect(hours("2026-10-04", "Australia/Lord_Howe")).toBe(23.5);
    expect(hours("2026-04-05", "Australia/Lord_Howe")).toBe(24.5);
    // clocks go from 00:00 to 01:00: the day begins at one
    expect(hours("2026-04-24", "Africa/Cairo")).toBe(23);
    expect(hours("2026-09-06", "America/Santiago")).toBe(23);
    const month = monthAround(Date.UTC(2026, 2, 15), "America/New_York");
    expect((month.end - month.start) / hour).toBe(31 * 24 - 1);
    expect(new Date(month.start).toISOString()).toBe("2026-03-01T05:00:00.000Z");
  });

  it("know the days that exist", () => {
    for (const day of ["2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])
      expect([day, isCalendarDay(day)]).toEqual([day, true]);
    for (const day of [
      "2023-02-29",
      "1900-02-29",
      "2026-13-01",
      "2026-00-10",
      "2026-01-00",
      "2026-1-1",
      "2026-01-01T",
      " 2026-01-01",
      "20260101",
      "+002026-01-01",
      "",
    ]) {
      expect([day, isCalendarDay(day)]).toEqual([day, false]);
    }
  });
});
