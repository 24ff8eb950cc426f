/** What stands where an erased contact stood, in texts that have to stay [erasure.exports]. */
export const erasedText = "[erased]";

/** A JSON value with some of its texts replaced, at any depth; the identical value if there are none. */
export function replaceTexts(value: unknown, goes: (text: string) => boolean): unknown {
  if (typeof value === "string") return goes(value) ? erasedText : value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, item, replaceTexts(item, goes)] as const);
  if (entries.every(([, before, after]) => before === after)) return value;
  const replaced = entries.map(([key, , after]) => [key, after] as const);
  return Array.isArray(value) ? replaced.map(([, item]) => item) : Object.fromEntries(replaced);
}
