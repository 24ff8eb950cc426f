import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import type { ShopperEvent } from "../../contract/storefront.ts";
import { compileQuiz } from "../../engine/compile-quiz.ts";
import { date, page, quizDocument } from "../../testkit/document-parts.ts";
import { eventId } from "../../testkit/histories.ts";
import { checkDate } from "./check.ts";

const quizzes = new Map(
  ["today", "today+1d", "today-1d", "today+40d"].map((bound) => [
    bound,
    compileQuiz(quizDocument([page("p", [date("when", { min: bound, max: bound }), date("any")])])),
  ]),
);

const answered = (at: number, value: unknown, component_key = "when"): ShopperEvent => {
  const shared = { id: eventId(1), seq: 1, at: new Date(at).toISOString() };
  return { ...shared, type: "answer_saved", page_key: "p", component_key, value } as ShopperEvent;
};

const taken = (bound: string, at: number, value: unknown, zone: string | null) =>
  checkDate(quizzes.get(bound)!, answered(at, value), zone) === null;

/** Zones with half hours, with clocks that change, and on both sides of the date line. */
const zones = [
  ...["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu"],
  ...["Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo", "Asia/Tehran", "Pacific/Apia", "America/New_York"],
];
/** Moments around changes of clocks, the skipped 30 December 2011 of Samoa, leap days and ends of years. */
const moments = fc
  .tuple(
    fc.constantFrom(
      ...["2026-03-29T01:00Z", "2026-10-25T01:00Z", "2026-11-01T06:00Z", "2011-12-30T10:00Z", "2024-02-29T00:00Z"],
      ...["2026-12-31T23:59:59Z", "2018-11-04T03:00Z", "2026-04-04T15:00Z", "2026-11-29T11:00Z"],
    ),
    fc.integer({ min: -36 * 60, max: 36 * 60 }),
  )
  .map(([moment, minutes]) => Date.parse(moment) + minutes * 60_000);
const offsets: readonly [string, number][] = [
  ["today", 0],
  ["today+1d", 1],
  ["today-1d", -1],
  ["today+40d", 40],
];

describe("the day of an answer [storefront.date-limits]", () => {
  it("is judged by the day that it was in the session's zone, whatever its clocks do", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        moments,
        fc.constantFrom(...offsets),
        fc.integer({ min: -2, max: 2 }),
        (zone, at, [bound, days], off) => {
          const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
          const day = today.add({ days: days + off }).toString();
          expect(taken(bound, at, day, zone)).toBe(off === 0);
        },
      ),
    );
  });

  it("is taken without a zone if it is that day anywhere from UTC-12 to UTC+14", () => {
    fc.assert(
      fc.property(moments, fc.constantFrom(...offsets), fc.integer({ min: -3, max: 3 }), (at, [bound, days], off) => {
        const day = Temporal.Instant.fromEpochMilliseconds(at)
          .toZonedDateTimeISO("UTC")
          .toPlainDate()
          .add({ days: off });
        const isSomewhere = Array.from({ length: 26 * 4 + 1 }, (_, quarter) => quarter * 15 - 12 * 60).some(
          (minutes) => {
            const local = Temporal.Instant.fromEpochMilliseconds(at + minutes * 60_000).toZonedDateTimeISO("UTC");
            return local.toPlainDate().equals(day);
          },
        );
        expect(taken(bound, at, day.add({ days }).toString(), null)).toBe(isSomewhere);
      }),
    );
  });

  it("is not judged where it is cleared, or its question takes every day", () => {
    const at = Date.parse("2026-11-29T12:00Z");
    expect(taken("today", at, null, "UTC")).toBe(true);
    expect(taken("today", at, "", "UTC")).toBe(true);
    expect(checkDate(quizzes.get("today")!, answered(at, "1999-01-01", "any"), "UTC")).toBeNull();
    expect(checkDate(quizzes.get("today")!, answered(at, "1999-01-01", "gone"), "UTC")).toBeNull();
  });

  it("does not fail at the ends of the years that a browser may send", () => {
    for (const [at, day] of [
      ["0001-01-01T00:00:00Z", "0001-01-01"],
      ["9999-12-31T23:59:59Z", "9999-12-31"],
    ] as const) {
      for (const zone of [null, "Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
        expect([day, zone, typeof taken("today", Date.parse(at), day, zone)]).toEqual([day, zone, "boolean"]);
      }
    }
  });
});
