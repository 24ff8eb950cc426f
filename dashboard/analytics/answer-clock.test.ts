import { describe, expect, it } from "vitest";
import type { Freshness } from "../../client/src/index.ts";
import { AnswerClock } from "./answer-clock.ts";

/** The server's clock beside the page's, whose zero is some other moment. */
const server = Date.parse("2026-03-10T12:00:00.000Z");
const page = 70_000;

const freshness = (madeAfter: number, more: Partial<Freshness> = {}): Freshness => ({
  as_of: new Date(server + madeAfter).toISOString(),
  closed_days_through: "2026-03-09",
  next_refresh_at: new Date(server + madeAfter + 5_000).toISOString(),
  pending: false,
  stale: false,
  today_live: true,
  ...more,
});

describe("asking again", () => {
  it("waits for what is made, and does not ask for what cannot change [dashboard-figures.freshness]", () => {
    const clock = new AnswerClock();
    const asking = { live: true, receivedAt: page, now: page };
    expect(clock.askAgainAfter(freshness(0, { pending: true }), asking)).toBe(2_000);
    expect(clock.askAgainAfter(freshness(0, { stale: true }), asking)).toBe(700);
    expect(clock.askAgainAfter(freshness(0, { today_live: false }), asking)).toBe(false);
    expect(clock.askAgainAfter(freshness(0), { ...asking, live: false })).toBe(15_000);
  });

  it("is done each second until it is known when figures are made, then when they are due [dashboard-figures.live]", () => {
    const clock = new AnswerClock();
    const wait = (answer: Freshness, receivedAt: number, now = receivedAt) =>
      clock.askAgainAfter(answer, { live: true, receivedAt, now });
    // made for somebody else three seconds before
    expect(wait(freshness(0), page + 3_000)).toBe(1_000);
    // made for this page, and 40 ms on its way
    clock.tell(freshness(5_400), page + 5_440);
    expect(wait(freshness(5_400), page + 5_440)).toBe(4_800);
    // made for somebody else, two seconds before it came here
    expect(wait(freshness(10_500), page + 12_540)).toBe(2_800);
    // due, and not there yet; and still not there
    expect(wait(freshness(10_500), page + 12_540, page + 15_600)).toBe(250);
    expect(wait(freshness(10_500), page + 12_540, page + 16_600)).toBe(1_000);
  });

  it("never waits longer than an answer is kept, whatever the server's clock does [dashboard-figures.live]", () => {
    const clock = new AnswerClock();
    clock.tell(freshness(0), page);
    // its clock runs ten times as fast
    const fast = freshness(50_000, { next_refresh_at: new Date(server + 100_000).toISOString() });
    clock.tell(fast, page + 5_000);
    expect(clock.askAgainAfter(fast, { live: true, receivedAt: page + 5_000, now: page + 5_000 })).toBe(4_800);
    // an older answer than the one before says nothing
    clock.tell(freshness(0, { stale: true }), page);
    expect(clock.askAgainAfter(fast, { live: true, receivedAt: page + 5_000, now: page + 9_900 })).toBe(250);
  });
});
