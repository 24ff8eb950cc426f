import { Temporal } from "temporal-polyfill";
import { plainDay } from "../plain-days.ts";

const known = new Map<string, Map<number, string>>();

/** The day of a moment in a zone, computed for each moment separately. */
export function dayOf(at: number, timeZone: string): string {
  const ofZone = known.get(timeZone) ?? new Map<number, string>();
  known.set(timeZone, ofZone);
  let day = ofZone.get(at);
  if (day === undefined) {
    day = plainDay(at, timeZone);
    ofZone.set(at, day);
  }
  return day;
}

export const plusDays = (day: string, days: number): string => Temporal.PlainDate.from(day).add({ days }).toString();

/** Every day from one to another, both included. */
export function daysBetween(from: string, to: string): string[] {
  const days = [from];
  for (let day = from; day < to; ) {
    day = plusDays(day, 1);
    days.push(day);
  }
  return days;
}
