import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatBytes,
  formatCompact,
  formatDate,
  formatDateTime,
  formatDay,
  formatDuration,
  formatMoney,
  formatNumber,
  formatPercent,
  formatRange,
  formatRelative,
  usableLocale,
} from "./format.ts";

/** Languages put spaces of several kinds between parts. */
const plain = (text: string): string => text.replaceAll(/\p{Zs}/gu, " ");

describe("what people read [dashboard.formats]", () => {
  it("has money in its own currency, to the last digit that came", () => {
    expect(formatMoney({ amount: "1234.50", currency: "EUR" }, "en")).toBe("€1,234.50");
    expect(plain(formatMoney({ amount: "1234.50", currency: "EUR" }, "de"))).toBe("1.234,50 €");
    expect(plain(formatMoney({ amount: "1234", currency: "JPY" }, "en"))).toBe("¥1,234");
    // a digit more than the currency's coins have
    expect(formatMoney({ amount: "0.125", currency: "USD" }, "en")).toBe("$0.125");
    // more than a float holds
    expect(formatMoney({ amount: "90071992547409931.17", currency: "USD" }, "en")).toBe("$90,071,992,547,409,931.17");
    expect(formatMoney({ amount: "5.00", currency: "nothing" }, "en")).toBe("5.00 nothing");
    expect(formatMoney(null, "en")).toBe("–");
  });

  it("has numbers and rates as the language writes them", () => {
    expect(formatNumber(1234567, "en")).toBe("1,234,567");
    expect(formatNumber(1234567, "de")).toBe("1.234.567");
    expect(formatCompact(12_345, "en")).toBe("12.3K");
    expect([formatPercent(0.1234, "en"), formatPercent(1, "en"), formatPercent(null, "en")]).toEqual([
      "12.3%",
      "100%",
      "–",
    ]);
  });

  it("has durations in their two largest units", () => {
    const said = [0, 59, 60, 200, 3_600, 3_661, 90_000, null].map((seconds) => plain(formatDuration(seconds, "en")));
    expect(said).toEqual(["0 sec", "59 sec", "1 min", "3 min 20 sec", "1 hr", "1 hr 1 min", "1 day 1 hr", "–"]);
  });

  it("has moments in the store's zone, and days of the calendar in none", () => {
    const moment = "2026-03-10T23:30:00.000Z";
    expect(plain(formatDateTime(moment, "Asia/Tokyo", "en-GB"))).toBe("11 Mar 2026, 08:30");
    expect(formatDate(moment, "America/New_York", "en-GB")).toBe("10 Mar 2026");
    expect(formatDay("2026-03-10", "en-GB")).toBe("10 Mar 2026");
    expect(plain(formatRange("2026-03-01", "2026-03-07", "en-GB"))).toMatch(/^1 ?– ?7 Mar 2026$/);
    expect(plain(formatRange("2026-03-01", "2026-03-01", "en-GB"))).toBe("1 Mar 2026");
    expect(formatDateTime(null, "UTC", "en")).toBe("–");
  });

  it("has how long ago, and how soon", () => {
    const now = Date.parse("2026-03-10T12:00:00Z");
    const said = ["2026-03-10T11:59:30Z", "2026-03-10T09:00:00Z", "2026-03-09T12:00:00Z", "2026-03-12T12:00:00Z"];
    expect(said.map((moment) => formatRelative(moment, now, "en"))).toEqual([
      "30 seconds ago",
      "3 hours ago",
      "yesterday",
      "in 2 days",
    ]);
  });

  it("has bytes in units of a thousand", () => {
    expect([0, 999, 1_200_000, null].map((bytes) => plain(formatBytes(bytes, "en")))).toEqual([
      "0 byte",
      "999 byte",
      "1.2 MB",
      "–",
    ]);
  });

  it("is in a language that there is, whatever the browser says of itself", () => {
    expect(usableLocale(["de-AT", "en"])).toBe("de-AT");
    expect(usableLocale(["en-US@posix", "en-GB"])).toBe("en-GB");
    expect([usableLocale(["en-US@posix"]), usableLocale(["C"]), usableLocale([])]).toEqual(["en-US", "en-US", "en-US"]);
  });

  it("never fails, whatever number comes", () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom("en", "de", "ar", "ja"), (value, locale) => {
        expect(formatDuration(value, locale)).not.toBe("");
        expect(formatBytes(value, locale)).not.toBe("");
      }),
    );
  });
});
