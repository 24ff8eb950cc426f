import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Deadlines } from "../../platform/deadline.ts";
import { Pace } from "./pace.ts";

describe("the pace of a build [exports.pace]", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const elapsed = () => Date.now();
  const limits = { snapshotMs: 600_000, batchRows: 250 };
  const paceOf = (pauseMs: number) => {
    const deadline = new Deadlines(elapsed).open(limits.snapshotMs);
    return new Pace({ pauseMs, limits, deadline, elapsed });
  };

  async function timeOf(rest: Promise<void>): Promise<number> {
    const begun = elapsed();
    const ended = rest.then(() => elapsed());
    await vi.advanceTimersByTimeAsync(60_000);
    return (await ended) - begun;
  }

  it("rests four times as long as a batch took, counted from the rest before, and the store's pause after a page", async () => {
    const pace = paceOf(50);
    expect(pace.batchRows).toBe(20);
    await vi.advanceTimersByTimeAsync(7);
    expect(await timeOf(pace.afterPage())).toBe(50);
    const next = paceOf(50);
    await vi.advanceTimersByTimeAsync(4);
    const resting = next.afterBatch();
    await vi.advanceTimersByTimeAsync(16);
    await resting;
    await vi.advanceTimersByTimeAsync(2);
    expect(await timeOf(next.afterBatch())).toBe(8);
  });

  it("rests a second at most for what was held up, and never into the half in which it makes haste", async () => {
    const pace = paceOf(50);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(await timeOf(pace.afterBatch())).toBe(1_000);
    const late = paceOf(10_000);
    await vi.advanceTimersByTimeAsync(limits.snapshotMs / 2 - 300);
    expect(await timeOf(late.afterPage())).toBe(300);
  });

  it("does not rest for a store whose pause is 0", async () => {
    const pace = paceOf(0);
    await vi.advanceTimersByTimeAsync(7);
    expect(pace.batchRows).toBe(250);
    expect(await timeOf(pace.afterBatch())).toBe(0);
    expect(await timeOf(pace.afterPage())).toBe(0);
  });

  it("makes haste when half of the snapshot's time is over", async () => {
    const pace = paceOf(50);
    await vi.advanceTimersByTimeAsync(limits.snapshotMs / 2 + 1);
    expect(pace.batchRows).toBe(250);
    expect(await timeOf(pace.afterBatch())).toBe(0);
    expect(await timeOf(pace.afterPage())).toBe(0);
  });
});
