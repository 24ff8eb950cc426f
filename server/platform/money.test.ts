import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { currencyDigits, isCurrency, minorUnits, moneyFromMinor, zeroMoney } from "./money.ts";

/** The same by way of a fraction of two integers. */
function naive(amount: string, digits: number): bigint {
  const negative = amount.startsWith("-");
  const [whole = "0", fraction = ""] = amount.replace("-", "").split(".");
  const scale = 10n ** BigInt(fraction.length);
  const numerator = BigInt(whole + fraction) * 10n ** BigInt(digits);
  const rounded = (numerator * 2n + scale) / (scale * 2n);
  return negative ? -rounded : rounded;
}

const amounts = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.stringMatching(/^[0-9]{0,8}$/))
  .map(([negative, whole, fraction]) => `${negative ? "-" : ""}${whole}${fraction ? `.${fraction}` : ""}`);

describe("money [api.money]", () => {
  it("has the digits of ISO 4217, not those that people use", () => {
    const digits = { USD: 2, EUR: 2, JPY: 0, KRW: 0, ISK: 0, KWD: 3, BHD: 3, CLF: 4, HUF: 2, COP: 2, IDR: 2, XTS: 2 };
    for (const [currency, count] of Object.entries(digits))
      expect([currency, currencyDigits(currency)]).toEqual([currency, count]);
  });

  it("reads any decimal string exactly, rounding half away from zero, as a naive model does", () => {
    fc.assert(
      fc.property(amounts, fc.constantFrom("JPY", "USD", "KWD", "CLF"), (amount, currency) => {
        expect(minorUnits(amount, currency)).toBe(naive(amount, currencyDigits(currency)));
      }),
    );
  });

  it("writes minor units so that they read back the same", () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.constantFrom("JPY", "USD", "KWD", "CLF"), (units, currency) => {
        const { amount } = moneyFromMinor(units, currency);
        expect(minorUnits(amount, currency)).toBe(units);
        expect(amount).toMatch(currency === "JPY" ? /^-?\d+$/ : /^-?\d+\.\d+$/);
      }),
    );
  });

  it("sums without the drift of floats", () => {
    const tenths = Array.from({ length: 1_000_000 }, () => minorUnits("0.10", "USD"));
    const sum = tenths.reduce((total, each) => total + each, 0n);
    expect(moneyFromMinor(sum, "USD")).toEqual({ amount: "100000.00", currency: "USD" });
  });

  it.for([
    ["12.5", "USD", "12.50"],
    ["1250", "JPY", "1250"],
    ["1250.5", "JPY", "1251"],
    ["1.2345", "KWD", "1.235"],
    ["-0.005", "USD", "-0.01"],
    ["-0.004", "USD", "0.00"],
    ["007", "USD", "7.00"],
  ] as const)("writes %s %s as %s", ([given, currency, amount]) => {
    expect(moneyFromMinor(minorUnits(given, currency), currency)).toEqual({ amount, currency });
  });

  it.for(["", ".5", "5.", "1e3", "1,000.00", " 1", "+1", "0x1", "NaN", "--1"])("refuses %o", (text) => {
    expect(() => minorUnits(text, "USD")).toThrow(RangeError);
  });

  it("knows currencies by their code, in capitals [api.currencies]", () => {
    expect(["USD", "JPY", "usd", "US", "XYZW", ""].map(isCurrency)).toEqual([true, true, false, false, false, false]);
    // what the commerce platform has and the runtime does not
    expect(["JEP", "KID", "VED", "XXX"].map(isCurrency)).toEqual([true, true, true, false]);
    expect(zeroMoney("JPY")).toEqual({ amount: "0", currency: "JPY" });
    expect(zeroMoney("USD")).toEqual({ amount: "0.00", currency: "USD" });
  });
});
