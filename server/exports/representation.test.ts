import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseRepresentation, type FileRequest } from "./representation.ts";

const file = { bytes: 100, tag: "tag" };
const nothing: FileRequest = {
  range: undefined,
  ifRange: undefined,
  ifNoneMatch: undefined,
};
const choose = (given: Partial<FileRequest>) => chooseRepresentation({ ...nothing, ...given }, file);
const whole = { kind: "whole" };
const part = (start: number, end: number) => ({ kind: "part", range: { start, end } });

describe("ranges of a file [exports.ranges]", () => {
  it.each([
    ["bytes=0-0", part(0, 0)],
    ["bytes=10-19", part(10, 19)],
    ["bytes=90-", part(90, 99)],
    ["bytes=-10", part(90, 99)],
    ["bytes=-1000", part(0, 99)],
    ["bytes=50-1000", part(50, 99)],
    ["Bytes = 1 - 2", part(1, 2)],
    ["bytes=99-99", part(99, 99)],
  ])("answers %s with a part", (range, expected) => expect(choose({ range })).toEqual(expected));

  it.each(["bytes=100-", "bytes=100-200", "bytes=-0"])("says that %s lies beyond the file", (range) => {
    expect(choose({ range })).toEqual({ kind: "beyond" });
  });

  it.each([
    "bytes=1-2,5-6",
    "bytes=20-10",
    "bytes=-",
    "bytes=a-b",
    "items=0-1",
    "bytes",
    "",
    "bytes=0x1-2",
    "bytes=1--2",
    `bytes=${"9".repeat(40)}-`,
  ])("answers %j with the whole file", (range) => expect(choose({ range })).toEqual(whole));

  it("answers with the whole file where the part would be of another one", () => {
    const range = "bytes=0-9";
    expect(choose({ range, ifRange: '"tag"' })).toEqual(part(0, 9));
    for (const ifRange of ['W/"tag"', '"other"', '"tag-gzip"', "Tue, 10 Mar 2026 12:00:00 GMT", "*", ""]) {
      expect(choose({ range, ifRange }), ifRange).toEqual(whole);
    }
  });

  it("of any file are bytes that it has, as a naive reading finds them", () => {
    const edge = fc.option(fc.nat(120), { nil: null });
    fc.assert(
      fc.property(edge, edge, fc.nat(110), (from, to, bytes) => {
        const range = `bytes=${from ?? ""}-${to ?? ""}`;
        const wanted = [...Array(bytes).keys()].filter((at) =>
          from === null ? at >= bytes - (to ?? 0) : at >= from && at <= (to ?? bytes),
        );
        const chosen = chooseRepresentation({ ...nothing, range }, { bytes, tag: "tag" });
        const malformed = (from === null && to === null) || (from !== null && to !== null && from > to);
        if (malformed) expect(chosen).toEqual(whole);
        else if (wanted.length === 0) expect(chosen).toEqual({ kind: "beyond" });
        else expect(chosen).toEqual(part(wanted[0] ?? -1, wanted.at(-1) ?? -1));
      }),
    );
  });
});

it("tells that the client holds the same bytes already (RFC 9110)", () => {
  expect(choose({ ifNoneMatch: '"tag"' })).toEqual({ kind: "unchanged" });
  expect(choose({ ifNoneMatch: '"tag"', range: "bytes=0-1" })).toEqual({ kind: "unchanged" });
  expect(choose({ ifNoneMatch: '"tag-gzip"' })).toEqual({ kind: "unchanged" });
  expect(choose({ ifNoneMatch: '"other"' })).toEqual(whole);
});
