/** Local dates as the runtime's own formatter tells them, each moment by itself, with nothing derived from another. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** The day, `YYYY-MM-DD`, that a moment (ms) falls in, in a zone. */
export function plainDay(at: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (!format) {
    const parts = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
    format = new Intl.DateTimeFormat("en-CA", { timeZone, calendar: "iso8601", ...parts });
    formats.set(timeZone, format);
  }
  return format.format(at);
}
