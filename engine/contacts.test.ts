import fc from "fast-check";
import maxMetadata from "libphonenumber-js/max/metadata";
import minMetadata from "libphonenumber-js/min/metadata";
import examples from "libphonenumber-js/mobile/examples";
import { describe, expect, it } from "vitest";
import { fieldContacts, noContacts } from "../testkit/field/contacts.ts";
import { readContact } from "./contacts.ts";
import { phonePlans } from "./phone-numbers.ts";

const plans = phonePlans(minMetadata);

describe("what is a contact", () => {
  it.each(fieldContacts)("takes the $kind $typed of $country [people.contacts]", ({ kind, typed, country }) => {
    expect(readContact(kind, typed, { country, plans })).toEqual({ value: expect.any(String) });
  });

  it.each(noContacts)(
    "refuses $kind $typed of $country: $fault [people.contacts]",
    ({ kind, typed, country, fault }) => {
      expect(readContact(kind, typed, { country, plans })).toEqual({ fault });
    },
  );

  it("takes the example number of every country, written in its own way and from abroad [people.contacts]", () => {
    const codes = Object.keys(examples) as (keyof typeof examples)[];
    const refused = codes.filter((country) => {
      const national = plans.numberOf(String(examples[country]), country);
      return national === null || "fault" in readContact("phone", national, { country: null, plans });
    });
    expect(codes.length).toBeGreaterThan(200);
    expect(refused).toEqual([]);
  });
});

describe("what surrounds a contact", () => {
  const around = fc
    .array(fc.constantFrom(" ", "\u00a0", "\u200b", "\ufeff", "\u202a", "\u00ad", "<", ">", '"', "“", "”", ",", ";"), {
      maxLength: 6,
    })
    .map((signs) => signs.join(""));
  const known = fc.constantFrom(...fieldContacts);

  it("changes nothing [people.contacts]", () => {
    fc.assert(
      fc.property(known, around, around, ({ kind, typed, country }, before, after) => {
        const contact = readContact(kind, typed, { country, plans });
        expect(readContact(kind, before + typed + after, { country, plans })).toEqual(contact);
      }),
    );
  });

  it("gives a value that reads as itself [people.contacts]", () => {
    const typed = fc.oneof(
      fc.emailAddress(),
      fc.string({ unit: "binary" }),
      around.chain((text) => fc.constant(`${text}@a.b`)),
    );
    fc.assert(
      fc.property(fc.constantFrom("email" as const, "phone" as const), typed, (kind, text) => {
        const contact = readContact(kind, text, { country: "DE", plans });
        if ("value" in contact) expect(readContact(kind, contact.value, { country: null, plans })).toEqual(contact);
      }),
    );
  });
});

describe("metadata", () => {
  it("takes the same numbers in its small and its full form [people.contacts]", () => {
    const full = phonePlans(maxMetadata);
    const digits = fc.stringMatching(/^\+?[0-9]{3,15}$/);
    const country = fc.option(fc.constantFrom(...plans.countries));
    fc.assert(
      fc.property(digits, country, (text, home) => {
        const contact = readContact("phone", text, { country: home, plans });
        expect("value" in contact).toBe("value" in readContact("phone", text, { country: home, plans: full }));
      }),
    );
  });
});
