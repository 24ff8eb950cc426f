import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom, uuid } from "./random.ts";

const take = (seed: string | number, count: number) => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => random.next());
};

describe("seeded random numbers", () => {
  it("repeats itself for a seed and differs between seeds", () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        expect(take(seed, 20)).toEqual(take(seed, 20));
      }),
    );
    const firsts = Array.from({ length: 2000 }, (_, seed) => take(seed, 1)[0]);
    expect(new Set(firsts).size).toBe(2000);
  });

  it("is even over its range, and over the first numbers of neighbouring seeds", () => {
    for (const numbers of [
      take("even", 20_000),
      Array.from({ length: 20_000 }, (_, seed) => take(`x/${seed}`, 1)[0] ?? 0),
    ]) {
      const tenths = new Array<number>(10).fill(0);
      for (const number of numbers) tenths[Math.floor(number * 10)]! += 1;
      for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(200);
    }
  });

  it("keeps to the bounds of its helpers", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: -50, max: 50 }), fc.nat(100), (seed, min, span) => {
        const random = createRandom(seed);
        for (let round = 0; round < 20; round++) {
          const drawn = random.int(min, min + span);
          expect(Number.isInteger(drawn) && drawn >= min && drawn <= min + span).toBe(true);
          expect(random.weighted([0, 1, 2], (item) => (item === 1 ? 0 : 1))).not.toBe(1);
          expect(Number.isFinite(random.logNormal(3, 1))).toBe(true);
        }
      }),
    );
    expect(() => createRandom(1).pick([])).toThrow(RangeError);
  });

  it("forks by label, whatever was drawn before", () => {
    const [fresh, used] = [createRandom("seed"), createRandom("seed")];
    used.next();
    expect(used.fork("a").hex(32)).toBe(fresh.fork("a").hex(32));
    expect(fresh.fork("a").hex(32)).not.toBe(fresh.fork("b").hex(32));
    expect(uuid(fresh)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
