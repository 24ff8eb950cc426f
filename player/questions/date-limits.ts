import type { DateComponent } from "../../engine/document.ts";
import { boundOn, dateFault } from "../../engine/kinds/date-limits.ts";
import type { Props } from "../draw/jsx-runtime.ts";
import { today } from "../embed/today.ts";
import type { Stage, TypedComponent } from "../view/stage.ts";
import { type DateTexts, dateTexts } from "./date-texts.ts";

/** The days and times that a date takes [player.date-limits]. */

/** The first and last day, for the browser's calendar, which knows no weekdays and no hours. */
export function boundsOf({ min, max, with_time, time_from, time_to }: DateComponent): Props<HTMLInputElement> {
  const day = today();
  const at = (bound: string, time: string): string => boundOn(bound, day) + (with_time ? `T${time}` : "");
  return {
    ...(min && { min: at(min, time_from || "00:00") }),
    ...(max && { max: at(max, time_to || "23:59") }),
  };
}

/** What is allowed, where what was typed is not [player.date-limits]. */
export function refuse(stage: Stage, component: TypedComponent, typed: string): string | null {
  // what is empty or incomplete is the main part's to judge
  if (component.kind !== "date" || !/^\d{4}-/.test(typed)) return null;
  const [day = "", time = null] = typed.split("T");
  const fault = dateFault(component, { date: day, time }, today());
  const texts = textsIn(stage.locale);
  if (fault === "range") return rangeText(component, texts, stage.locale);
  if (fault === "weekday") return fill(texts.weekday, { days: weekdayNames(component.weekdays ?? [], stage.locale) });
  return fault && timeText(component, texts, stage.locale);
}

function textsIn(locale: string): DateTexts {
  const known = Object.entries(dateTexts).find(([language]) => locale.split("-")[0] === language);
  return known?.[1] ?? dateTexts.en;
}

/** Fills `{name}` placeholders; apart from the main part's own, whose file would be split for it [player.size]. */
const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

function rangeText({ min, max }: DateComponent, texts: DateTexts, locale: string): string {
  const form = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" });
  const write = (bound: string): string => form.format(new Date(boundOn(bound, today())));
  if (min && max) return fill(texts.day_range, { min: write(min), max: write(max) });
  return min ? fill(texts.day_min, { min: write(min) }) : fill(texts.day_max, { max: write(max ?? "") });
}

function timeText({ time_from: from, time_to: to }: DateComponent, texts: DateTexts, locale: string): string {
  const form = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone: "UTC" });
  const write = (time: string): string => form.format(new Date(`2026-01-01T${time}Z`));
  if (from && to) return fill(texts.time_range, { from: write(from), to: write(to) });
  return from ? fill(texts.time_from, { from: write(from) }) : fill(texts.time_to, { to: write(to ?? "") });
}

/** The weekdays from Monday on, as the locale lists alternatives. */
function weekdayNames(days: readonly number[], locale: string): string {
  const form = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });
  // 5 January 2026 is a Monday
  const names = [...days].sort().map((day) => form.format(new Date(Date.UTC(2026, 0, 4 + day))));
  return new Intl.ListFormat(locale, { type: "disjunction" }).format(names);
}
