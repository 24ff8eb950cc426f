const dayPattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const timePattern = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** `YYYY-MM-DD` of a day that the Gregorian calendar has, year 1 on. */
export function isDay(text: string): boolean {
  const [, year = "0", month = "0", day = "0"] = dayPattern.exec(text) ?? [];
  const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const length = month === "02" && leap ? 29 : (monthLengths[Number(month) - 1] ?? 0);
  return Number(year) >= 1 && Number(day) >= 1 && Number(day) <= length;
}

/** `HH:MM` or `HH:MM:SS`, 00:00 to 23:59:59. */
export function isTime(text: string): boolean {
  return timePattern.test(text);
}
