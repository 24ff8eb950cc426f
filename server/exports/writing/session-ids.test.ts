import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { SessionIds } from "./session-ids.ts";

it.each([0, 1, 255, 256, 257, 1_000])("%i ids come back in their order, in pages of any size", (count) => {
  const wanted = Array.from({ length: count }, () => randomUUID());
  const ids = new SessionIds();
  for (const id of wanted) ids.add(id);
  for (const size of [1, 7, 256, 5_000]) {
    const pages = [...ids.pages(size)];
    expect(pages.flat()).toEqual(wanted);
    expect(pages.map((page) => page.length > 0 && page.length <= size)).toEqual(pages.map(() => true));
  }
});
