import { describe, expect, it } from "vitest";
import { matchesTag } from "./etag.ts";

describe("If-None-Match [api.if-none-match]", () => {
  it.for([
    ['"abc"', true],
    ['W/"abc"', true],
    ["*", true],
    [" * ", true],
    ['"x","abc"', true],
    ['"x" , W/"abc" ,"y"', true],
    ['"a,b", "abc"', true],
    ["abc", false],
    ['"ABC"', false],
    ['"abc', false],
    ['w/"abc"', false],
    ['"x *"', false],
    ["", false],
  ] as const)("compares %s weakly: %s", ([header, matches]) => {
    expect(matchesTag(header, "abc")).toBe(matches);
  });

  it("matches nothing without the header", () => {
    expect(matchesTag(undefined, "abc")).toBe(false);
  });
});
