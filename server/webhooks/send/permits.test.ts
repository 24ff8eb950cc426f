import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SendPermits } from "./permits.ts";

describe("permits for attempts [webhooks.fair-turns]", () => {
  it("are never more than there are, and a newcomer finds one however many endpoints hang", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 600 }),
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 1, max: 20 }),
        (total, perEndpoint, endpoints) => {
          const permits = new SendPermits({ total, perEndpoint, failing: 1 });
          let used = 0;
          for (let n = 0; n < endpoints; n += 1) {
            let underWay = 0;
            while (permits.room(underWay, false) > 0) {
              permits.acquire(false);
              underWay += 1;
              used += 1;
            }
            expect(underWay).toBeLessThanOrEqual(perEndpoint);
            expect(used).toBeLessThanOrEqual(total);
            // each takes at most as much as it leaves, or the last one
            expect(underWay <= Math.max(1, total - used + 1)).toBe(true);
          }
        },
      ),
    );
  });

  it("let those who wait try again when one is given back", () => {
    const permits = new SendPermits({ total: 2, perEndpoint: 2, failing: 1 });
    const tried: string[] = [];
    const give = permits.acquire(false);
    permits.acquire(false);
    expect(permits.room(0, false)).toBe(0);
    for (const id of ["a1", "a2", "b1"])
      permits.wait({ key: { storeId: id.slice(0, 1) }, proceed: () => void tried.push(id) });
    give();
    expect(tried).toEqual(["a1", "b1", "a2"]);
  });

  it("keep endpoints that fail from taking more than their part", () => {
    const permits = new SendPermits({ total: 10, perEndpoint: 5, failing: 2 });
    permits.acquire(true);
    expect(permits.room(1, true)).toBe(0);
    expect(permits.room(0, true)).toBe(1);
    permits.acquire(true);
    expect(permits.room(0, true)).toBe(0);
    expect(permits.room(0, false)).toBe(4);
  });
});
