const dayPattern = /^\d{4}-\d\d-\d\d$/;
const timePattern = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;

/** `YYYY-MM-DD` of an existing day in the Gregorian calendar, from year 1. */
export function isDay(text: string): boolean {
  if (!dayPattern.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  // odd months have 31 days until July, even ones from August on
  const length = month === 2 ? (isLeap ? 29 : 28) : 30 + ((month + (month >> 3)) % 2);
  return year > 0 && month > 0 && month < 13 && day > 0 && day <= length;
}

/** `HH:MM` or `HH:MM:SS`, 00:00 to 23:59:59. */
export function isTime(text: string): boolean {
  return timePattern.test(text);
}
