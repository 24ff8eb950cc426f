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
  const stream = { destroy, cork: () => undefined, uncork: () => undefined };
  const query = () => new Promise((resolve) => answers.push(() => resolve({ rows: [] })));
  // a connection asks no more of the driver's client than this
  const client = { query, release: () => undefined, connection: { stream } } as unknown as pg.PoolClient;
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

describe("statements of one connection", () => {
  it("that are sent in one turn of the event loop are written together, those of the next turn in a write of their own", async () => {
    const seen: string[] = [];
    const stream = { cork: () => seen.push("gather"), uncork: () => seen.push("write") };
    const query = async ({ text }: { text: string }) => {
      seen.push(text);
      return { rows: [] };
    };
    // as above: the rest of a client is not asked for
    const client = { query, release: () => undefined, connection: { stream } } as unknown as pg.PoolClient;
    const host = { nameOf: () => undefined, cancel: async () => undefined };
    const connection = new Connection(client, new Deadlines(() => performance.now()).open(1_000), host);
    await Promise.all([connection.plain("one"), connection.plain("two")]);
    await connection.plain("three");
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(seen.slice(0, 3)).toEqual(["gather", "one", "two"]);
    expect(seen.filter((step) => step === "gather")).toHaveLength(seen.filter((step) => step === "write").length);
    expect(seen.indexOf("write")).toBeGreaterThan(seen.indexOf("two"));
  });
});
