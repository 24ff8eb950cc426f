import { expect, it } from "vitest";
import { LeastRecentlyUsed } from "./least-recently-used.ts";

it("forgets what was not asked for longest when there are more than it may hold", () => {
  const map = new LeastRecentlyUsed<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect(map.get("a")).toBe(1);
  map.set("c", 3);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([1, undefined, 3]);
});

it("counts the sizes of its values, of a replaced and a deleted one no longer", () => {
  const map = new LeastRecentlyUsed<string>(5, (text) => text.length);
  map.set("a", "four");
  map.set("a", "two");
  map.set("b", "x");
  expect(map.size).toBe(4);
  map.set("c", "yyy");
  expect([map.size, map.get("a"), map.get("b")]).toEqual([4, undefined, "x"]);
  map.delete("b");
  expect(map.size).toBe(3);
  map.set("d", "too long");
  expect([map.size, map.get("d")]).toEqual([0, undefined]);
  map.clear();
  expect(map.size).toBe(0);
});

it("grows while what was asked for longest ago may not be forgotten", () => {
  const busy = new Set(["a"]);
  const map = new LeastRecentlyUsed<string>(
    2,
    () => 1,
    (value) => !busy.has(value),
  );
  for (const key of ["a", "b", "c"]) map.set(key, key);
  expect(map.keys()).toEqual(["a", "b", "c"]);
  busy.clear();
  map.set("d", "d");
  expect(map.keys()).toEqual(["c", "d"]);
});

it("keeps the order of use, whatever is taken out, asked for or replaced", () => {
  const map = new LeastRecentlyUsed<number>(4);
  for (const [value, key] of ["a", "b", "c", "d"].entries()) map.set(key, value);
  map.get("d");
  map.get("b");
  map.set("a", 4);
  map.delete("d");
  expect(map.keys()).toEqual(["c", "b", "a"]);
  map.delete("a");
  map.delete("c");
  expect([map.keys(), map.get("b"), map.get("a")]).toEqual([["b"], 1, undefined]);
  map.clear();
  map.set("e", 5);
  expect(map.keys()).toEqual(["e"]);
});

it("finds two entries that are asked for again and again as quickly as any other", () => {
  const map = new LeastRecentlyUsed<number>(10_000);
  const keys = Array.from({ length: 10_000 }, (_, index) => `key ${index}`);
  for (const [index, key] of keys.entries()) map.set(key, index);
  const usedMs = (asked: readonly string[]): number => {
    const before = process.cpuUsage();
    for (let turn = 0; turn < 5; turn += 1) for (const key of asked) map.get(key);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  usedMs(keys);
  const all = usedMs(keys);
  const two = usedMs(keys.map((_, index) => `key ${index % 2}`));
  expect(two).toBeLessThan(20 * all + 20);
});
