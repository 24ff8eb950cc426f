/**
 * JSON that PostgreSQL takes, of texts that somebody sent: it refuses half a surrogate pair [api.texts]. NUL no body
 * may hold.
 */
export const storedJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === "string" ? each.toWellFormed() : each));
