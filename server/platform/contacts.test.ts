import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldContacts, noContacts, twoNumbers } from "../../testkit/field/contacts.ts";
import { canonicalContact, contactForms, contactIdentity, readIdentity } from "./contacts.ts";

describe("the identity of a contact", () => {
  it.each(fieldContacts)("is $value for $typed of $country [people.contacts, people.one-number]", (contact) => {
    const { kind, typed, country, value, shown = value } = contact;
    expect(readIdentity(kind, typed, country)).toEqual({ value, shown });
  });

  it.each(noContacts)("does not exist for $typed of $country [people.contacts]", ({ kind, typed, country }) => {
    expect(readIdentity(kind, typed, country)).toBeNull();
  });

  it("normalises to itself [people.contacts]", () => {
    fc.assert(
      fc.property(fc.emailAddress(), (raw) => {
        const email = contactIdentity("email", raw, null);
        if (email !== null) expect(contactIdentity("email", ` ${email.toUpperCase()}\n`, null)).toBe(email);
      }),
    );
  });
});

describe("forms of a contact", () => {
  it.each(twoNumbers)("keeps %s and %s apart, which are two numbers [people.one-number]", (one, other) => {
    const [first, second] = [one, other].map((typed) => contactIdentity("phone", typed, null) ?? "");
    expect(first).not.toBe(second);
    expect(contactForms("phone", first ?? "")).not.toContain(second);
  });

  it("include the one that is shown, and have the same canonical form [people.one-number, people.email-domains]", () => {
    for (const { kind, value, shown = value } of fieldContacts) {
      const forms = contactForms(kind, value);
      expect(forms).toContain(shown);
      for (const form of forms) expect(canonicalContact(kind, form)).toBe(value);
    }
  });

  it.each([
    ["+5215512340001", "+525512340001"],
    ["+22990011234", "+2290190011234"],
  ])("recognises %s, as it was stored when its plan had it [people.one-number]", (stored, value) => {
    expect(canonicalContact("phone", stored)).toBe(value);
  });
});
