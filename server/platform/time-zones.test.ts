import fc from "fast-check";
import pg from "pg";
import { describe, expect, inject, it } from "vitest";
import { plainDay } from "../../testkit/plain-days.ts";
import { ianaNames } from "./time-zone-names.ts";
import { addDays, dayIn, dayRuns, isCalendarDay, isTimeZone, joinedRuns, monthAround } from "./time-zones.ts";

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

const hours = (day: string, zone: string): number =>
  dayRuns(day, day, zone).reduce((sum, { start, end }) => sum + end - start, 0) / hour;

describe("timezones [time.zones]", () => {
  it("are the IANA database's names in their own case, zones and links of every form", () => {
    for (const zone of [...zones, "Asia/Calcutta", "Europe/Kyiv", "US/Pacific", "Etc/UTC", "GMT", "CET", "Japan"])
      expect([zone, isTimeZone(zone)]).toEqual([zone, true]);
    for (const zone of ["Etc/GMT+5", "Etc/GMT-14", "GMT+0", "GMT-0", "GMT0", "EST", "EST5EDT", "W-SU", "NZ-CHAT"])
      expect([zone, isTimeZone(zone)]).toEqual([zone, true]);
    for (const zone of [
      "Zulu",
      "PRC",
      "GB-Eire",
      "America/Port-au-Prince",
      "America/Argentina/ComodRivadavia",
      "Factory",
    ])
      expect([zone, isTimeZone(zone)]).toEqual([zone, true]);
    for (const odd of ["", "utc", "europe/berlin", "gmt", "ETC/GMT+5", "us/pacific", "japan"])
      expect([odd, isTimeZone(odd)]).toEqual([odd, false]);
    for (const odd of [
      "ABC5",
      "EST5EDT4",
      "UTC+2",
      "+02:00",
      "-05",
      "GMT+2",
      "Etc/GMT+13",
      "Etc/GMT+05",
      "Z",
      "BST",
      "PST",
    ])
      expect([odd, isTimeZone(odd)]).toEqual([odd, false]);
    for (const odd of [
      "Europe/Nowhere",
      "Europe/Berlin ",
      " UTC",
      "toString",
      "SystemV/EST5",
      "US/Pacific-New",
      "Unknown",
    ])
      expect([odd, isTimeZone(odd)]).toEqual([odd, false]);
  });

  it("are those that PostgreSQL's own copy of the database has, and all of them can be computed with", async () => {
    const client = new pg.Client(inject("postgres"));
    await client.connect();
    const { rows } = await client.query("SELECT name FROM pg_timezone_names");
    await client.end();
    // a system's folder of zones has files beside them
    const theirs = rows.map(({ name }) => name).filter((name) => /^(?!posix|right|localtime)/.test(name));
    expect(theirs.length).toBeGreaterThan(400);
    expect(theirs.filter((name) => !isTimeZone(name))).toEqual([]);
    expect(ianaNames.filter((name) => !isTimeZone(name))).toEqual([]);
    expect(new Set(ianaNames).size).toBe(ianaNames.length);
    expect(dayIn(0, "Factory")).toBe("1970-01-01");
  });
});

describe("months and days in a zone [time.days]", () => {
  it.for(zones)("have their bounds where the month of %s changes, DST or not", (zone) => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2035, 0) }), (at) => {
        const { start, end } = monthAround(at, zone);
        expect(start <= at && at < end).toBe(true);
        expect(plainDay(start, zone)).toMatch(/-01$/);
        expect((end - start) / hour).toBeLessThan(32 * 24);
        expect(plainDay(start - 1, zone).slice(0, 7)).not.toBe(plainDay(start, zone).slice(0, 7));
        expect(plainDay(end, zone)).toMatch(/-01$/);
        expect(monthAround(end, zone).start).toBe(end);
        expect(monthAround(end - 1, zone)).toEqual({ start, end });
      }),
      { numRuns: 60 },
    );
  });

  it("hold every moment, also where the clocks of a month's first went back into the month before", () => {
    // 00:01 on the first was followed by 23:01 on the last
    for (const zone of ["America/St_Johns", "America/Goose_Bay"])
      for (let at = Date.UTC(2009, 10, 1, 2); at < Date.UTC(2009, 10, 1, 5); at += 30_000) {
        const { start, end } = monthAround(at, zone);
        expect([zone, at, start <= at && at < end]).toEqual([zone, at, true]);
        expect([plainDay(start, zone), plainDay(end, zone)].map((day) => day.slice(-2))).toEqual(["01", "01"]);
      }
  });

  it("have days of 23, 23.5, 24.5 and 25 hours where clocks change, and a midnight that does not exist", () => {
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

  it("are the local date, also where clocks go back over midnight", () => {
    const on = (time: string) => Date.parse(`${time}:00.000Z`);
    // 00:01 was followed by 23:01 of the day before
    expect(dayRuns("2010-11-06", "2010-11-07", "America/St_Johns")).toEqual([
      { index: 0, start: on("2010-11-06T02:30"), end: on("2010-11-07T02:30") },
      { index: 1, start: on("2010-11-07T02:30"), end: on("2010-11-07T02:31") },
      { index: 0, start: on("2010-11-07T02:31"), end: on("2010-11-07T03:30") },
      { index: 1, start: on("2010-11-07T03:30"), end: on("2010-11-08T03:30") },
    ]);
    expect(joinedRuns(dayRuns("2010-11-06", "2010-11-07", "America/St_Johns"))).toHaveLength(1);
    expect(joinedRuns(dayRuns("2010-11-01", "2010-11-06", "America/St_Johns"))).toHaveLength(2);
    for (const zone of ["America/Moncton", "America/Goose_Bay"])
      expect(dayRuns("2006-10-28", "2006-10-28", zone)).toHaveLength(2);
    expect([hours("2010-11-06", "America/St_Johns"), hours("2010-11-07", "America/St_Johns")]).toEqual([
      24 + 59 / 60,
      24 + 1 / 60,
    ]);
  });

  it("are what the runtime's formatter tells of every quarter of an hour, in any zone, since 1970", () => {
    const clockChanges = fc.constantFrom(
      "1970-01-01",
      "1993-08-20",
      "2006-10-28",
      "2010-11-05",
      "2011-12-28",
      "2026-03-28",
    );
    const anyDay = fc.integer({ min: 0, max: 25_000 }).map((number) => addDays("1970-01-01", number));
    const cases = fc.record({
      zone: fc.constantFrom(...ianaNames.filter((name) => name !== "Factory")),
      from: fc.oneof(anyDay, clockChanges),
      length: fc.integer({ min: 1, max: 8 }),
    });
    fc.assert(
      fc.property(cases, ({ zone, from, length }) => {
        const to = addDays(from, length - 1);
        const runs = dayRuns(from, to, zone);
        const moments = runs.flatMap(({ start, end }) => [start - 1, start, end - 1, end]);
        const last = Date.parse(to) + 48 * hour;
        for (let at = Date.parse(from) - 24 * hour; at < last; at += hour / 4) moments.push(at);
        const found = (at: number) =>
          runs.filter(({ start, end }) => start <= at && at < end).map(({ index }) => index);
        const wrong = moments.filter((at) => {
          const day = plainDay(at, zone);
          const expected = from <= day && day <= to ? [(Date.parse(day) - Date.parse(from)) / (24 * hour)] : [];
          return String(found(at)) !== String(expected) || day !== dayIn(at, zone);
        });
        expect(wrong.map((at) => [zone, new Date(at).toISOString()])).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it("have no time at all where a zone left a day out", () => {
    expect(dayRuns("2011-12-30", "2011-12-30", "Pacific/Apia")).toEqual([]);
    expect(dayRuns("2011-12-29", "2011-12-31", "Pacific/Apia").map(({ index }) => index)).toEqual([0, 2]);
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
