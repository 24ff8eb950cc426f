import { describe, expect, it } from "vitest";
import { MemoryLimiter } from "./memory.ts";

const key = { capacity: 72, leakPerSecond: 12 };
const store = { capacity: 216, leakPerSecond: 36 };

describe("limiter in memory", () => {
  it("drops empty buckets as it goes, so that passers-by do not fill the memory [storefront.memory]", async () => {
    let now = 0;
    const limiter = new MemoryLimiter(() => now);
    let most = 0;
    // 1,000 new names a second, each empty again after a second: about 1,000 live at any moment.
    for (let visitor = 0; visitor < 100_000; visitor++) {
      now += 1;
      await limiter.chargeBucket({ name: `visitor ${visitor}`, rule: { capacity: 5, leakPerSecond: 1 }, cost: 1 });
      most = Math.max(most, limiter.bucketCount);
    }
    expect(most).toBeLessThan(4_000);
  });

  it("never drops a bucket that still holds something [api.rate-limits]", async () => {
    let now = 0;
    const limiter = new MemoryLimiter(() => now);
    await limiter.admit({ storeId: "s", keyId: "k", key: { capacity: 72, leakPerSecond: 0.001 }, store, cost: 72 });
    for (let other = 0; other < 10_000; other++) {
      now += 1;
      await limiter.admit({ storeId: `s${other}`, keyId: "k", key, store, cost: 1 });
    }
    const answer = await limiter.admit({
      storeId: "s",
      keyId: "k",
      key: { capacity: 72, leakPerSecond: 0.001 },
      store,
      cost: 1,
    });
    expect(answer).toMatchObject({ admitted: false, rejectedBy: "key" });
  });
});
