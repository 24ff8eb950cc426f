import { isDay, isTime } from "../dates.ts";
import type { DateComponent } from "../document.ts";
import { cleared, invalid, type NormalisedAnswer } from "./normalised.ts";

/** An existing day, with a time if the question asks for one [engine.date-answers]. */
export function dated(
  component: DateComponent,
  value: string | { date: string; time?: string | null | undefined },
): NormalisedAnswer {
  const { date, time } = typeof value === "string" ? splitDate(value) : value;
  if (date === "") return cleared;
  const timeOfDay = time === undefined || time === "" ? null : time;
  if (!isDay(date) || (timeOfDay !== null && !(component.with_time && isTime(timeOfDay)))) return invalid;
  return { ok: true, value: { value: { date, time: timeOfDay } } };
}

function splitDate(text: string): { date: string; time: string | null } {
  const at = text.indexOf("T");
  return at === -1 ? { date: text, time: null } : { date: text.slice(0, at), time: text.slice(at + 1) };
}
