import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { remaining, resetSeconds, retryAfterSeconds, windowSeconds } from "./bucket.ts";
import { rateLimitHeaders } from "./headers.ts";

const plus = { capacity: 72, leakPerSecond: 12 };

describe("rate-limit headers", () => {
  it("describe an empty, a partly filled and a full bucket [api.rate-headers]", () => {
    expect(rateLimitHeaders({ ...plus, level: 0 })).toEqual({
      RateLimit: "limit=72, remaining=72, reset=0",
      "RateLimit-Policy": "72;w=6",
    });
    expect(rateLimitHeaders({ ...plus, level: 1 }).RateLimit).toBe("limit=72, remaining=71, reset=1");
    expect(rateLimitHeaders({ ...plus, level: 12.5 }).RateLimit).toBe("limit=72, remaining=59, reset=2");
    expect(rateLimitHeaders({ ...plus, level: 72 }).RateLimit).toBe("limit=72, remaining=0, reset=6");
  });

  it("never show less than nothing remaining, above the capacity [api.rate-headers]", () => {
    expect(rateLimitHeaders({ ...plus, level: 73.5 }).RateLimit).toBe("limit=72, remaining=0, reset=7");
  });

  it("round the window up [api.rate-headers]", () => {
    expect(rateLimitHeaders({ capacity: 10, leakPerSecond: 3, level: 0 })["RateLimit-Policy"]).toBe("10;w=4");
  });

  it("do not jump on float dust [api.exact-limits]", () => {
    expect(remaining({ ...plus, level: 2.0000000001 })).toBe(70);
    expect(remaining({ ...plus, level: 1.9999999999 })).toBe(70);
    expect(resetSeconds({ ...plus, level: 12.0000000001 })).toBe(1);
    expect(resetSeconds({ capacity: 10, leakPerSecond: 0.1, level: 0.3 })).toBe(3);
    expect(windowSeconds({ capacity: 0.3, leakPerSecond: 0.1 })).toBe(3);
    expect(retryAfterSeconds({ ...plus, level: 83.0000000001 }, 1)).toBe(1);
  });

  it("Retry-After is what must leak, rounded up, at least 1 [api.retry-after]", () => {
    expect(retryAfterSeconds({ ...plus, level: 72 }, 6)).toBe(1);
    expect(retryAfterSeconds({ ...plus, level: 72 }, 12)).toBe(1);
    expect(retryAfterSeconds({ ...plus, level: 72 }, 13)).toBe(2);
    expect(retryAfterSeconds({ ...plus, level: 71.999999 }, 1)).toBe(1);
  });

  it("equal the exact fractions for any whole rule and level of millionths [api.exact-limits]", () => {
    const whole = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(
        whole,
        whole,
        fc.integer({ min: 0, max: 10 ** 11 }),
        whole,
        (capacity, leakPerSecond, micro, cost) => {
          const state = { capacity, leakPerSecond, level: micro / 1e6 };
          const [full, leak, level] = [
            BigInt(capacity) * 1_000_000n,
            BigInt(leakPerSecond) * 1_000_000n,
            BigInt(micro),
          ];
          const ceil = (a: bigint) => Number((a + leak - 1n) / leak);
          expect(remaining(state)).toBe(full > level ? Number((full - level) / 1_000_000n) : 0);
          expect(resetSeconds(state)).toBe(ceil(level));
          expect(windowSeconds(state)).toBe(ceil(full));
          const excess = level + BigInt(cost) * 1_000_000n - full;
          expect(retryAfterSeconds(state, cost)).toBe(excess > 0n ? ceil(excess) : 1);
        },
      ),
    );
  });
});
