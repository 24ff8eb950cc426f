import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emailPatterns, phonePatterns, phonePunctuation, traitsIn, traitsOf } from "./contacts-in.ts";

const ann = "email:ann@x.example";
const tel = "phone:+4915112345678";
const holds = (text: string, key: string) => traitsOf(key).some((trait) => traitsIn(text).has(trait));

describe("contacts in texts", () => {
  it.each([
    ["mail Ann@X.example, please", ann],
    ["https://shop.example/?mail=ann%40x.example&x=1", ann],
    ['{"a":"<ann@x.example>"}', ann],
    ["o'brien@x.example", "email:o'brien@x.example"],
    ["ÄPFEL@münchen.example", "email:äpfel@münchen.example"],
    ["call +49 (151) 123-456.78 now", tel],
    ["0049 151 12345678", tel],
    ["49151 12345678", tel],
    ["0151/12345678", tel],
    ["+4915112345678 +491701111111", tel],
    ["0201 5550 123, 06 6982 0000", "phone:+390669820000"],
  ])("finds in %j the contact %s [erasure.in-texts]", (text, key) => {
    expect(holds(text, key)).toBe(true);
  });

  it.each([
    ["joann@x.example", ann],
    ["ann@x.example.org", ann],
    ["+4915112345679", tel],
    ["id_015112345678", tel],
    ["1512345678", tel],
  ])("finds in %j nothing of %s [erasure.in-texts]", (text, key) => {
    expect(holds(text, key)).toBe(false);
  });

  it("reads texts that are made to take long about as fast as others [erasure.in-texts]", () => {
    const made = ["a".repeat(9_999), "a.".repeat(5_000), "'".repeat(9_999), "ä".repeat(9_999)];
    // of the processor: other tests may run beside this one
    const before = process.cpuUsage();
    for (const word of made) for (const text of [`${word}@`, `${word} x@`, `${word}@${word}`]) traitsIn(text);
    // without an end to what may stand before the @: 100 ms each
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(600);
    expect(holds(`${"a".repeat(9_000)}?mail=ann@x.example`, ann)).toBe(true);
  });

  it("takes no time, date or id for a phone [erasure.in-texts]", () => {
    const text = '"2026-03-10T12:00:00.000Z evt_00000000-0000-4000-8000-000000000001 sess_0123456789"';
    expect([...traitsIn(text)]).toEqual([]);
  });

  it("has patterns that pass every text in which a contact is found [erasure.in-texts]", () => {
    const like = (pattern: string, text: string) => text.includes(pattern.slice(1, -1).replaceAll(/\\(.)/g, "$1"));
    const strip = (text: string) => [...text].filter((char) => !phonePunctuation.includes(char)).join("");
    const given = ["ann@x.example", "ANN%40x.example", "+49 151 12345678", "0151/12345678", " ", "-", "x", "1"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...given), { maxLength: 5 }), (pieces) => {
        const text = pieces.join("");
        const passes = (patterns: string[], seen: string) => patterns.some((pattern) => like(pattern, seen));
        if (holds(text, ann)) expect(passes(emailPatterns(["ann@x.example"]), text.toLowerCase())).toBe(true);
        if (holds(text, tel)) expect(passes(phonePatterns(["+4915112345678"]), strip(text))).toBe(true);
      }),
    );
  });
});
