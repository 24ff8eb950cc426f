import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allOf, oneOf, parseSearch, stringifySearch } from "./search.ts";

describe("what stands behind the question mark [dashboard.addresses]", () => {
  it("is texts, and lists where a name is repeated", () => {
    expect(parseSearch("?tab=funnel&channel=email&channel=direct&from=2026-01-01")).toEqual({
      tab: "funnel",
      channel: ["email", "direct"],
      from: "2026-01-01",
    });
  });

  it("is written without quotes, and without what is empty", () => {
    const search = { tab: "funnel", page: 2, none: null, empty: "", list: [], channel: ["a", "b"], at: "10:30,x" };
    expect(stringifySearch(search)).toBe("?tab=funnel&page=2&channel=a&channel=b&at=10:30,x");
    expect(stringifySearch({})).toBe("");
  });

  it("comes back as it was written, whatever it holds", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 });
    const name = text.filter((each) => each !== "__proto__");
    const value = fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 4 }));
    fc.assert(
      fc.property(fc.dictionary(name, value), (search) => {
        expect({ ...parseSearch(stringifySearch(search)) }).toEqual({ ...search });
      }),
    );
  });

  it("gives one text or all of a name, and nothing of objects' own", () => {
    const search = parseSearch("?a=1&a=2&b=3&__proto__=4");
    expect([oneOf(search, "a"), oneOf(search, "b"), oneOf(search, "c")]).toEqual(["1", "3", null]);
    expect([allOf(search, "a"), allOf(search, "b"), allOf(search, "c")]).toEqual([["1", "2"], ["3"], []]);
    expect(Object.getPrototypeOf(search)).toBe(Object.prototype);
  });
});
