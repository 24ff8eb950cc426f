/** Local dates by the runtime's own formatter, computed for each moment separately. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** The day, `YYYY-MM-DD`, of a moment (ms) in a zone. */
export function plainDay(at: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (!format) {
    const parts = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
    format = new Intl.DateTimeFormat("en-CA", { timeZone, calendar: "iso8601", ...parts });
    formats.set(timeZone, format);
  }
  return format.format(at);
}
