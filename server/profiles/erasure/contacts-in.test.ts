import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contactFinder, contactsIn, emailPatterns, phonePatterns, phonePunctuation } from "./contacts-in.ts";

const found = (text: string, country: string | null = null) => [...contactsIn(text, country)].sort();

describe("contacts in texts (decisions E)", () => {
  it.each([
    ["mail Ann.B@X.example, please", ["email:ann.b@x.example"]],
    ["https://shop.example/?mail=ann%40x.example&x=1", ["email:ann@x.example"]],
    ['{"a":"<ann+tag@x.example>"}', ["email:ann+tag@x.example"]],
    ["o'brien@x.example", ["email:brien@x.example", "email:o'brien@x.example"]],
    ["äpfel@münchen.example", ["email:äpfel@münchen.example"]],
    ["call +49 (151) 123-456.78 now", ["phone:+4915112345678"]],
    ["+4915112345678 +491701111111", ["phone:+4915112345678", "phone:+491701111111"]],
    ["2026-03-10T12:00:00Z evt_00000000-0000-4000-8000-000000000001", []],
    ["nothing @ all, 12345", []],
  ])("finds in %j (storefront 3)", (text, contacts) => {
    expect(found(text)).toEqual(expect.arrayContaining(contacts));
    if (contacts.length === 0) expect(found(text)).toEqual([]);
  });

  it("reads national numbers by the countries given (storefront 3)", () => {
    expect(found("0151 12345678", "DE")).toContain("phone:+4915112345678");
    expect(contactFinder([null, "AT", "DE"])("0151 / 123 456 78")).toContain("phone:+4915112345678");
  });

  it("has patterns that pass every text in which a contact is found (decisions E)", () => {
    const like = (pattern: string, text: string) => text.includes(pattern.slice(1, -1).replaceAll(/\\(.)/g, "$1"));
    const strip = (text: string) => [...text].filter((char) => !phonePunctuation.includes(char)).join("");
    const piece = fc.constantFrom(
      "ann@x.example",
      "ANN%40x.example",
      "+49 151 12345678",
      "0151/12345678",
      " ",
      "-",
      "x",
      "1",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const text = pieces.join("");
        const contacts = contactsIn(text, "DE");
        if (contacts.has("email:ann@x.example")) {
          expect(emailPatterns(["ann@x.example"]).some((pattern) => like(pattern, text.toLowerCase()))).toBe(true);
        }
        if (contacts.has("phone:+4915112345678")) {
          expect(phonePatterns(["+4915112345678"]).some((pattern) => like(pattern, strip(text)))).toBe(true);
        }
      }),
    );
  });
});
