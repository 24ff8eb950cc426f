/** Days of the Gregorian calendar; apart from dates.ts because few quizzes need it in a browser [player.size]. */

/** Days since 1 March of year 0: counted from March on, a leap day is the last of its year. */
function dayNumber(day: string): number {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const years = month < 3 ? year - 1 : year;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  // months from March on have 31, 30, 31, 30, 31 days, twice, and so on: 153 in five
  return years * 365 + leapDays + Math.floor((((month + 9) % 12) * 153 + 2) / 5) + date - 1;
}

const daysIn400Years = 146_097;

function dayOf(number: number): string {
  const rest = number % daysIn400Years;
  // without the leap days before it, a day's year is a 365th of its number
  const leapDays = Math.floor(rest / 1_460) - Math.floor(rest / 36_524) + Math.floor(rest / (daysIn400Years - 1));
  const years = Math.floor((rest - leapDays) / 365);
  const inYear = rest - years * 365 - Math.floor(years / 4) + Math.floor(years / 100);
  const month = Math.floor((inYear * 5 + 2) / 153);
  const date = inYear - Math.floor((month * 153 + 2) / 5) + 1;
  const year = Math.floor(number / daysIn400Years) * 400 + years + (month < 10 ? 0 : 1);
  const padded = (part: number, length: number): string => String(part).padStart(length, "0");
  return `${padded(year, 4)}-${padded(month < 10 ? month + 3 : month - 9, 2)}-${padded(date, 2)}`;
}

const [firstDay, lastDay] = [dayNumber("0001-01-01"), dayNumber("9999-12-31")];

/** Days from one to another. */
export const daysBetween = (from: string, to: string): number => dayNumber(to) - dayNumber(from);

/** The day that many days later or earlier, within the years that can be written. */
export const addDays = (day: string, days: number): string =>
  dayOf(Math.min(Math.max(dayNumber(day) + days, firstDay), lastDay));

/** The weekday of an existing day as ISO 8601 numbers it: 1 is Monday, 7 Sunday. */
export const weekdayOf = (day: string): number => ((dayNumber(day) + 2) % 7) + 1;
