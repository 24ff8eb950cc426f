import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sumOf } from "./write-price.ts";

const decimal = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 3 }));
const textOf = ([units, digits]: [bigint, number]): string => {
  const text = String(units).padStart(digits + 1, "0");
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
};

describe("the sum of prices", () => {
  it("is exact, beyond what a float holds [player.add-all]", () => {
    fc.assert(
      fc.property(fc.array(decimal, { minLength: 1, maxLength: 6 }), (amounts) => {
        const sum = sumOf(amounts.map((amount) => ({ amount: textOf(amount), currency: "EUR" })));
        const thousandths = amounts.reduce((all, [units, digits]) => all + units * 10n ** BigInt(3 - digits), 0n);
        const [whole = "", fraction = ""] = (sum?.amount ?? "").split(".");
        expect(BigInt(whole + fraction.padEnd(3, "0"))).toBe(thousandths);
        expect(sum?.currency).toBe("EUR");
      }),
    );
  });

  it("is none of several currencies, of an unknown price, and of nothing [player.add-all]", () => {
    const euros = { amount: "1.00", currency: "EUR" };
    expect(sumOf([euros, { amount: "1.00", currency: "USD" }])).toBeNull();
    expect(sumOf([euros, null])).toBeNull();
    expect(sumOf([null, euros])).toBeNull();
    expect(sumOf([])).toBeNull();
  });
});
