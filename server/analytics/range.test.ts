import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainDay } from "../../testkit/plain-days.ts";
import { addDays } from "../platform/time-zones.ts";
import { Ranges, readDays } from "./range.ts";

const noon = Date.parse("2026-03-10T12:00:00.000Z");
const zones = ["UTC", "America/New_York", "Africa/Cairo", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Santiago"];

describe("days asked for", () => {
  it("are the thirty up to today in tz when nothing is said [analytics.range]", () => {
    expect(readDays({}, noon)).toEqual({ from: "2026-02-09", to: "2026-03-10", timezone: "UTC" });
    expect(readDays({ tz: "Pacific/Kiritimati" }, noon)).toMatchObject({ to: "2026-03-11" });
    expect(readDays({ tz: "Pacific/Pago_Pago" }, noon)).toMatchObject({ to: "2026-03-10" });
    expect(readDays({ to: "2026-03-01" }, noon)).toMatchObject({ from: "2026-01-31", to: "2026-03-01" });
    expect(readDays({ from: "2026-03-10" }, noon)).toMatchObject({ from: "2026-03-10", to: "2026-03-10" });
  });

  it("are at most 366, a leap year among them [analytics.range-limits]", () => {
    expect(readDays({ from: "2024-01-01", to: "2024-12-31" }, noon)).toMatchObject({ from: "2024-01-01" });
    expect(readDays({ from: "2023-12-31", to: "2024-12-31" }, noon)).toMatchObject({
      errors: [{ field: "query.from" }],
      tooLong: true,
    });
    expect(readDays({ from: "0001-01-01" }, noon)).toMatchObject({ tooLong: true });
  });

  it("are refused when reversed, in the future of the zone, or of no zone [analytics.range-limits, time.zones]", () => {
    const field = (selection: Parameters<typeof readDays>[0]) => {
      const days = readDays(selection, noon);
      return "errors" in days ? days.errors.map((error) => error.field) : null;
    };
    expect(field({ from: "2026-03-02", to: "2026-03-01" })).toEqual(["query.from"]);
    expect(field({ from: "2026-03-11" })).toEqual(["query.from"]);
    expect(field({ to: "2026-03-11" })).toEqual(["query.to"]);
    expect(field({ to: "2026-03-11", tz: "Pacific/Kiritimati" })).toBeNull();
    for (const tz of ["GMT", "CET", "Japan", "Etc/GMT+5", "US/Pacific"])
      expect([tz, field({ tz })]).toEqual([tz, null]);
    for (const tz of ["Mars/Olympus", "utc", "EST5", "+02:00", ""])
      expect([tz, field({ tz })]).toEqual([tz, ["query.tz"]]);
  });

  it("begin no earlier than days can be written", () => {
    expect(readDays({ to: "0000-01-05" }, noon)).toMatchObject({ from: "0000-01-01" });
  });
});

describe("ranges", () => {
  it("have each day once, from its first moment in the zone to that of the next, DST or not [figures.every-day, time.days]", () => {
    const ranges = new Ranges();
    const day = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2027, 0) }).map((at) => plainDay(at, "UTC"));
    fc.assert(
      fc.property(day, fc.integer({ min: 1, max: 366 }), fc.constantFrom(...zones), (from, length, zone) => {
        const range = ranges.of(from, addDays(from, length - 1), zone);
        expect(range.days).toHaveLength(length);
        expect(range.runs.map(({ index }) => range.days[index])).toEqual(range.days);
        expect(new Set(range.days).size).toBe(length);
        for (const { start, end, index } of range.runs) {
          const each = range.days[index]!;
          expect([plainDay(start, zone), plainDay(end - 1, zone)]).toEqual([each, each]);
          expect(plainDay(start - 1, zone) < each && each < plainDay(end, zone)).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("keep their order through a day that a zone left out [figures.every-day]", () => {
    const { days, runs } = new Ranges().of("2011-12-29", "2011-12-31", "Pacific/Apia");
    expect(days).toEqual(["2011-12-29", "2011-12-30", "2011-12-31"]);
    expect(runs.map(({ index }) => index)).toEqual([0, 2]);
    expect(runs[0]?.end).toBe(runs[1]?.start);
  });

  it("are preceded by as many days [figures.summary]", () => {
    const ranges = new Ranges();
    const range = ranges.of("2026-03-04", "2026-03-10", "Europe/Berlin");
    const before = ranges.before(range);
    expect([before.from, before.to, before.days.length]).toEqual(["2026-02-25", "2026-03-03", 7]);
    expect(before.runs.at(-1)?.end).toBe(range.runs[0]?.start);
  });
});
