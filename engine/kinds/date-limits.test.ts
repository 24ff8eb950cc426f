import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { date, page, quizDocument } from "../../testkit/document-parts.ts";
import { addDays, weekdayOf } from "../calendar.ts";
import { checkDocument } from "../check.ts";
import type { DateComponent } from "../document.ts";
import { lint } from "../lint.ts";
import { dateFault, isTaken } from "./date-limits.ts";
import { noDayIn } from "./read-date-limits.ts";

type Limits = Pick<DateComponent, "min" | "max" | "weekdays" | "time_from" | "time_to">;

/** What the words say, by a calendar that nobody here wrote. */
function naive(limits: Limits, { date: day, time }: { date: string; time: string | null }, today: string): boolean {
  const meant = (bound: string) => {
    const [, sign, days] = /^today(?:([+-])(\d+)d)?$/.exec(bound) ?? [];
    if (!bound.startsWith("today")) return Temporal.PlainDate.from(bound);
    const number = Number(days ?? 0);
    return Temporal.PlainDate.from(today).add({ days: sign === "-" ? -number : number });
  };
  const asked = Temporal.PlainDate.from(day);
  const at = time === null ? null : Temporal.PlainTime.from(time);
  const { compare } = Temporal.PlainDate;
  return (
    (!limits.min || compare(asked, meant(limits.min)) >= 0) &&
    (!limits.max || compare(asked, meant(limits.max)) <= 0) &&
    (!limits.weekdays || limits.weekdays.includes(asked.dayOfWeek)) &&
    (!limits.time_from || !at || Temporal.PlainTime.compare(at, limits.time_from) >= 0) &&
    (!limits.time_to || !at || Temporal.PlainTime.compare(at, limits.time_to) <= 0)
  );
}

/** Around the ends of years, leap days, and those that are left out in 1900 and 2100. */
const edges = ["2023-12-31", "2024-02-28", "2024-02-29", "2025-02-28", "2027-01-01", "1900-02-28", "2100-03-01"];
const days = fc
  .tuple(fc.constantFrom(...edges), fc.integer({ min: -40, max: 40 }))
  .map(([edge, days]) => Temporal.PlainDate.from(edge).add({ days }).toString());
const bound = fc.oneof(
  days,
  fc.constant("today"),
  fc.tuple(fc.constantFrom("+", "-"), fc.integer({ min: 0, max: 400 })).map(([sign, days]) => `today${sign}${days}d`),
);
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
const time = fc.oneof(
  fc.constant(null),
  clock,
  clock.map((text) => `${text}:30`),
);
const orNone = <Value>(some: fc.Arbitrary<Value>) => fc.option(some, { nil: null });
const limits: fc.Arbitrary<Limits> = fc.record(
  {
    min: orNone(bound),
    max: orNone(bound),
    weekdays: orNone(fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 })),
    time_from: orNone(clock),
    time_to: orNone(clock),
  },
  { requiredKeys: [] },
);

describe("a date with limits [engine.date-limits]", () => {
  it("takes what a naive model takes, across leap days and the ends of years", () => {
    fc.assert(
      fc.property(limits, fc.record({ date: days, time }), days, (limited, answer, today) => {
        expect(dateFault(limited, answer, today) === null).toBe(naive(limited, answer, today));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [{ min: "today" }, "2026-11-29", "2026-11-29", null],
    [{ min: "today+2d" }, "2026-11-30", "2026-11-29", "range"],
    [{ min: "today+1d", max: "today+14d" }, "2027-01-01", "2026-12-31", null],
    [{ max: "today-6574d" }, "2008-11-29", "2026-11-29", null],
    [{ max: "today-6574d" }, "2008-11-30", "2026-11-29", "range"],
    [{ min: "2024-02-29", max: "2024-02-29" }, "2024-02-29", "2026-11-29", null],
    [{ weekdays: [1, 2, 3, 4, 5] }, "2026-11-29", "2026-11-29", "weekday"],
    [{ weekdays: [7] }, "2026-11-29", "2026-11-29", null],
  ] as const)("with %j answers %s on %s with %s", (limited, day, today, fault) => {
    const copied = { ...limited, ...("weekdays" in limited && { weekdays: [...limited.weekdays] }) } as Limits;
    expect(dateFault(copied, { date: day, time: null }, today)).toBe(fault);
  });

  it("includes both ends of the times, and judges a day without a time by the day", () => {
    const open = { time_from: "09:00", time_to: "17:30" };
    const at = (time: string | null) => dateFault(open, { date: "2026-11-30", time }, "2026-11-29");
    expect(["09:00", "09:00:00", "17:30", "17:30:00", null].map(at)).toEqual([null, null, null, null, null]);
    expect(["08:59", "08:59:59", "17:30:01", "17:31"].map(at)).toEqual(["time", "time", "time", "time"]);
  });

  it("is taken if it is on one of the days that today may be, and not by the bounds of two of them", () => {
    const next = { min: "today+1d", max: "today+1d" };
    const todays = ["2026-11-28", "2026-11-29"];
    const taken = (day: string) => isTaken(next, { date: day, time: null }, todays);
    expect(["2026-11-28", "2026-11-29", "2026-11-30", "2026-12-01"].map(taken)).toEqual([false, true, true, false]);
  });

  it("counts days and weekdays as a calendar does, in every year that can be written", () => {
    for (const day of [...edges, "0001-01-02", "0099-12-31", "9999-12-30"]) {
      expect(weekdayOf(day)).toBe(Temporal.PlainDate.from(day).dayOfWeek);
      expect(addDays(day, 1)).toBe(Temporal.PlainDate.from(day).add({ days: 1 }).toString());
    }
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_652_058 }), fc.integer({ min: -40_000, max: 40_000 }), (days, more) => {
        const day = Temporal.PlainDate.from("0001-01-01").add({ days });
        expect(weekdayOf(day.toString())).toBe(day.dayOfWeek);
        const limit = Math.min(Math.max(days + more, 0), 3_652_058) - days;
        expect(addDays(day.toString(), more)).toBe(day.add({ days: limit }).toString());
      }),
    );
    expect([addDays("0001-01-05", -36_600), addDays("9999-12-01", 36_600)]).toEqual(["0001-01-01", "9999-12-31"]);
  });
});

const withDate = (more: object) => quizDocument([page("p", [date("day", more)])]);
const problemsIn = (more: object) => {
  const checked = checkDocument(withDate(more));
  return checked.ok
    ? []
    : checked.problems.map(({ path, message }) => `${path.split(".").slice(4).join(".")}: ${message}`);
};

describe("the limits of a date in a document [quiz-documents.date-limits]", () => {
  it("are kept as they are given, left out and null too", () => {
    for (const more of [
      {},
      { min: null, max: null, weekdays: null, time_from: null, time_to: null },
      { min: "today-0d", max: "today+36600d", weekdays: [7, 1], time_from: "00:00", time_to: "00:00" },
      { min: "2026-11-29", max: "2026-11-29" },
      { min: "today", max: "2020-01-01" },
    ]) {
      const document = withDate(more);
      expect(checkDocument(document)).toEqual({ ok: true, document });
    }
  });

  it.each<[object, string]>([
    ...["2026-02-29", "tomorrow", "today+d", "today + 1d", "today+1w", "today+36601d", "Today", "", 5, ["today"]].map(
      (min): [object, string] => [{ min }, "min: must be a day"],
    ),
    ...[[], [0], [8], [1, 1], [1.5], ["1"], "1", { 1: true }].map((weekdays): [object, string] => [
      { weekdays },
      "weekdays: must be a list",
    ]),
    ...["9:00", "24:00", "09:00:00", "", 9].map((time_from): [object, string] => [
      { time_from },
      "time_from: must be a time",
    ]),
    [{ min: "2026-11-30", max: "2026-11-29" }, "min: is after the latest day"],
    [{ min: "today+2d", max: "today+1d" }, "min: is after the latest day"],
    [{ min: "today", max: "today-1d" }, "min: is after the latest day"],
    [{ time_from: "17:00", time_to: "09:00" }, "time_from: is after the latest time"],
    [{ step: 1 }, "step: is not a known field"],
  ])("are refused where they mean nothing: %j", (more, problem) => {
    expect(problemsIn(more)).toEqual([expect.stringContaining(problem)]);
  });

  it("are warned of where they leave no day, exactly as a walk through the days finds [quiz-documents.lint-questions]", () => {
    const ends = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: 0, max: 9 }));
    const some = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(ends, some, fc.boolean(), days, ([from, length], weekdays, isRelative, day) => {
        const written = (number: number) =>
          isRelative ? `today${number < 0 ? "-" : "+"}${Math.abs(number)}d` : addDays(day, number);
        const limited = { min: written(from), max: written(from + length), weekdays };
        const todays = isRelative ? [0, 1, 2, 3, 4, 5, 6].map((number) => addDays(day, number)) : [day];
        const isOften = todays.every((today) =>
          Array.from({ length: 20 }, (_, index) => addDays(today, index - 5)).some((each) =>
            isTaken(limited, { date: each, time: null }, [today]),
          ),
        );
        expect(noDayIn(limited) === null).toBe(isOften);
        const codes = lint(withDate(limited)).map(({ code }) => code);
        expect(codes.includes("no_day_allowed")).toBe(!isOften);
      }),
    );
  });
});
