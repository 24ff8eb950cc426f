import { expect, it } from "vitest";
import { money, moneyByBucket, moneyEach, moneyRate, rate } from "./figures.ts";

it("has no rate on a zero denominator [figures.rates]", () => {
  expect(rate(1, 4)).toBe(0.25);
  expect(rate(0, 4)).toBe(0);
  expect(rate(0, 0)).toBeNull();
});

it("writes sums with the currency's digits, and no sum as zero [figures.zero-money]", () => {
  expect(money("12.5000", "USD")).toEqual({ amount: "12.50", currency: "USD" });
  expect(money("1250.0000", "JPY")).toEqual({ amount: "1250", currency: "JPY" });
  expect(money(null, "USD")).toEqual({ amount: "0.00", currency: "USD" });
  expect(money("-3.0050", "USD")).toEqual({ amount: "-3.01", currency: "USD" });
  expect(moneyByBucket({ shown_bought_later: "1.2000" }, "USD")).toEqual({
    added_from_quiz: { amount: "0.00", currency: "USD" },
    shown_bought_later: { amount: "1.20", currency: "USD" },
    bought_not_shown: { amount: "0.00", currency: "USD" },
  });
});

it("shares money out exactly, half a unit away from zero, and none among none [figures.average-order]", () => {
  expect(moneyEach("10.0000", 3, "USD")?.amount).toBe("3.33");
  expect(moneyEach("0.0500", 2, "USD")?.amount).toBe("0.03");
  expect(moneyEach("-0.0500", 2, "USD")?.amount).toBe("-0.03");
  expect(moneyEach("90071992547409930.0000", 1, "USD")?.amount).toBe("90071992547409930.00");
  expect(moneyEach(null, 2, "USD")?.amount).toBe("0.00");
  expect(moneyEach("10.0000", 0, "USD")).toBeNull();
});

it("takes the ratio of two sums, none of a zero one [figures.attributed-share]", () => {
  expect(moneyRate("25.0000", "100.0000", "USD")).toBe(0.25);
  expect(moneyRate(null, "100.0000", "USD")).toBe(0);
  expect(moneyRate("25.0000", null, "USD")).toBeNull();
});
