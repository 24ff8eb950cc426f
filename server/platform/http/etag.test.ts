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
    // as proxies mark it that compress
    ['"abc-gzip"', true],
    ['W/"abc-gzip"', true],
    ['"abc-br"', true],
    ['"abc-zstd"', true],
    ['"abc-deflate"', true],
    ['"abc-df"', true],
    ['"abc--gzip"', true],
    ['"abc;gzip"', true],
    ['"x", "abc-br"', true],
    ['"abc-gzip-gzip"', true],
    ['"abcd-gzip"', false],
    ['"ab-gzip"', false],
    ['"abc-"', false],
    ['"abc-1"', false],
    ['"abcgzip"', false],
    ['"-gzipabc"', false],
    ["", false],
  ] as const)("compares %s weakly: %s", ([header, matches]) => {
    expect(matchesTag(header, "abc")).toBe(matches);
  });

  it("tells apart what this program itself has in several codings", () => {
    expect(matchesTag('"abc-gzip"', "abc-br")).toBe(false);
    expect(matchesTag('"abc-br-gzip"', "abc-br")).toBe(true);
  });

  it("matches nothing without the header", () => {
    expect(matchesTag(undefined, "abc")).toBe(false);
  });
});
