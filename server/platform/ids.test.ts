import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatId, parseId, pooled, requestIds, uuidAt, uuidBytes, uuidFromBytes } from "./ids.ts";

describe("ids [api.ids]", () => {
  it("go to the public form and back", () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect(formatId("quiz", uuid)).toMatch(/^quiz_[0-9a-f]{32}$/);
        expect(parseId("quiz", formatId("quiz", uuid))).toBe(uuid);
        expect(uuidFromBytes(uuidBytes(uuid))).toBe(uuid);
      }),
    );
  });

  it.for([
    "",
    "quiz_",
    `quiz_${"a".repeat(31)}`,
    `quiz_${"a".repeat(33)}`,
    `quiz_${"A".repeat(32)}`,
    `quiz_${"g".repeat(32)}`,
    `QUIZ_${"a".repeat(32)}`,
    `quiz-${"a".repeat(32)}`,
    `ver_${"a".repeat(32)}`,
    ` quiz_${"a".repeat(32)}`,
    `quiz_${"a".repeat(32)}\n`,
    `quiz_${"a".repeat(31)}\u0430`,
    "a".repeat(32),
    "quiz_aaaaaaaa-aaaa-7aaa-8aaa-aaaaaaaaaaaa",
  ])("refuse %o as a quiz's", (text) => {
    expect(parseId("quiz", text)).toBeNull();
  });

  it("are UUIDs of version 7 that sort by time", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 2 }), (at) => {
        const uuid = uuidAt(at, randomBytes);
        expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)).toBe(at);
        expect(uuid < uuidAt(at + 1, randomBytes)).toBe(true);
      }),
    );
  });

  it("are made of bytes that are drawn many at once, each given out once [api.request-ids]", () => {
    const drawn: Buffer[] = [];
    const draw = pooled((size) => {
      const bytes = randomBytes(size);
      drawn.push(bytes);
      return bytes;
    });
    const given = [16, 4_000, 100, 5_000, 16, 16].map((size) => draw(size));
    expect(given.map(({ length }) => length)).toEqual([16, 4_000, 100, 5_000, 16, 16]);
    expect(drawn.map(({ length }) => length)).toEqual([4_096, 4_096, 5_000, 4_096]);
    const places = given.map((bytes) => drawn.findIndex((all) => all.includes(bytes)));
    expect(places).toEqual([0, 0, 1, 2, 3, 3]);
    expect(given[4]?.equals(given[5] ?? Buffer.alloc(0))).toBe(false);
  });

  it("of requests never repeat, over the end of their pool [api.request-ids]", () => {
    const next = requestIds(randomBytes);
    const seen = new Set(Array.from({ length: 1_000 }, next));
    expect(seen.size).toBe(1_000);
    for (const id of seen) expect(id).toMatch(/^req_[0-9a-f]{32}$/);
  });
});
