import type pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Deadlines } from "../deadline.ts";
import { Connection } from "./connection.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection with two statements under way past their time, and how to answer them. */
async function pastItsTime() {
  const answers: (() => void)[] = [];
  const destroy = vi.fn();
  const query = () => new Promise((resolve) => answers.push(() => resolve({ rows: [] })));
  // a connection asks no more of the driver's client than this
  const client = { query, release: () => undefined, connection: { stream: { destroy } } } as unknown as pg.PoolClient;
  const host = { nameOf: () => undefined, cancel: async () => undefined };
  const deadline = new Deadlines(() => performance.now()).open(1_000);
  const connection = new Connection(client, deadline, host);
  const done = [connection.plain("SELECT 1"), connection.plain("SELECT 2")];
  await vi.advanceTimersByTimeAsync(1_100);
  return { answers, destroy, done };
}

describe("a connection whose statements, sent one behind the other, are past their time [api.request-time]", () => {
  it("is given up once when one of them is not answered in time, though the other is", async () => {
    const { answers, destroy, done } = await pastItsTime();
    answers[0]?.();
    await done[0];
    await vi.advanceTimersByTimeAsync(6_000);
    expect(destroy).toHaveBeenCalledTimes(1);
  });

  it("is not given up when both are answered", async () => {
    const { answers, destroy, done } = await pastItsTime();
    for (const answer of answers) answer();
    await Promise.all(done);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(destroy).not.toHaveBeenCalled();
  });
});
