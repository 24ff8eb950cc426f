import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attemptsAtMost, type Failure, nextAttemptAt, pausedUntil, readRetryAfter } from "./schedule.ts";

const hour = 3_600_000;
const waits = [5_000, 300_000, 1_800_000, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
const start = Date.parse("2026-03-10T12:00:00.000Z");

const failure = (given: Partial<Failure> = {}): Failure => ({
  attempts: 1,
  now: start,
  chance: 0.5,
  retryAfterMs: null,
  afterReal: (milliseconds) => start + milliseconds,
  ...given,
});

describe("the schedule of attempts [webhooks.schedule]", () => {
  it("makes 8 attempts, each wait within a fifth of the schedule's", () => {
    expect(attemptsAtMost).toBe(8);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, chance) => {
        const wait = (nextAttemptAt(failure({ attempts, chance })) ?? 0) - start;
        const scheduled = waits[attempts - 1] ?? 0;
        expect(wait).toBeGreaterThanOrEqual(Math.floor(scheduled * 0.8));
        expect(wait).toBeLessThanOrEqual(Math.ceil(scheduled * 1.2));
      }),
    );
    for (const attempts of [8, 9, 100]) expect(nextAttemptAt(failure({ attempts }))).toBeNull();
  });

  it("never comes before the schedule, nor more than two hours after it, whatever Retry-After says", () => {
    const asked = fc.option(fc.integer({ min: 0, max: 400 * hour }), { nil: null });
    const chance = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), chance, asked, (attempts, luck, retryAfterMs) => {
        const scheduled = nextAttemptAt(failure({ attempts, chance: luck })) ?? 0;
        const next = nextAttemptAt(failure({ attempts, chance: luck, retryAfterMs })) ?? 0;
        expect(next).toBeGreaterThanOrEqual(scheduled);
        expect(next - scheduled).toBeLessThanOrEqual(2 * hour);
        if (retryAfterMs !== null && retryAfterMs <= 2 * hour)
          expect(next).toBeGreaterThanOrEqual(start + retryAfterMs);
      }),
    );
  });

  it("pauses an endpoint for what the receiver asks, not for the long waits of one late delivery", () => {
    expect(pausedUntil(failure({ attempts: 7 }))).toBe(start + 5_000);
    expect(pausedUntil(failure({ attempts: 7, retryAfterMs: 60_000 }))).toBe(start + 60_000);
    expect(pausedUntil(failure({ retryAfterMs: 1_000 }))).toBe(start + 5_000);
    expect(pausedUntil(failure({ retryAfterMs: 9 * hour }))).toBe(start + 5_000 + 2 * hour);
  });

  it("keeps a receiver's seconds real while the calendar runs faster", () => {
    const afterReal = (milliseconds: number) => start + 60 * milliseconds;
    expect(nextAttemptAt(failure({ retryAfterMs: 10_000, afterReal }))).toBe(start + 600_000);
    expect(nextAttemptAt(failure({ retryAfterMs: 1, afterReal }))).toBe(start + 5_000);
  });
});

describe("Retry-After [webhooks.retry-after]", () => {
  const now = Date.parse("2026-03-10T12:00:00.000Z");

  it.each([
    ["0", 0],
    ["120", 120_000],
    [" 7 ", 7_000],
    ["Tue, 10 Mar 2026 12:01:00 GMT", 60_000],
    ["Tuesday, 10-Mar-26 12:01:00 GMT", 60_000],
    ["Tue Mar 10 12:01:00 2026", 60_000],
    ["Tue, 10 Mar 2026 11:00:00 GMT", 0],
  ])("reads %j", (header, milliseconds) => expect(readRetryAfter(header, now)).toBe(milliseconds));

  it.each([undefined, "", "soon", "-5", "1.5", "1e3", "0x10", "9999999999", "2026-03-10", "Tue"])(
    "takes no notice of %j",
    (header) => expect(readRetryAfter(header, now)).toBeNull(),
  );
});
