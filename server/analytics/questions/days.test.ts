import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { expect, it } from "vitest";
import { plainDay } from "../../../testkit/plain-days.ts";
import { raw, sql as statement } from "../../platform/database/sql.ts";
import { Ranges } from "../range.ts";
import { byDayAndInTotal, dayIndex, within } from "./days.ts";

const zones = [
  "UTC",
  "America/New_York",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Africa/Cairo",
  "Pacific/Apia",
  "America/Santiago",
  "Europe/Berlin",
  // until 2011 clocks went back over midnight there
  "America/St_Johns",
  "America/Goose_Bay",
  "America/Moncton",
];
const dayMs = 86_400_000;

it("finds the day of any moment as the calendar does, through days of 23, 25 and no hours and dates that come again [figures.own-day, time.days]", async () => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  const ranges = new Ranges();
  const cases = fc.record({
    zone: fc.constantFrom(...zones),
    // Samoa left out 30 December 2011
    first: fc.constantFrom(
      "2011-11-20",
      "2010-11-07",
      "2010-11-06",
      "2006-10-29",
      "2006-10-25",
      "2026-01-01",
      "2026-03-01",
      "2025-09-20",
      "2026-10-20",
    ),
    length: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 366 })),
    spots: fc.array(fc.double({ min: -0.1, max: 1.1, noNaN: true }), { minLength: 20, maxLength: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ zone, first, length, spots }) => {
      const last = new Date(Date.parse(`${first}T00:00:00Z`) + (length - 1) * dayMs).toISOString().slice(0, 10);
      const range = ranges.of(first, last, zone);
      const start = Date.parse(`${first}T00:00:00Z`) - dayMs;
      const end = Date.parse(`${last}T00:00:00Z`) + 2 * dayMs;
      const moments = [
        ...spots.map((spot) => Math.round(start + spot * (end - start))),
        ...range.runs.flatMap(({ start: from, end: to }) => [from - 1, from, to - 1, to]),
      ];
      const listed = `(VALUES ${moments.map((moment, place) => `(${place}, ${moment})`).join(", ")}) AS v (place, m)`;
      const { sql } = statement`SELECT m AS moment, ${dayIndex(range, "m")} AS day FROM ${raw(listed)}
        WHERE ${within(range, "m")} ORDER BY place`;
      const reader = await connection.runAndReadAll(sql);
      const found = reader.getRowObjectsJS().map((row) => [Number(row["moment"]), range.days[Number(row["day"])]]);
      const days = moments.map((moment) => [moment, plainDay(moment, zone)] as const);
      const expected = days.filter(([, day]) => day >= first && day <= last);
      expect(found).toEqual(expected);
      const counted = byDayAndInTotal(
        range,
        "m",
        raw("count(*) AS moments"),
        statement`FROM ${raw(listed)} WHERE true`,
      );
      const counts = (await connection.runAndReadAll(counted.sql)).getRowObjectsJS();
      const ofDays = Map.groupBy(expected, ([, day]) => range.days.indexOf(day));
      expect(new Map(counts.map(({ day, moments: n }) => [day === null ? null : Number(day), Number(n)]))).toEqual(
        new Map<number | null, number>([
          ...[...ofDays].map(([day, { length: n }]) => [day, n] as const),
          [null, expected.length],
        ]),
      );
    }),
    { numRuns: 150 },
  );
  instance.closeSync();
});

it("is one division where no clock changes, and one case for each odd day", () => {
  const ranges = new Ranges();
  expect(dayIndex(ranges.of("2026-01-05", "2026-01-06", "UTC"), "t").sql).toBe("(t - 1767571200000) // 86400000 + 0");
  expect(dayIndex(ranges.of("2026-03-29", "2026-03-29", "Europe/Berlin"), "t").sql).toBe("0");
  const aroundSpring = dayIndex(ranges.of("2026-03-28", "2026-03-30", "Europe/Berlin"), "t");
  expect(aroundSpring.sql.match(/WHEN/g)).toHaveLength(2);
});
