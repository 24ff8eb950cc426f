import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contactIdentity } from "./contacts.ts";

describe("email", () => {
  it.each([
    ["  Ann.Lee@Example.COM ", "ann.lee@example.com"],
    ["o'brien+quiz@sub.example.co.uk", "o'brien+quiz@sub.example.co.uk"],
    ["jürgen@müller.de", "jürgen@müller.de"],
  ])("trims and lowercases %j [people.contacts]", (raw, expected) => {
    expect(contactIdentity("email", raw, null)).toBe(expected);
  });

  it.each([
    "",
    "ann",
    "@example.com",
    "ann@",
    "ann@localhost",
    "ann@@example.com",
    "ann@exa mple.com",
    "ann lee@example.com",
    "a@b..com",
    "a@-b.com",
    "a\u0000b@example.com",
    "Ann <ann@example.com>",
    `${"a".repeat(65)}@example.com`,
    `a@${"b.".repeat(160)}com`,
  ])("leaves %j an answer without identity [people.contacts]", (raw) => {
    expect(contactIdentity("email", raw, "DE")).toBeNull();
  });

  it("gives a value that normalises to itself [people.contacts]", () => {
    fc.assert(
      fc.property(fc.emailAddress(), (raw) => {
        const email = contactIdentity("email", raw, null);
        if (email !== null) expect(contactIdentity("email", ` ${email.toUpperCase()}\n`, null)).toBe(email);
      }),
    );
  });
});

describe("phone", () => {
  it.each([
    ["+49 170 1234567", null, "+491701234567"],
    ["0170 / 123 45 67", "DE", "+491701234567"],
    ["0170 1234567", "de", "+491701234567"],
    ["(202) 555-0123", "US", "+12025550123"],
    ["+44 20 7946 0958", "US", "+442079460958"],
    ["0049 170 1234567", "FR", "+491701234567"],
  ])("parses %j typed in %j to E.164 [people.contacts]", (raw, country, expected) => {
    expect(contactIdentity("phone", raw, country)).toBe(expected);
  });

  it.each([
    ["0170 1234567", null],
    ["0170 1234567", "ZZ"],
    ["12", "US"],
    ["call me", "US"],
    ["my number is (202) 555-0123", "US"],
    ["", "US"],
  ])("leaves %j typed in %j an answer without identity [people.contacts]", (raw, country) => {
    expect(contactIdentity("phone", raw, country)).toBeNull();
  });
});
