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
