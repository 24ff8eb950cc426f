import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnderWay } from "./under-way.ts";

describe("requests under way", () => {
  it("are waited for as they were when the server began to stop, not those that came later [operations.stop]", async () => {
    const underWay = new UnderWay();
    const [first, second] = [underWay.enter(), underWay.enter()];
    let drained = false;
    const draining = underWay.drain().then(() => {
      drained = true;
    });
    expect(underWay.draining).toBe(true);
    underWay.enter();
    first();
    await Promise.resolve();
    expect([drained, underWay.count]).toEqual([false, 2]);
    second();
    await draining;
    expect([drained, underWay.count]).toEqual([true, 1]);
  });

  it("count and drain as a plain set of them does", async () => {
    const move = fc.oneof(
      fc.constant("enter" as const),
      fc.constant("drain" as const),
      fc.nat(20).map((leave) => ({ leave })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 60 }), async (moves) => {
        const underWay = new UnderWay();
        const open: { leave: () => void }[] = [];
        const drains: { waitsFor: Set<object>; over: boolean }[] = [];
        for (const each of moves) {
          if (each === "enter") open.push({ leave: underWay.enter() });
          else if (each === "drain") {
            const drain = { waitsFor: new Set<object>(open), over: false };
            drains.push(drain);
            void underWay.drain().then(() => {
              drain.over = true;
            });
          } else {
            const [gone] = open.splice(each.leave % Math.max(1, open.length), 1);
            gone?.leave();
            for (const { waitsFor } of drains) if (gone) waitsFor.delete(gone);
          }
          await Promise.resolve();
          expect(underWay.count).toBe(open.length);
        }
        await new Promise((resolve) => setImmediate(resolve));
        // a later drain waits for its own group only: what came before it is somebody else's to wait for
        for (const { waitsFor, over } of drains.slice(0, 1)) expect(over).toBe(waitsFor.size === 0);
      }),
      { numRuns: 200 },
    );
  });
});
