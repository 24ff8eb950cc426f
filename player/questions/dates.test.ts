import { afterEach, describe, expect, it } from "vitest";
import { addDays, weekdayOf } from "../../engine/calendar.ts";
import type { DateComponent } from "../../engine/document.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type OpenedScreen, openScreenPage, type ScreenSettings } from "../../testkit/browser-screen.ts";
import { content, date, page, quizDocument } from "../../testkit/document-parts.ts";
import { languages } from "../texts/load-texts.ts";
import { dateTexts } from "./date-texts.ts";

const browser = await openBrowser();

describe.skipIf(browser === null)("a date with limits in the player", () => {
  let screen: OpenedScreen | null = null;
  afterEach(async () => {
    expect(screen?.faults ?? []).toEqual([]);
    await screen?.close();
    screen = null;
  });
  const open = async (limits: Partial<DateComponent>, settings?: ScreenSettings): Promise<OpenedScreen> => {
    const after = page("after", [content("end", "<p>After</p>")], { kind: "content" });
    screen = await openScreenPage(quizDocument([page("first", [date("when", limits)]), after]), settings);
    return screen;
  };
  const field = (on: OpenedScreen) => on.quiz.locator("[name=when]");
  /** What it says of the day, and null once it takes it. */
  const said = async (on: OpenedScreen, value: string) => {
    await field(on).fill(value);
    await on.quiz.locator(".foot .main").click();
    if (await on.quiz.getByText("After", { exact: true }).isVisible()) return null;
    return on.quiz.locator(".complaint").textContent();
  };
  const today = (on: OpenedScreen) =>
    on.page.evaluate(() => {
      const now = new Date();
      return [now.getFullYear(), now.getMonth() + 1, now.getDate()]
        .map((part) => String(part).padStart(2, "0"))
        .join("-");
    });

  it.each(["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"])(
    "has a calendar from the earliest to the latest day, by the today of %s [player.date-limits]",
    async (timezoneId) => {
      const on = await open({ min: "today+1d", max: "today+60d" }, { context: { timezoneId } });
      const day = await today(on);
      expect(await field(on).getAttribute("min")).toBe(addDays(day, 1));
      expect(await field(on).getAttribute("max")).toBe(addDays(day, 60));
      expect(await said(on, day)).toMatch(/^Please choose a day from \d/);
      expect(await on.answers()).toEqual([]);
      expect(await said(on, addDays(day, 1))).toBeNull();
      expect(await on.answers()).toMatchObject([{ value: { date: addDays(day, 1), time: null } }]);
    },
  );

  it("says which weekdays and times are allowed, and goes on with one that is [player.date-limits]", async () => {
    const on = await open({
      with_time: true,
      weekdays: [5, 1],
      time_from: "09:00",
      time_to: "17:30",
      max: "2030-12-31",
    });
    expect(await field(on).getAttribute("max")).toBe("2030-12-31T17:30");
    expect(await said(on, "2026-12-01T10:00")).toBe("Please choose one of these weekdays: Monday or Friday.");
    expect(await field(on).getAttribute("aria-invalid")).toBe("true");
    expect(
      await on.page.evaluate(() => document.querySelector("#quiz")?.shadowRoot?.activeElement?.getAttribute("name")),
    ).toBe("when");
    expect(await said(on, "2026-11-30T08:59")).toBe("Please choose a time from 09:00 to 17:30.");
    expect(await said(on, "2031-01-03T10:00")).toBe("Please choose 31 December 2030 or an earlier day.");
    expect(await said(on, "2026-11-30T17:30")).toBeNull();
  });

  it("says it in the locale's own dates, digits and lists, from right to left, at 320 pixels [player.date-limits]", async () => {
    const on = await open(
      { min: "2026-12-24", weekdays: [1, 2, 3] },
      { locale: "ar-EG", dir: "rtl", context: { viewport: { width: 320, height: 640 } } },
    );
    expect(await said(on, "2026-12-01")).toBe("يُرجى اختيار ٢٤ ديسمبر ٢٠٢٦ أو يوم بعده.");
    expect(weekdayOf("2026-12-24")).toBe(4);
    expect(await said(on, "2026-12-24")).toBe("يُرجى اختيار أحد هذه الأيام: الاثنين أو الثلاثاء أو الأربعاء.");
    expect(await on.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });

  it("has each sentence in each language, with its values [player.date-limits]", () => {
    const values = Object.values(dateTexts.en).map((text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort());
    for (const language of languages) {
      const texts: string[] = Object.values(dateTexts[language]);
      expect([language, texts.map((text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort())]).toEqual([
        language,
        values,
      ]);
      expect(new Set(texts).size).toBe(texts.length);
    }
  });
});
