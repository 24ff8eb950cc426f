import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatId, parseId, requestIds, uuidAt, uuidBytes, uuidFromBytes } from "./ids.ts";

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

  it("of requests never repeat, over the end of their pool [api.request-ids]", () => {
    const next = requestIds(randomBytes);
    const seen = new Set(Array.from({ length: 1_000 }, next));
    expect(seen.size).toBe(1_000);
    for (const id of seen) expect(id).toMatch(/^req_[0-9a-f]{32}$/);
  });
});
