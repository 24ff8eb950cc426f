import { beforeEach, describe, expect, it } from "vitest";
import { noDeadline } from "./deadline.ts";
import { ReadCache } from "./read-cache.ts";

let now = 0;
let reads = 0;
let due: PromiseWithResolvers<string>;
let known: ReadCache<string>;
beforeEach(() => {
  now = 0;
  reads = 0;
  due = Promise.withResolvers();
  known = new ReadCache({ elapsed: () => now, rememberedMs: 5_000, atMost: 2 });
});
const find = (key = "a") =>
  known.find(key, noDeadline, () => {
    reads += 1;
    return due.promise;
  });

describe("what was read", () => {
  it("is remembered for a while from when its read began, and shared by all who ask meanwhile", async () => {
    const [first, second] = [find(), find()];
    now = 1_000;
    due.resolve("read");
    expect([await first, await second, reads]).toEqual(["read", "read", 1]);
    now = 4_999;
    expect([await find(), reads]).toEqual(["read", 1]);
    now = 5_000;
    expect([await find(), reads]).toEqual(["read", 2]);
  });

  it("is not remembered past a change that was made while it was read, nor shared with who asks after that", async () => {
    const before = find();
    const old = due;
    due = Promise.withResolvers();
    known.invalidate();
    const after = find();
    old.resolve("before the change");
    due.resolve("after the change");
    expect([await before, await after, reads]).toEqual(["before the change", "after the change", 2]);
    expect([await find(), reads]).toEqual(["after the change", 2]);
  });

  it("takes no more room than it may: what was used last stays", async () => {
    due.resolve("read");
    for (const key of ["a", "b", "a", "c"]) await find(key);
    expect(["a", "b", "c"].map((key) => known.peek(key))).toEqual(["read", undefined, "read"]);
  });
});
