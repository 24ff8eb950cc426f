import fc from "fast-check";
import examples from "libphonenumber-js/examples.mobile.json" with { type: "json" };
import { type CountryCode, getCountries, getExampleNumber, parsePhoneNumberFromString } from "libphonenumber-js/min";
import { describe, expect, it } from "vitest";
import { contactIdentity } from "../sessions/public.ts";
import { searchOfContacts } from "./contact-search.ts";
import { traitsIn, traitsOf } from "./contacts-in.ts";
import { holdKnown } from "./digit-tails.ts";

const ann = "email:ann@x.example";
const tel = "phone:+4915112345678";
const idn = "email:ann@münchen.example";
const mexico = "phone:+525512344444";
const argentina = "phone:+5491123456789";

/** Three ways to the same: an erasure's, its repetition's after a restore, and a verification's. */
const ways: Readonly<Record<string, (text: string, key: string, country?: string | null) => boolean>> = {
  erasing: (text, key, country = null) => searchOfContacts([key]).holds(text, country),
  repeating: (text, key) => traitsOf(key).some((trait) => traitsIn(text).has(trait)),
  verifying: (text, key) => holdKnown([text], (trait) => traitsOf(key).includes(trait)),
};
const foundBy = (text: string, key: string, country: string | null = null): string[] =>
  Object.entries(ways).flatMap(([name, holds]) => (holds(text, key, country) ? name : []));
const all = Object.keys(ways);

describe("contacts in texts", () => {
  it.each([
    ["mail Ann@X.example, please", ann],
    ["https://shop.example/?mail=ann%40x.example&x=1", ann],
    ['{"a":"<ann@x.example>"}', ann],
    ["o'brien@x.example", "email:o'brien@x.example"],
    ["ÄPFEL@münchen.example", "email:äpfel@münchen.example"],
    ["ann\u200b@x.exa\u00admple", ann],
    ["ａｎｎ＠x．example", ann],
    ["ann@xn--mnchen-3ya.example", idn],
    ["for ANN@München.example!", idn],
    ["ann@münchen.example", "email:ann@xn--mnchen-3ya.example"],
    ["/for/ann%40m%C3%BCnchen.example/", idn],
    ["call +49 (151) 123-456.78 now", tel],
    ["0049 151 12345678", tel],
    ["49151 12345678", tel],
    ["0151/12345678", tel],
    ["+49 (0)151 12345678", tel],
    ["tel:+49-151-12345678", tel],
    ["011 49 151 12345678", tel],
    ["+4915112345678 +491701111111", tel],
    ["0170 1111111 0151 12345678 0172 2222222 0173 3333333", tel],
    ["0 1 5 1 1 2 3 4 5 6 7 8", tel],
    ["٠١٥١ ١٢٣٤٥٦٧٨", tel],
    ["+۴۹ ۱۵۱ ۱۲۳۴۵۶۷۸", tel],
    ["＋４９　１５１　１２３４５６７８", tel],
    ["०१५१-१२३४५६७८", tel],
    ["0151\u200b123\u2060456\u00ad78", tel],
    ["/for/%2B49%20151%2012345678", tel],
    ["my number is:015112345678.", tel],
    ["0201 5550 123, 06 6982 0000", "phone:+390669820000"],
    ["+39 6 6982 0000", "phone:+390669820000"],
    ["+52 1 55 1234 4444", mexico],
    ["044 55 1234 4444", mexico],
    ["1 55 1234 4444", mexico],
    ["٥٢ ١ ٥٥ ١٢٣٤ ٤٤٤٤", mexico],
    ["+52 55 1234 4444", "phone:+5215512344444"],
    ["+54 11 2345 6789", argentina],
    ["+54 9 11 2345 6789", argentina],
    ["+54 9 11 2345 6789", "phone:+541123456789"],
    ["011 15-2345-6789", argentina],
    ["+55 11 8765 4321", "phone:+5511987654321"],
    ["8 (912) 123-45-67", "phone:+79121234567"],
    ["06 20 123 4567", "phone:+36201234567"],
    ["693-1234", "phone:+13406931234"],
    ["+500 51234", "phone:+50051234"],
    [" 51234 ", "phone:+50051234"],
  ])("finds in %j the contact %s, whoever looks [erasure.in-texts, erasure.notations]", (text, key) => {
    expect(foundBy(text, key).toSorted()).toEqual(
      key === "phone:+50051234" ? expect.arrayContaining(["erasing", "verifying"]) : all.toSorted(),
    );
  });

  it.each([
    ["joann@x.example", ann],
    ["jo.ann@x.example", ann],
    ["ann@x.example.org", ann],
    ["ann@muenchen.example", idn],
    ["+4915112345679", tel],
    ["id_015112345678", tel],
    ["1512345678", tel],
    ["12.000 of 51234", "phone:+50051234"],
    ["+91 212 555 1234", "phone:+12125551234"],
    ["evt_00000000-0000-4000-8000-015112345678", tel],
    ["+52 2 55 1234 4444", mexico],
    ["+54 12 2345 6789", argentina],
  ])("finds in %j nothing of %s [erasure.in-texts]", (text, key) => {
    expect(foundBy(text, key)).toEqual([]);
  });

  it("reads texts that are made to take long about as fast as others [erasure.in-texts]", () => {
    const made = ["a".repeat(9_999), "a.".repeat(5_000), "'".repeat(9_999), "ä".repeat(9_999)];
    const digits = [
      "345678 ".repeat(1_400),
      "1 2 3 4 5 6 7 8 ".repeat(600),
      "12345678".repeat(1_200),
      "٨".repeat(9_999),
    ];
    const texts = [...made.flatMap((word) => [`${word}@`, `${word} x@`, `${word}@${word}`]), ...digits];
    const known = searchOfContacts([ann, tel, mexico]);
    // of the processor: other tests may run beside this one
    const before = process.cpuUsage();
    for (const text of texts) {
      traitsIn(text);
      known.holds(text, "DE");
      holdKnown([text], () => false);
    }
    // without an end to what may stand before the @: 100 ms each
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
    expect(foundBy(`${"a".repeat(9_000)}?mail=ann@x.example`, ann)).toEqual(all);
  });

  it("takes no time, date or id for a phone [erasure.in-texts]", () => {
    const text = '"2026-03-10T12:00:00.000Z evt_00000000-0000-4000-8000-000000000001 sess_0123456789"';
    expect([...traitsIn(text)]).toEqual([]);
  });
});

/** A mobile number of every country that has one. */
const numbers = getCountries().flatMap((country) => {
  const number = getExampleNumber(country, examples)?.number;
  return number !== undefined && contactIdentity("phone", number, null) === number ? [{ country, number }] : [];
});
const zeros = [0x30, 0x660, 0x6f0, 0x966, 0xff10, 0x1d7ce];
const inDigits = (text: string, zero: number): string =>
  text.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const notation = fc.record({
  form: fc.constantFrom("e164", "international", "national", "uri", "digits", "abroad"),
  zero: fc.constantFrom(...zeros),
  blank: fc.constantFrom(" ", "-", ".", "\u00a0", "\u2011", "/", "\u2009", ""),
  mark: fc.constantFrom("", "\u200b", "\u2060", "\u00ad", "\u200e"),
  around: fc.constantFrom("", " ", "call ", "Nummer: ", "("),
});

function written(
  number: string,
  country: CountryCode,
  given: typeof notation extends fc.Arbitrary<infer One> ? One : never,
) {
  const phone = parsePhoneNumberFromString(number);
  const forms: Record<string, string | undefined> = {
    e164: number,
    international: phone?.formatInternational(),
    national: phone?.formatNational(),
    uri: phone?.getURI(),
    digits: number.slice(1),
    abroad: phone?.format("IDD", { fromCountry: country === "DE" ? "FR" : "DE" }),
  };
  const text = (forms[given.form] ?? number).replaceAll(" ", given.blank);
  const [first = "", ...rest] = text;
  return `${given.around}${inDigits(first + given.mark + rest.join(""), given.zero)}${given.around === "(" ? ")" : ""}`;
}

describe("phones of all countries", () => {
  /** A naive model: whatever the intake takes in one of the countries, as a whole or without the words around. */
  const intakeTakes = (text: string, number: string, country: string): boolean =>
    [text, text.replace(/^(?:call |Nummer: )/, ""), text.replace(/^\((.*)\)$/, "$1")].some((part) =>
      [null, country].some((from) => contactIdentity("phone", part, from) === number),
    );

  it("are found in every notation that the intake takes for them, by all ways [erasure.notations]", () => {
    fc.assert(
      fc.property(fc.constantFrom(...numbers), notation, ({ country, number }, given) => {
        const text = written(number, country, given);
        if (!intakeTakes(text, number, country)) return;
        const found = foundBy(text, `phone:${number}`, null);
        // too short to be told from other numbers, unless it is all that is said
        const isShort = number.length <= 10 && given.form === "national";
        expect({ text, found }).toEqual({ text, found: isShort ? found : all });
        if (isShort && given.around === "") expect(found).toEqual(expect.arrayContaining(["erasing", "verifying"]));
      }),
      { numRuns: 3_000 },
    );
  });

  it("are not found in the numbers of other people [erasure.in-texts]", () => {
    fc.assert(
      fc.property(fc.constantFrom(...numbers), fc.constantFrom(...numbers), notation, (own, other, given) => {
        const [a, b] = [own.number, other.number];
        // examples count up, so that a short one stands within long ones, which nobody could tell apart
        const home = parsePhoneNumberFromString(a)?.nationalNumber.replace(/^0+/, "") ?? "";
        if (a.slice(-6) === b.slice(-6) || b.includes(home)) return;
        expect(foundBy(written(b, other.country, given), `phone:${a}`)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});
