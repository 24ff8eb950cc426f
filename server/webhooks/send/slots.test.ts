import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Rota, SendSlots, TurnQueue, type Waiter } from "./slots.ts";

const waiter = (storeId: string, id: string, proceed: () => void = () => undefined): Waiter => ({
  key: { storeId, id },
  proceed,
});

describe("turns of stores and endpoints [webhooks.fair-turns]", () => {
  it("go round the stores, and within a store round its endpoints", () => {
    const rota = new Rota();
    for (const id of ["a1", "a2", "a3", "b1", "c1", "c2"]) rota.add(waiter(id.slice(0, 1), id));
    const order: string[] = [];
    for (let next = rota.next(); next; next = rota.next()) order.push(next.key.id);
    expect(order).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
    expect(rota.size).toBe(0);
  });

  it("are so many at once, and each comes", async () => {
    const queue = new TurnQueue(3);
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      if (most % 2 === 0) throw new Error("a turn may fail");
    };
    const turns = Array.from({ length: 40 }, (_, n) => queue.run({ storeId: `${n % 7}`, id: `${n}` }, work));
    expect(await Promise.allSettled(turns)).toHaveLength(40);
    expect(most).toBe(3);
  });
});

describe("slots for attempts [webhooks.fair-turns]", () => {
  it("are never more than there are, and a newcomer finds one however many endpoints hang", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 600 }),
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 1, max: 20 }),
        (total, perEndpoint, endpoints) => {
          const slots = new SendSlots({ total, perEndpoint, failing: 1 });
          let used = 0;
          for (let n = 0; n < endpoints; n += 1) {
            let flying = 0;
            while (slots.room(flying, false) > 0) {
              slots.take(false);
              flying += 1;
              used += 1;
            }
            expect(flying).toBeLessThanOrEqual(perEndpoint);
            expect(used).toBeLessThanOrEqual(total);
            // each takes at most as much as it leaves, or the last one
            expect(flying <= Math.max(1, total - used + 1)).toBe(true);
          }
        },
      ),
    );
  });

  it("let those who wait try again when one is given back", () => {
    const slots = new SendSlots({ total: 2, perEndpoint: 2, failing: 1 });
    const tried: string[] = [];
    const give = slots.take(false);
    slots.take(false);
    expect(slots.room(0, false)).toBe(0);
    for (const id of ["a1", "a2", "b1"]) slots.wait(waiter(id.slice(0, 1), id, () => void tried.push(id)));
    give();
    expect(tried).toEqual(["a1", "b1", "a2"]);
  });

  it("keep endpoints that fail from taking more than their part", () => {
    const slots = new SendSlots({ total: 10, perEndpoint: 5, failing: 2 });
    slots.take(true);
    expect(slots.room(1, true)).toBe(0);
    expect(slots.room(0, true)).toBe(1);
    slots.take(true);
    expect(slots.room(0, true)).toBe(0);
    expect(slots.room(0, false)).toBe(4);
  });
});
