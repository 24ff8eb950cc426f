import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonFault, readJson } from "../json/read-json.ts";
import { findFault, maxDepth } from "./scan.ts";

const [maxFields, maxValues] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
const bytesOf = (text: string) => Buffer.from(text);

/** What the scan looks for, found in the parsed value. */
function naiveFault(value: unknown, nul: boolean, depth = 1): string | null {
  const names = value !== null && typeof value === "object" ? Object.keys(value) : [];
  if (typeof value === "string" || value === null || typeof value !== "object") {
    return !nul && typeof value === "string" && value.includes("\u0000") ? "NUL" : null;
  }
  if (depth > maxDepth) return "nested";
  if (!nul && names.some((name) => name.includes("\u0000"))) return "NUL";
  const faults = Object.values(value).map((inner) => naiveFault(inner, nul, depth + 1));
  return faults.find((fault) => fault === "nested") ?? faults.find((fault) => fault !== null) ?? null;
}

describe("the scan of a body's bytes [api.body-bounds]", () => {
  it("finds in any JSON what a walk through the parsed value finds", () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom("\u0000", "\\", '"', "u", "0", "[", "{", "}", "a", "\u00e9", "\u{1f600}") }),
      fc.string(),
    );
    const leaf = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie("value")), fc.dictionary(text, tie("value"))),
    }));
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 66 }), fc.boolean(), (inner, wraps, nul) => {
        let nested: unknown = inner;
        for (let wrap = 0; wrap < wraps; wrap += 1) nested = wrap % 2 === 0 ? [nested] : { "\\": nested };
        const found = findFault(bytesOf(JSON.stringify(nested)), { nul, maxFields, maxValues });
        const due = naiveFault(nested, nul);
        // where there are both faults, either may be told
        expect(found === null).toBe(due === null);
        if (due === "nested" && nul) expect(found).toContain("nested");
      }),
    );
  });

  it("takes 64 levels and not one more, and no bracket inside a text for one", () => {
    expect(findFault(bytesOf("[".repeat(64) + "]".repeat(64)), { nul: false, maxFields, maxValues })).toBeNull();
    expect(findFault(bytesOf("[".repeat(65) + "]".repeat(65)), { nul: false, maxFields, maxValues })).toContain(
      "64 levels",
    );
    expect(
      findFault(bytesOf(JSON.stringify(["[{".repeat(500), '\\"[{'.repeat(500)])), { nul: false, maxFields, maxValues }),
    ).toBeNull();
  });

  it("counts the fields of all objects together, and no colon inside a text [api.body-bounds]", () => {
    const fieldsOf = (count: number) =>
      bytesOf(JSON.stringify(Array.from({ length: count }, (_, at) => ({ [`:${at}`]: ":" }))));
    expect(findFault(fieldsOf(50), { nul: false, maxFields: 50, maxValues })).toBeNull();
    expect(findFault(fieldsOf(51), { nul: false, maxFields: 50, maxValues })).toContain("more than 50 fields");
  });

  it("counts the entries of lists and objects, but not commas in texts", () => {
    const within = (text: string, maxValues: number) => findFault(bytesOf(text), { nul: false, maxFields, maxValues });
    for (const text of ["[1,2,3]", '[[],"[,",2]', '{"a":1,"b":[","]}', '["\\",,,",1,2]'])
      expect([text, within(text, 4), within(text, 2)]).toEqual([text, null, "must not have more than 2 values"]);
  });

  it("costs each byte the same, and far less than parsing: a megabyte of brackets is refused in a moment [api.body-bounds]", () => {
    const size = 1024 * 1024;
    const bodies = [
      "[".repeat(size),
      `[${"[".repeat(64)}${"],[".repeat((size - 200) / 3)}`,
      `{"a":${'[{"a":'.repeat(size / 7)}`,
      "\\".repeat(size),
      `"${"\\u000".repeat(size / 5)}`,
      '"'.repeat(size),
      JSON.stringify(Array.from({ length: size / 12 }, (_, at) => ({ [`name ${at}`]: 0 }))),
    ];
    for (const body of bodies) {
      const bytes = bytesOf(body);
      const before = process.cpuUsage();
      const rules = { nul: false, maxFields: 20_000, maxValues: 100_000, digits: "number" } as const;
      expect(() => readJson(bytes, rules)).toThrow(JsonFault);
      // 100 ns a byte is what a request may cost; parsing and walking took up to 350
      expect(process.cpuUsage(before).user / bytes.length).toBeLessThan(0.05);
    }
  });
});
