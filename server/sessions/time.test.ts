import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { correctTime } from "./time.ts";

const hour = 3_600_000;
const serverNow = Date.parse("2026-03-01T12:00:00.000Z");

describe("correctTime", () => {
  it("moves `at` by the difference between `sent_at` and the server's clock (storefront 2)", () => {
    const sentAt = serverNow + 5 * hour;
    expect(correctTime({ at: sentAt - 90_000, sentAt, serverNow, firstTime: null })).toBe(serverNow - 90_000);
  });

  it("is never in the future (storefront 2)", () => {
    expect(correctTime({ at: serverNow + 1, sentAt: serverNow, serverNow, firstTime: null })).toBe(serverNow);
  });

  it("is never before the session's first event minus an hour (storefront 2)", () => {
    const firstTime = serverNow - 60_000;
    expect(correctTime({ at: serverNow - 9 * hour, sentAt: serverNow, serverNow, firstTime })).toBe(firstTime - hour);
  });

  it("stays between both bounds for any clock, and keeps the order within a batch (storefront 2)", () => {
    const stamp = fc.integer({ min: 0, max: 4_000_000_000_000 });
    fc.assert(
      fc.property(stamp, stamp, stamp, fc.nat(1_000_000_000), (at, later, sentAt, age) => {
        const firstTime = serverNow - age;
        const [one, two] = [Math.min(at, later), Math.max(at, later)].map((reading) =>
          correctTime({ at: reading, sentAt, serverNow, firstTime }),
        );
        expect(one).toBeGreaterThanOrEqual(firstTime - hour);
        expect(two).toBeLessThanOrEqual(serverNow);
        expect(one).toBeLessThanOrEqual(two ?? 0);
      }),
    );
  });
});
