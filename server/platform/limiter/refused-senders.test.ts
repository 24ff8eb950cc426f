import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { noDeadline } from "../deadline.ts";
import { RefusedSenders } from "./refused-senders.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const opened = () => new RefusedSenders(() => Date.now());

/** Enters with that many requests; returns the order in which they got a place, with the time of each. */
function enterAll(senders: RefusedSenders, address: string, requests: number, takingMs: number) {
  const began = Date.now();
  const entered: [request: number, ms: number][] = [];
  for (let request = 0; request < requests; request += 1) {
    void senders.enter(address, noDeadline)?.then((permit) => {
      entered.push([request, Date.now() - began]);
      setTimeout(() => permit?.release(), takingMs);
    });
  }
  return entered;
}

describe("an address that was refused for sending too much [api.refused-senders]", () => {
  it("needs no place before that, nor ten seconds later", async () => {
    const senders = opened();
    expect(senders.enter("a", noDeadline)).toBeNull();
    senders.note("a");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(senders.enter("a", noDeadline)).not.toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(senders.enter("a", noDeadline)).toBeNull();
  });

  it("has one request processed at a time, in order, and then none for three times as long", async () => {
    const senders = opened();
    senders.note("a");
    const entered = enterAll(senders, "a", 4, 20);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(entered).toEqual([0, 1, 2, 3].map((request) => [request, request * 80]));
  });

  it("keeps no other address waiting, whether that one was refused or not", async () => {
    const senders = opened();
    senders.note("a");
    senders.note("b");
    enterAll(senders, "a", 10, 20);
    const others = enterAll(senders, "b", 1, 20);
    await vi.advanceTimersByTimeAsync(0);
    expect(others).toEqual([[0, 0]]);
    expect(senders.enter("c", noDeadline)).toBeNull();
  });

  it("waits for a request that takes long for a quarter of a second only", async () => {
    const senders = opened();
    senders.note("a");
    const entered = enterAll(senders, "a", 2, 60_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(entered).toEqual([
      [0, 0],
      [1, 1_000],
    ]);
  });

  it("has a request refused that found no place within five seconds", async () => {
    const senders = opened();
    senders.note("a");
    const found: unknown[] = [];
    for (let request = 0; request < 7; request += 1) {
      void senders.enter("a", noDeadline)?.then((permit) => found.push(permit === null ? "refused" : "taken"));
    }
    await vi.advanceTimersByTimeAsync(5_000);
    expect(found).toEqual([...Array<string>(5).fill("taken"), "refused", "refused"]);
  });
});
