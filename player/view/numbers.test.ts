import { describe, expect, it } from "vitest";
import { minorUnits, moneyFromMinor } from "../../server/platform/money.ts";
import { number } from "../../testkit/document-parts.ts";
import { texts as en } from "../texts/en.ts";
import { parseNumber, typedNumber } from "./parse-number.ts";
import { readTyped, refusal } from "./read-typed.ts";
import { writeNumber } from "./write-number.ts";
import { writePrice } from "./write-price.ts";

describe("a typed number", () => {
  const cases: [typed: string, locale: string, value: number | null][] = [
    ["12", "en", 12],
    ["1.5", "en", 1.5],
    ["1,5", "en", 1.5],
    ["1.5", "de", 1.5],
    ["1,5", "de", 1.5],
    ["1,234", "en", 1234],
    ["1,234", "de", 1.234],
    ["1.234", "de", 1234],
    ["1.234", "en", 1.234],
    ["1.234.567", "de", 1234567],
    ["1,234,567.25", "en", 1234567.25],
    ["1.234.567,25", "de", 1234567.25],
    ["1.234.567,25", "en", 1234567.25],
    ["12 345,5", "fr", 12345.5],
    ["12\u202f345,5", "fr", 12345.5],
    ["1'234.5", "de-CH", 1234.5],
    ["-3", "en", -3],
    ["−3", "en", -3],
    ["+4", "en", 4],
    [".5", "en", 0.5],
    ["5.", "en", 5],
    ["١٢٫٥", "ar-EG", 12.5],
    ["12", "ja", 12],
    ["12,34", "en", 12.34],
    ["1,23,4", "en", null],
    ["1.2.3", "en", null],
    ["1,2.3.4", "en", null],
    ["abc", "en", null],
    ["12 kg", "en", null],
    ["--3", "en", null],
    ["1e5", "en", null],
    [",", "en", null],
    ["", "en", null],
  ];
  for (const [typed, locale, value] of cases) {
    it(`${JSON.stringify(typed)} in ${locale} is ${value} [player.typed-numbers]`, () => {
      expect(parseNumber(typed, locale)).toBe(value);
    });
  }

  it("is read back as it is shown in its field, in every language [player.typed-numbers]", () => {
    for (const locale of ["en", "de", "de-CH", "fr", "es", "it", "nl", "pt", "pl", "ja", "ar", "ar-EG", "hi", "fa"]) {
      for (const value of [0, 1, -1, 0.5, 1.125, 1234.5, 1234567, -0.000000001, 1e12]) {
        expect(parseNumber(typedNumber(value, locale), locale), `${value} in ${locale}`).toBe(value);
      }
    }
  });
});

describe("a number that a question does not take", () => {
  const say = (more: Parameters<typeof number>[1], typed: string): string => {
    const component = number("n", more);
    expect(readTyped(component, typed, "en")).toEqual(typed === "many" ? null : { value: Number(typed) });
    return refusal(component, typed, en, "en");
  };
  const cases: [more: Parameters<typeof number>[1], typed: string, sentence: string][] = [
    [{ min: 1, max: 10 }, "11", "Please enter a number from 1 to 10."],
    [{ min: 1000 }, "5", "Please enter 1,000 or more."],
    [{ max: 10 }, "11", "Please enter 10 or less."],
    [{ step: 5 }, "12", "The nearest possible values are 10 and 15."],
    [{ min: 1, step: 2 }, "4", "The nearest possible values are 3 and 5."],
    [{ min: 0, max: 10, step: 3 }, "9.5", "The nearest possible values are 6 and 9."],
    [{ step: 0.1 }, "0.25", "The nearest possible values are 0.2 and 0.3."],
    [{}, "many", "Please enter a number."],
    [{}, "1000000000000000", "Please enter a number."],
  ];
  for (const [more, typed, sentence] of cases) {
    it(`${JSON.stringify(more)}, ${typed}: ${sentence} [player.wrong-answers]`, () => {
      expect(say(more, typed)).toBe(sentence);
    });
  }
});

describe("numbers for reading", () => {
  it("are written as the locale does [player.typed-numbers]", () => {
    expect(writeNumber(1234.5, "de")).toBe("1.234,5");
    expect(writeNumber(1234.5, "en")).toBe("1,234.5");
  });

  it("prices stand in their currency, one that nobody knows beside its amount [player.products]", () => {
    expect(writePrice("1234.50", "EUR", "de").replace(/\s/g, " ")).toBe("1.234,50 €");
    expect(writePrice("1200", "JPY", "ja")).toContain("1,200");
    expect(writePrice("12.00", "nonsense", "en")).toBe("12.00 nonsense");
  });

  it("prices are what is charged, whatever digits are customary, and however large [player.prices]", () => {
    const written = (amount: string, currency: string) => writePrice(amount, currency, "en").replace(/\s/g, " ");
    expect(written("1249.50", "COP")).toBe("COP 1,249.50");
    expect(written("12.50", "HUF")).toBe("HUF 12.50");
    expect(written("12990.00", "HUF")).toBe("HUF 12,990");
    expect(written("1.250", "KWD")).toBe("KWD 1.250");
    expect(written("1000.500", "IQD")).toBe("IQD 1,000.500");
    expect(written("1200", "JPY")).toBe("¥1,200");
    expect(written("12.00", "EUR")).toBe("€12.00");
    expect(written("4.20", "JEP")).toBe("JEP 4.20");
    expect(written("90071992547409931.17", "USD")).toBe("$90,071,992,547,409,931.17");
    // every currency that a shop can have
    for (const currency of Intl.supportedValuesOf("currency")) {
      const { amount } = moneyFromMinor(minorUnits("1234.5678", currency), currency);
      const digits = (amount.split(".")[1] ?? "").length;
      const whole = digits === 0 ? "1,235" : `1,234.${amount.split(".")[1]}`;
      expect([currency, /\d.*\d/.exec(written(amount, currency))?.[0]]).toEqual([currency, whole]);
    }
  });
});
