import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SendRate } from "./send-rate.ts";

/** Sends as fast as the pace lets go; `transit` is what each takes from its start until it is on its way. */
function simulate(perSecond: number, transit: (send: number) => number, forMs: number) {
  let now = 0;
  const pace = new SendRate(perSecond, () => now);
  const arrivals: number[] = [];
  const events: { at: number; run: () => void }[] = [];
  while (now < forMs) {
    const wait = pace.wait();
    const [next] = events.toSorted((a, b) => a.at - b.at);
    if (wait <= 0) {
      const paced = pace.start();
      const at = now + transit(arrivals.length);
      arrivals.push(at);
      events.push({ at, run: () => paced.sent() });
    } else if (next && next.at <= now + wait) {
      now = next.at;
      next.run();
      events.splice(events.indexOf(next), 1);
    } else {
      now += wait;
    }
  }
  return arrivals.sort((a, b) => a - b);
}

const mostInASecond = (times: readonly number[]): number =>
  times.reduce((most, start, i) => {
    let end = i;
    while (end < times.length && (times[end] ?? 0) < start + 1_000) end += 1;
    return Math.max(most, end - i);
  }, 0);

describe("pace [webhooks.pace]", () => {
  it("never has more than the rate arrive in any second, however unevenly connections come about", () => {
    const transits = fc.array(fc.double({ min: 0, max: 3_000, noNaN: true }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), transits, (perSecond, taken) => {
        const arrivals = simulate(perSecond, (send) => taken[send % taken.length] ?? 0, 5_000);
        expect(mostInASecond(arrivals)).toBeLessThanOrEqual(perSecond);
      }),
      { numRuns: 60 },
    );
  });

  it.each([1, 2, 10, 50, 200, 1_000])("reaches 95 percent of %i a second", (perSecond) => {
    const arrivals = simulate(perSecond, () => 0, 10_000);
    expect(arrivals.length).toBeGreaterThanOrEqual(Math.floor(perSecond * 10 * 0.945));
    expect(mostInASecond(arrivals)).toBeLessThanOrEqual(perSecond);
  });

  it("spreads what it sends: a receiver that stalls for 150 ms sees at most a quarter too much", () => {
    const arrivals = simulate(50, () => 0, 5_000).map((at) => (at % 1_000 < 150 ? at - (at % 1_000) + 150 : at));
    expect(mostInASecond(arrivals)).toBeLessThanOrEqual(63);
  });

  it("lets a send that never went out go", () => {
    let now = 0;
    const pace = new SendRate(1, () => now);
    pace.start().ended();
    now += 1_000;
    expect(pace.wait()).toBe(0);
    const paced = pace.start();
    now += 60_000;
    expect(pace.wait()).toBe(Number.POSITIVE_INFINITY);
    paced.sent();
    expect(pace.wait()).toBeGreaterThan(1_000);
  });
});
