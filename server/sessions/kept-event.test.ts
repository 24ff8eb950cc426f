import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { correctTime, countedTime } from "./kept-event.ts";

const hour = 3_600_000;
const serverNow = Date.parse("2026-03-01T12:00:00.000Z");

describe("correctTime", () => {
  it("moves `at` by the difference between `sent_at` and the server's clock [time.corrected]", () => {
    const sentAt = serverNow + 5 * hour;
    expect(correctTime({ at: sentAt - 90_000, sentAt, serverNow })).toBe(serverNow - 90_000);
  });

  it("is never in the future [time.corrected]", () => {
    expect(correctTime({ at: serverNow + 1, sentAt: serverNow, serverNow })).toBe(serverNow);
  });

  it("stays below its bound for any clock, and keeps the order within a batch [time.corrected]", () => {
    const stamp = fc.integer({ min: 0, max: 4_000_000_000_000 });
    fc.assert(
      fc.property(stamp, stamp, stamp, (at, later, sentAt) => {
        const [one, two] = [Math.min(at, later), Math.max(at, later)].map((reading) =>
          correctTime({ at: reading, sentAt, serverNow }),
        );
        expect(two).toBeLessThanOrEqual(serverNow);
        expect(one).toBeLessThanOrEqual(two ?? 0);
      }),
    );
  });
});

describe("countedTime", () => {
  it("is never before the session's first event minus an hour, but for history [time.event-bounds]", () => {
    expect(countedTime({ time: serverNow - 9 * hour }, serverNow)).toBe(serverNow - hour);
    expect(countedTime({ time: serverNow - hour + 1 }, serverNow)).toBe(serverNow - hour + 1);
    expect(countedTime({ time: serverNow - 9 * hour, own_time: true }, serverNow)).toBe(serverNow - 9 * hour);
    expect(countedTime({ time: serverNow }, null)).toBe(serverNow);
  });
});
