/**
 * JSON that PostgreSQL accepts, from texts of clients: it refuses unpaired surrogates [api.texts]. Request bodies never
 * contain NUL.
 */
export const storedJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === "string" ? each.toWellFormed() : each));
