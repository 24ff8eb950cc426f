import { describe, expect, it } from "vitest";
import { cellText, changeText, durationText } from "./figure-text.ts";

describe("figures as texts", () => {
  it("lose nothing that was counted [dashboard-figures.agree]", () => {
    expect(cellText(1_234_567, "count", "en")).toBe("1,234,567");
    expect(cellText({ amount: "90071992547409.93", currency: "USD" }, "money", "en")).toBe("$90,071,992,547,409.93");
    expect(cellText({ amount: "1200", currency: "JPY" }, "money", "en")).toBe("¥1,200");
    expect(cellText({ amount: "0.125", currency: "KWD" }, "money", "en")).toBe("KWD\u00a00.125");
    expect(cellText("2026-03-01", "day", "en")).toBe("Mar 1, 2026");
    expect(cellText(0.6666, "share", "en")).toBe("66.7%");
    expect([cellText(null, "money", "en"), cellText(0, "count", "en"), cellText(true, "flag", "en")]).toEqual([
      "–",
      "0",
      "Yes",
    ]);
  });

  it("tell times in two units, never one more than there was [dashboard-figures.agree]", () => {
    const told = [0, 999, 1_000, 59_999, 60_000, 3_599_999, 3_600_000, 90_000_000].map((ms) => durationText(ms, "en"));
    expect(told).toEqual(["0s", "0.9s", "1s", "59.9s", "1m 0s", "59m 59s", "1h 0m", "1d 1h"]);
  });

  it("tell a change with its sign [dashboard-figures.compare]", () => {
    expect([changeText(12.34, "en"), changeText(-5.25, "en"), changeText(0, "en")]).toEqual(["+12.3%", "-5.3%", "0%"]);
  });
});
