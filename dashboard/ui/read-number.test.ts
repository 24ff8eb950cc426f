import { describe, expect, it } from "vitest";
import { readNumber } from "./read-number.ts";

describe("a typed number", () => {
  it.each([
    ["5", 5],
    [" -0.25 ", -0.25],
    ["−3", -3],
    ["+2", 2],
    [".5", 0.5],
    ["1.", 1],
    ["1,5", 1.5],
    ["0,125", null],
    ["1,000", null],
    ["1,0000", 1],
    ["1,2,3", null],
    ["1e3", 1000],
    ["1e999", null],
    ["0x10", null],
    ["-", null],
    ["", null],
    ["12 cm", null],
    ["٣", null],
  ])("%j is %j [dashboard.number-fields]", (text, number) => {
    expect(readNumber(text)).toBe(number);
  });

  it.each([
    ["20", 20],
    ["2.5", null],
    ["2,5", null],
    ["1e3", null],
    ["-1", -1],
  ])("%j as a whole number is %j [dashboard.number-fields]", (text, number) => {
    expect(readNumber(text, "integer")).toBe(number);
  });
});
